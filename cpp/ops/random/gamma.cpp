// Gamma-distributed numbers, by the method of Marsaglia and Tsang ("A simple method for generating gamma variables",
// 2000), and their gradients.
#include "ops/elementwise/elementwise_record.h"
#include "ops/gradient.h"
#include "ops/kernel_table.h"
#include "ops/random/random_state.h"
#include "ops/random/samples.h"
#include "ops/random/seeds.h"
#include "ops/state/effect_records.h"

namespace tracefn {
namespace {

class GammaSampler {
 public:
  GammaSampler(double alpha, const Philox& start)
      : start_(start),
        alpha_(alpha),
        below_one_(alpha < 1),
        d_(alpha + (below_one_ ? 2.0 / 3 : -1.0 / 3)),
        c_(1.0 / 3 / std::sqrt(d_)) {}

  double operator()(std::uint64_t i) const {
    SampleStream stream(start_, i * kBlocksPerSample);
    if (alpha_ == 1.0) return -std::log1p(-stream.uniform());  // the exponential distribution
    while (true) {
      const double x = stream.normal();
      double v = 1 + c_ * x;
      if (v <= 0) continue;
      v = v * v * v;
      const double u = stream.uniform();
      if (is_accepted(x, v, u)) return below_one_ ? of_next_alpha(d_ * v, stream.uniform()) : d_ * v;
    }
  }

  // Most numbers are made of what they draw first.
  void draw(std::uint64_t first, std::int64_t n, double* values) const {
    if (alpha_ == 1.0) {
      for (std::int64_t i = 0; i < n; ++i) values[i] = (*this)(first + static_cast<std::uint64_t>(i));
      return;
    }
    double uniforms[2 * kMostSamples];
    kernel_table().random.first_draws(&start_, first, n, kBlocksPerSample, values, uniforms);
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = values[i], root = 1 + c_ * x, v = root * root * root;
      if (root > 0 && is_accepted(x, v, uniforms[2 * i])) {
        values[i] = d_ * v;
        if (below_one_) values[i] = of_next_alpha(values[i], uniforms[2 * i + 1]);
      } else {
        values[i] = (*this)(first + static_cast<std::uint64_t>(i));
      }
    }
  }

 private:
  // The first bound accepts most numbers without a logarithm.
  bool is_accepted(double x, double v, double u) const {
    return u < 1 - 0.0331 * (x * x) * (x * x) || std::log(u) < 0.5 * x * x + d_ * (1 - v + std::log(v));
  }
  // Of a number for alpha + 1.
  double of_next_alpha(double number, double u) const { return number * std::pow(u, 1 / alpha_); }

  const Philox& start_;
  double alpha_;
  bool below_one_;
  double d_, c_;
};

void draw_gamma(KernelContext& c, const Tensor& alpha, const Philox& start) {
  const std::vector<double> alphas = as_doubles(alpha);
  draw_samples(c, alpha.num_elements(), 60,
               [&](std::int64_t p) { return GammaSampler(alphas[static_cast<std::size_t>(p)], start); });
}

void gamma(KernelContext& c) {
  const auto n = static_cast<std::uint64_t>(c.output(0).num_elements());
  if (n > 0) draw_gamma(c, c.input(1), random_state(c).reserve(n * kBlocksPerSample));
}

void stateless(KernelContext& c, const Tensor& alpha, const Philox& start) {
  if (c.output(0).num_elements() == 0) return;
  require_ends_with(c.output(0).shape(), alpha.shape());
  draw_gamma(c, alpha, start);
}
void stateless_v2(KernelContext& c) { stateless(c, c.input(2), from_seed(c.input(1))); }
void stateless_v3(KernelContext& c) { stateless(c, c.input(4), from_key(c, 1)); }

// By implicit differentiation (Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients", 2018).
template <std::size_t kAlpha>
void gradient(GradContext& g) {
  const Operand& alpha = g.input(kAlpha);
  Operand slope = emit1("RandomGammaGrad", {alpha, g.output(0)});
  g.to_input(kAlpha, build::unbroadcast(g.dy(0) * slope, alpha, g.output(0)));
}

}  // namespace

void register_gamma(Registry& r) {
  r.add({
      .name = "RandomGamma",
      .inputs = {"shape: S", "alpha: T"},
      .outputs = {"output: T"},
      .attrs = {"seed: int = 0", "seed2: int = 0", "S: {int32, int64}", "T: {half, float, double}"},
      .stateful = true,
      .doc =
          "Gamma-distributed random numbers with scale 1: numbers of shape `shape` for each `alpha`, whose dimensions "
          "come last.",
      .infer = infer_sample_shape_and<1>,
      .check = check_sample_shape,
      .kernel = gamma,
      .grad = gradient<1>,
      .keeps_state = true,
  });
  r.add({
      .name = "StatelessRandomGammaV2",
      .inputs = {"shape: T", "seed: Tseed", "alpha: dtype"},
      .outputs = {"output: dtype"},
      .attrs = {"dtype: {half, float, double}", "T: {int32, int64}", "Tseed: {int32, int64} = DT_INT64"},
      .doc = "Gamma-distributed random numbers with scale 1, determined by a seed. `shape` ends with the shape of "
             "`alpha`.",
      .infer = infer_sample_shape,
      .check = check_sample_shape,
      .kernel = stateless_v2,
      .grad = gradient<2>,
  });
  r.add({
      .name = "StatelessRandomGammaV3",
      .inputs = {"shape: shape_dtype", "key: uint64", "counter: uint64", "alg: int32", "alpha: dtype"},
      .outputs = {"output: dtype"},
      .attrs = {"dtype: {half, float, double}", "shape_dtype: {int32, int64} = DT_INT32"},
      .doc = "Gamma-distributed random numbers with scale 1, determined by a key and a counter. `shape` ends with the "
             "shape of `alpha`.",
      .infer = infer_sample_shape,
      .check = check_sample_shape,
      .kernel = stateless_v3,
      .grad = gradient<4>,
  });
}

}  // namespace tracefn
