// Binomially distributed numbers: few expected successes by the gaps between them, many by the transformed rejection of
// Hormann ("The generation of binomial random variates", 1993).
#include <limits>

#include "ops/elementwise/elementwise.h"
#include "ops/gradient.h"
#include "ops/no_kernel.h"
#include "ops/random/generator_state.h"
#include "ops/random/random_state.h"
#include "ops/random/samples.h"
#include "ops/random/seeds.h"
#include "ops/state/effect_records.h"
#include "ops/without_gradient.h"
#include "tensor/half.h"

namespace tracefn {
namespace {

// What Stirling's approximation of log(k!) lacks.
double stirling_tail(double k) {
  static constexpr double kTails[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
                                      0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
                                      0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return kTails[static_cast<int>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// The successes of `count` trials, for a probability up to one half.
double by_gaps(double count, double probability, SampleStream stream) {
  double trials = 0;
  for (int successes = 0;; ++successes) {
    trials += std::ceil(std::log(stream.uniform()) / std::log1p(-probability));
    if (trials > count) return successes;
  }
}

class Rejection {
 public:
  Rejection(double count, double probability) : count_(count) {
    const double deviation = std::sqrt(count * probability * (1 - probability));
    b_ = 1.15 + 2.53 * deviation;
    a_ = -0.0873 + 0.0248 * b_ + 0.01 * probability;
    c_ = count * probability + 0.5;
    v_r_ = 0.92 - 4.2 / b_;
    r_ = probability / (1 - probability);
    alpha_ = (2.83 + 5.1 / b_) * deviation;
    m_ = std::floor((count + 1) * probability);
  }

  double draw(SampleStream stream) const {
    while (true) {
      const double drawn = stream.uniform(), v = stream.uniform(), u = drawn - 0.5;
      const double edge = 0.5 - std::abs(u);
      const double k = std::floor((2 * a_ / edge + b_) * u + c_);
      if (edge >= 0.07 && v <= v_r_) return k;
      if (k < 0 || k > count_) continue;
      const double bound = (m_ + 0.5) * std::log((m_ + 1) / (r_ * (count_ - m_ + 1))) +
                           (count_ + 1) * std::log((count_ - m_ + 1) / (count_ - k + 1)) +
                           (k + 0.5) * std::log(r_ * (count_ - k + 1) / (k + 1)) + stirling_tail(m_) +
                           stirling_tail(count_ - m_) - stirling_tail(k) - stirling_tail(count_ - k);
      if (std::log(v * alpha_ / (a_ / (edge * edge) + b_)) <= bound) return k;
    }
  }

 private:
  double count_, a_, b_, c_, v_r_, r_, alpha_, m_;
};

// Rounds products and differences to the parameters' dtype, as TensorFlow does.
double rounded(double x, DType dtype) {
  if (dtype == DType::kDouble) return x;
  const auto narrow = static_cast<float>(x);
  return dtype == DType::kFloat ? narrow : static_cast<float>(Half(narrow));
}

class BinomialSampler {
 public:
  BinomialSampler(double count, double probability, DType dtype, const Philox& start)
      : count_(count),
        mirrored_(probability > 0.5),
        probability_(mirrored_ ? rounded(1 - probability, dtype) : probability),
        many_(rounded(count * probability_, dtype) >= 10),
        rejection_(count, probability_),
        start_(&start) {
    if (count <= 0 || probability <= 0) {
      constant_ = 0;
    } else if (std::isnan(count) || std::isnan(probability)) {
      constant_ = std::numeric_limits<double>::quiet_NaN();
    } else if (probability >= 1) {
      constant_ = count;
    } else if (std::isinf(count)) {
      constant_ = count;
    } else {
      random_ = true;
    }
  }

  double operator()(std::uint64_t i) const {
    if (!random_) return constant_;
    const double successes = many_ ? rejection_.draw(SampleStream(*start_, i * kBlocksPerSample))
                                   : by_gaps(count_, probability_, SampleStream(*start_, i * 42));
    return mirrored_ ? count_ - successes : successes;
  }

 private:
  double count_;
  bool mirrored_;
  double probability_;  // of what is counted: failures if mirrored
  bool many_, random_ = false;
  double constant_ = 0;
  Rejection rejection_;
  const Philox* start_;
};

struct Parameters {
  const Tensor &counts, &probabilities;
  Shape shape() const { return broadcast(counts.shape(), probabilities.shape()); }
};

void check_parameters(const KernelContext& c, std::size_t shape, std::size_t counts) {
  const Tensor& dims = c.input(shape);
  const Parameters p{c.input(counts), c.input(counts + 1)};
  const DType dtype = p.counts.dtype();
  if (dtype != DType::kHalf && dtype != DType::kFloat && dtype != DType::kDouble) no_kernel();
  if (!can_broadcast(p.counts.shape(), p.probabilities.shape()))
    invalid_argument("counts and probs must have compatible batch dimensions: ", p.counts.shape().text(), " vs. ",
                     p.probabilities.shape().text());
  if (dims.rank() != 1) invalid_argument("Input shape should be a vector, got shape: ", dims.shape().text());
}

void draw_binomial(KernelContext& c, const Parameters& p, const Philox& start) {
  const Shape shape = p.shape();
  const std::vector<double> counts = as_doubles(p.counts), probabilities = as_doubles(p.probabilities);
  const auto at_counts = broadcast_indices(p.counts.shape(), shape);
  const auto at_probabilities = broadcast_indices(p.probabilities.shape(), shape);
  draw_samples(c, shape.num_elements(), 300, [&](std::int64_t b) {
    const auto i = static_cast<std::size_t>(b);
    return BinomialSampler(counts[static_cast<std::size_t>(at_counts[i])],
                           probabilities[static_cast<std::size_t>(at_probabilities[i])], p.counts.dtype(), start);
  });
}

void check_stateless(const KernelContext& c) { check_parameters(c, 0, 2); }

void stateless(KernelContext& c) {
  const Parameters p{c.input(2), c.input(3)};
  const Philox start = from_seed(c.input(1));
  require_ends_with(c.output(0).shape(), p.shape());
  if (c.output(0).num_elements() > 0) draw_binomial(c, p, start);
}

void check_stateful(const KernelContext& c) { check_parameters(c, 2, 3); }

void stateful(KernelContext& c) {
  const Parameters p{c.input(3), c.input(4)};
  const Shape shape = p.shape();
  require_ends_with(c.output(0).shape(), shape);
  if (c.input(1).rank() != 0) invalid_argument("algorithm must be of shape [], not ", c.input(1).shape().text());
  if (c.input(1).int_at(0) != kPhiloxAlgorithm) invalid_argument("Unsupported algorithm id: ", c.input(1).int_at(0));
  const auto batches = static_cast<std::uint64_t>(shape.num_elements());
  const std::uint64_t samples = batches == 0 ? 0 : static_cast<std::uint64_t>(c.output(0).num_elements()) / batches;
  const Philox start = take_from_generator(c, batches * 2 * 100 * (samples + 3) / 4 * kBlocksPerSample);
  if (c.output(0).num_elements() > 0) draw_binomial(c, p, start);
}

void infer_stateful(InferContext& c) {
  c.require_rank(2, 1);
  c.set_output(0, c.result_shape(2));
}

}  // namespace

void register_binomial(Registry& r) {
  r.add({
      .name = "StatelessRandomBinomial",
      .inputs = {"shape: S", "seed: Tseed", "counts: T", "probs: T"},
      .outputs = {"output: dtype"},
      .attrs = {"S: {int32, int64}", "Tseed: {int32, int64} = DT_INT64",
                "T: {half, float, double, int32, int64} = DT_DOUBLE",
                "dtype: {half, float, double, int32, int64} = DT_INT64"},
      .doc =
          "Binomially distributed random numbers, determined by a seed. `shape` ends with the shape to which `counts` "
          "and `probs` are broadcast.",
      .infer = infer_sample_shape,
      .check = check_stateless,
      .kernel = stateless,
      .grad = not_differentiable,
  });
  r.add({
      .name = "StatefulRandomBinomial",
      .inputs = {"resource: resource", "algorithm: int64", "shape: S", "counts: T", "probs: T"},
      .outputs = {"output: dtype"},
      .attrs = {"S: {int32, int64}", "T: {half, float, double, int32, int64} = DT_DOUBLE",
                "dtype: {half, float, double, int32, int64} = DT_INT64"},
      .stateful = true,
      .doc =
          "Binomially distributed random numbers, drawn from a generator's state. `shape` ends with the shape to which "
          "`counts` and `probs` are broadcast.",
      .infer = infer_stateful,
      .check = check_stateful,
      .kernel = stateful,
      .grad = without_gradient,
  });
}

}  // namespace tracefn
