// Poisson-distributed numbers: below a rate of 10 by Knuth's method (The Art of Computer Programming 2, 3.4.1), above
// by the transformed rejection of Hormann ("The transformed rejection method for generating Poisson random variables",
// 1993).
#include <limits>

#include "ops/gradient.h"
#include "ops/random/random_state.h"
#include "ops/random/samples.h"
#include "ops/random/seeds.h"
#include "ops/state/effect_records.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

double most_of(DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return 65504;
    case DType::kFloat:
      return std::numeric_limits<float>::max();
    case DType::kInt32:
      return std::numeric_limits<std::int32_t>::max();
    case DType::kInt64:
      return 0x1p63;  // TensorFlow rounds it so
    default:
      return std::numeric_limits<double>::max();
  }
}

double log_gamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

class PoissonSampler {
 public:
  // No number above `most` is drawn. An infinite rate draws infinity.
  PoissonSampler(double rate, double most) : rate_(rate), most_(most) {
    if (rate < 10) {
      limit_ = std::exp(-rate);
      return;
    }
    log_rate_ = std::log(rate);
    b_ = 0.931 + 2.53 * std::sqrt(rate);
    a_ = -0.059 + 0.02483 * b_;
    inverse_alpha_ = 1.1239 + 1.1328 / (b_ - 3.4);
  }

  double draw(SampleStream stream) const {
    if (std::isinf(rate_)) return rate_;
    return rate_ < 10 ? by_products(stream) : by_rejection(stream);
  }

 private:
  // How many uniform numbers have a product above exp(-rate).
  double by_products(SampleStream& stream) const {
    double product = 1;
    for (double x = 0;; ++x) {
      product *= stream.uniform();
      if (product <= limit_ && x <= most_) return x;
    }
  }

  double by_rejection(SampleStream& stream) const {
    while (true) {
      const double u = stream.uniform() - 0.5, v = stream.uniform();
      const double edge = 0.5 - std::abs(u);
      const double k = std::floor((2 * a_ / edge + b_) * u + rate_ + 0.43);
      if (k > most_) continue;
      if (edge >= 0.07 && v <= 0.9277 - 3.6224 / (b_ - 2)) return k;
      if (k < 0 || (edge < 0.013 && v > edge)) continue;
      const double s = std::log(v * inverse_alpha_ / (a_ / (edge * edge) + b_));
      if (s <= -rate_ + k * log_rate_ - log_gamma(k + 1)) return k;
    }
  }

  double rate_, most_, limit_ = 0, log_rate_ = 0, a_ = 0, b_ = 0, inverse_alpha_ = 0;
};

void draw_poisson(KernelContext& c, const Tensor& rate, const Philox& start) {
  const std::vector<double> rates = as_doubles(rate);
  const DType dtype = c.output(0).dtype();
  const double most = most_of(dtype);
  // TensorFlow never ends with such a rate.
  for (double r : rates)
    if (!(r <= most || (std::isinf(r) && is_floating(dtype))))
      invalid_argument("The rate of a Poisson distribution must be finite and fit the output's dtype, got ", r);
  draw_samples(c, rate.num_elements(), 200, [&](std::int64_t p) {
    return [&start, sampler = PoissonSampler(rates[static_cast<std::size_t>(p)], most)](std::uint64_t i) {
      return sampler.draw(SampleStream(start, i * kBlocksPerSample));
    };
  });
}

void poisson(KernelContext& c) {
  const auto n = static_cast<std::uint64_t>(c.output(0).num_elements());
  if (n > 0) draw_poisson(c, c.input(1), random_state(c).reserve(n * kBlocksPerSample));
}

void stateless_poisson(KernelContext& c) {
  const Philox start = from_seed(c.input(1));
  require_ends_with(c.output(0).shape(), c.input(2).shape());
  if (c.output(0).num_elements() > 0) draw_poisson(c, c.input(2), start);
}

}  // namespace

void register_poisson(Registry& r) {
  r.add({
      .name = "RandomPoissonV2",
      .inputs = {"shape: S", "rate: R"},
      .outputs = {"output: dtype"},
      .attrs = {"seed: int = 0", "seed2: int = 0", "S: {int32, int64}",
                "R: {half, float, double, int32, int64} = DT_DOUBLE",
                "dtype: {half, float, double, int32, int64} = DT_INT64"},
      .stateful = true,
      .doc =
          "Poisson-distributed random numbers: numbers of shape `shape` for each `rate`, whose dimensions come last.",
      .infer = infer_sample_shape_and<1>,
      .check = check_sample_shape,
      .kernel = poisson,
      .grad = without_gradient,
      .keeps_state = true,
  });
  r.add({
      .name = "StatelessRandomPoisson",
      .inputs = {"shape: T", "seed: Tseed", "lam: Rtype"},
      .outputs = {"output: dtype"},
      .attrs = {"Rtype: {half, float, double, int32, int64}", "dtype: {half, float, double, int32, int64}",
                "T: {int32, int64}", "Tseed: {int32, int64} = DT_INT64"},
      .doc = "Poisson-distributed random numbers, determined by a seed. `shape` ends with the shape of `lam`.",
      .infer = infer_sample_shape,
      .check = check_sample_shape,
      .kernel = stateless_poisson,
      .grad = not_differentiable,
  });
}

}  // namespace tracefn
