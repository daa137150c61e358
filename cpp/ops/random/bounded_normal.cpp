// Normal numbers between bounds that are given.
#include <atomic>
#include <cstring>

#include "ops/elementwise/elementwise.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel_table.h"
#include "ops/no_kernel.h"
#include "ops/random/random_state.h"
#include "ops/random/samples.h"
#include "ops/random/seeds.h"
#include "ops/state/effect_records.h"

namespace tracefn {
namespace {

constexpr std::int64_t kParameters = 4;
// TensorFlow reserves so many blocks for an element, times the numbers in a block.
constexpr std::uint64_t kReserved = 2 * 1000;
// Elements that one stream makes, one after the other; TensorFlow's bits of more elements depend on its threads.
constexpr std::int64_t kConsecutive = 128;
constexpr double kBoundedCost = 60;  // per element

void require_drawn(BoundedNormalStatus status) {
  switch (status) {
    case kDrawn:
      return;
    case kInvalidParameters:
      invalid_argument("Invalid parameters");
    case kNormalFailed:
      fail(ErrorKind::kInternal, "TruncatedNormal randn rejection sampler failed to accept a sample.");
    case kUniformFailed:
      fail(ErrorKind::kInternal, "TruncatedNormal uniform rejection sampler failed to  accept a sample.");
    case kExponentialFailed:
      fail(ErrorKind::kInternal,
           "TruncatedNormal exponential distribution rejection sampler failed to accept a sample.");
  }
}

// The four parameters of one batch, side by side, as the kernel reads them.
class ParameterRow {
 public:
  void set(std::int64_t i, const Tensor& parameter, std::int64_t at) {
    const std::size_t size = size_of(parameter.dtype());
    std::memcpy(bytes_ + static_cast<std::size_t>(i) * size,
                static_cast<const char*>(parameter.raw()) + static_cast<std::size_t>(at) * size, size);
  }
  const void* get() const { return bytes_; }

 private:
  alignas(8) char bytes_[kParameters * 8];
};

BoundedNormals kernel_of(const KernelContext& c) {
  BoundedNormals kernel = kernel_table().random.bounded_normals[slot(c.attr("dtype").type())];
  if (!kernel) no_kernel();
  return kernel;
}

// Runs draw(first, last) for pieces of `n` parts, and throws the error of one that failed.
template <typename Draw>
void draw_pieces(KernelContext& c, std::int64_t n, double cost, const Draw& draw) {
  std::atomic<BoundedNormalStatus> status{kDrawn};
  c.parallel_for(n, cost, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end && status == kDrawn; ++begin)
      if (BoundedNormalStatus found = draw(begin); found != kDrawn) status = found;
  });
  require_drawn(status);
}

void check_stateful_bounded(const KernelContext& c) {
  kernel_of(c);
  const Tensor& shape = c.input(0);
  if (shape.rank() != 1) invalid_argument("Input shape should be a vector, got shape: ", shape.shape().text());
  if (shape.dim(0) == 0) invalid_argument("Shape tensor must not be empty, got ", shape.shape().text());
  static constexpr std::string_view kNames[] = {"means", "stddevs", "minvals", "maxvals"};
  for (std::size_t i = 0; i < kParameters; ++i)
    if (c.input(i + 1).rank() > 1)
      invalid_argument("Input ", kNames[i],
                       " should be a scalar or vector, got shape: ", c.input(i + 1).shape().text());
}

// Batches follow each other along the first dimension, each with parameters of its own, or of 100 elements if all have
// the same.
void bounded_normal(KernelContext& c) {
  const BoundedNormals kernel = kernel_of(c);
  Tensor& out = c.output(0);
  const std::int64_t elements = out.num_elements();
  std::int64_t batches = out.dim(0), samples = batches == 0 ? 0 : elements / batches;
  auto has_one = [&](std::size_t i) { return c.input(i).rank() == 0 || c.input(i).dim(0) == 1; };
  if (has_one(1) && has_one(2) && c.input(3).rank() == 0 && c.input(4).rank() == 0) {
    samples = 100;
    batches = (elements + samples - 1) / samples;
  } else {
    static constexpr std::string_view kNames[] = {"means", "stddevs", "minvals", "maxvals"};
    for (std::size_t i = 0; i < kParameters; ++i)
      if (!has_one(i + 1) && c.input(i + 1).dim(0) != batches)
        invalid_argument("Input ", kNames[i],
                         " should have length 1 or shape[0], got shape: ", c.input(i + 1).shape().text());
  }
  auto blocks_before = [&](std::int64_t batch) {
    return static_cast<std::uint64_t>(batch) * kReserved * (static_cast<std::uint64_t>(samples) + 3) / 4;
  };
  const Philox start = random_state(c).reserve(blocks_before(batches));
  if (elements == 0) return;
  const std::int64_t together = std::max<std::int64_t>(1, kConsecutive / samples);
  const std::int64_t size = static_cast<std::int64_t>(size_of(out.dtype()));
  char* to = static_cast<char*>(out.mutable_raw());
  draw_pieces(c, (batches + together - 1) / together, kBoundedCost * static_cast<double>(together * samples),
              [&](std::int64_t piece) {
                Philox stream = start;
                stream.skip(blocks_before(piece * together));
                for (std::int64_t b = piece * together; b < std::min(batches, (piece + 1) * together); ++b) {
                  ParameterRow row;
                  for (std::int64_t i = 0; i < kParameters; ++i) {
                    const Tensor& parameter = c.input(static_cast<std::size_t>(i) + 1);
                    row.set(i, parameter, parameter.num_elements() == 1 ? 0 : b);
                  }
                  const std::int64_t first = b * samples, n = std::min(samples, elements - first);
                  if (BoundedNormalStatus status = kernel(&stream, row.get(), n, to + first * size, 1);
                      status != kDrawn)
                    return status;
                }
                return kDrawn;
              });
}

Shape parameter_shape(const KernelContext& c) {
  const Shape &a = c.input(2).shape(), &b = c.input(3).shape(), &low = c.input(4).shape(), &high = c.input(5).shape();
  bool fit = can_broadcast(a, b) && can_broadcast(broadcast(a, b), low);
  fit = fit && can_broadcast(broadcast(broadcast(a, b), low), high);
  if (!fit)
    invalid_argument("means, stddevs, minvals, maxvals must have compatible batch dimensions: ", a.text(), " vs. ",
                     b.text(), " vs. ", low.text(), " vs. ", high.text());
  return broadcast(broadcast(broadcast(a, b), low), high);
}

void check_stateless_bounded(const KernelContext& c) {
  from_seed(c.input(1));
  parameter_shape(c);
  if (c.input(0).rank() != 1)
    invalid_argument("Input shape should be a vector, got shape: ", c.input(0).shape().text());
}

// The dimensions of the parameters come last.
void stateless_bounded_normal(KernelContext& c) {
  const Philox start = from_seed(c.input(1));
  const Shape shape = parameter_shape(c);
  Tensor& out = c.output(0);
  require_ends_with(out.shape(), shape);
  const std::int64_t elements = out.num_elements();
  if (elements == 0) return;
  const BoundedNormals kernel = kernel_table().random.bounded_normals[slot(out.dtype())];
  const std::int64_t batches = shape.num_elements(), samples = elements / batches;
  std::vector<std::int64_t> at[kParameters];
  for (std::size_t i = 0; i < kParameters; ++i) at[i] = broadcast_indices(c.input(i + 2).shape(), shape);
  const std::int64_t size = static_cast<std::int64_t>(size_of(out.dtype()));
  const std::uint64_t per_block = size == 8 ? 2 : 4;
  char* to = static_cast<char*>(out.mutable_raw());
  draw_pieces(c, (elements + kConsecutive - 1) / kConsecutive, kBoundedCost * kConsecutive, [&](std::int64_t piece) {
    const std::int64_t end = std::min(elements, (piece + 1) * kConsecutive);
    std::int64_t i = piece * kConsecutive;
    Philox stream = start;
    stream.skip((static_cast<std::uint64_t>(i) * kReserved + per_block - 1) / per_block);
    while (i < end) {
      const std::int64_t batch = i / samples, last = std::min(end, (batch + 1) * samples);
      ParameterRow row;
      for (std::size_t j = 0; j < kParameters; ++j)
        row.set(static_cast<std::int64_t>(j), c.input(j + 2), at[j][static_cast<std::size_t>(batch)]);
      if (BoundedNormalStatus status =
              kernel(&stream, row.get(), last - i, to + ((i - batch * samples) * batches + batch) * size, batches);
          status != kDrawn)
        return status;
      i = last;
    }
    return kDrawn;
  });
}

// The distribution function of the normal distribution.
Operand normal_distribution(const Operand& x) {
  const DType dtype = x.dtype();
  const Operand half_root = build::scalar(dtype, 0.5 * std::sqrt(2.0)), one = build::scalar(dtype, 1);
  const Operand two = build::scalar(dtype, 2), zero = build::scalar(dtype, 0);
  const Operand w = x * half_root, z = emit1("Abs", {w});
  const Operand far = build::select(emit1("Greater", {w, zero}), two - emit1("Erfc", {z}), emit1("Erfc", {z}));
  return build::scalar(dtype, 0.5) * build::select(emit1("Less", {z, half_root}), one + emit1("Erf", {w}), far);
}

struct Limits {
  double least, spacing;
};
Limits limits_of(DType dtype) {
  if (dtype == DType::kDouble) return {0x1p-1022, 0x1p-52};
  if (dtype == DType::kFloat) return {0x1p-126, 0x1p-23};
  return {0x1p-14, 0x1p-10};
}

// By implicit differentiation (Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients", 2018).
void gradient(GradContext& g) {
  const Operand &mean = g.input(2), &deviation = g.input(3), &low = g.input(4), &high = g.input(5);
  const Operand& sample = g.output(0);
  const DType dtype = sample.dtype();
  const Operand dy = g.dy(0);
  const Operand x = (sample - mean) / deviation, least = (low - mean) / deviation, most = (high - mean) / deviation;
  const Operand below = normal_distribution(least);
  Operand part = (normal_distribution(x) - below) / (normal_distribution(most) - below);
  const Limits limits = limits_of(dtype);
  part = emit1("Maximum", {emit1("Minimum", {part, build::scalar(dtype, 1 - limits.spacing)}),
                           build::scalar(dtype, limits.least)});
  auto square = [](const Operand& a) { return emit1("Square", {a}); };
  const Operand half = build::scalar(dtype, 0.5);
  const Operand to_high = emit1("Exp", {half * (square(x) - square(most)) + emit1("Log", {part})});
  const Operand to_low = emit1("Exp", {half * (square(x) - square(least)) + emit1("Log1p", {-part})});
  g.to_input(2, build::unbroadcast(dy, mean, sample));
  g.to_input(3, build::unbroadcast(dy * x, deviation, sample));
  g.to_input(4, build::unbroadcast(dy * to_low, low, sample));
  g.to_input(5, build::unbroadcast(dy * to_high, high, sample));
}

}  // namespace

void register_bounded_normal(Registry& r) {
  r.add({
      .name = "ParameterizedTruncatedNormal",
      .inputs = {"shape: T", "means: dtype", "stdevs: dtype", "minvals: dtype", "maxvals: dtype"},
      .outputs = {"output: dtype"},
      .attrs = {"seed: int = 0", "seed2: int = 0", "dtype: {half, bfloat16, float, double}", "T: {int32, int64}"},
      .stateful = true,
      .doc = "Normal random numbers between bounds. The parameters are scalars, or have an element for each row of the "
             "result.",
      .infer = infer_sample_shape,
      .check = check_stateful_bounded,
      .kernel = bounded_normal,
      .grad = not_differentiable,
      .keeps_state = true,
  });
  r.add({
      .name = "StatelessParameterizedTruncatedNormal",
      .inputs = {"shape: S", "seed: Tseed", "means: dtype", "stddevs: dtype", "minvals: dtype", "maxvals: dtype"},
      .outputs = {"output: dtype"},
      .attrs = {"S: {int32, int64}", "Tseed: {int32, int64} = DT_INT64", "dtype: {half, float, double}"},
      .doc = "Normal random numbers between bounds, determined by a seed. `shape` ends with the shape to which the "
             "parameters are broadcast.",
      .infer = infer_sample_shape,
      .check = check_stateless_bounded,
      .kernel = stateless_bounded_normal,
      .grad = gradient,
  });
}

}  // namespace tracefn
