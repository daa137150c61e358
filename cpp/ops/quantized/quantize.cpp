// QuantizeV2 and Dequantize: floats to integers that divide a range evenly, and back, in TensorFlow's three modes.
//
// MIN_COMBINED maps the lowest integer to the lower end of the range, and the highest to the upper end. MIN_FIRST does
// the same, and rounds the lower end to a whole number of steps, so that 0 is exact. SCALED multiplies: 0 stays 0.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/families.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/no_kernel.h"
#include "ops/quantized/slices.h"
#include "ops/registry.h"
#include "ops/type_sets.h"
#include "ops/without_gradient.h"
#include "tensor/stored_types.h"

namespace tracefn {
namespace {

enum class Mode { kMinCombined, kMinFirst, kScaled };

Mode mode_of(const KernelContext& c) {
  const std::string_view text = c.attr("mode").s();
  return text == "MIN_FIRST" ? Mode::kMinFirst : text == "SCALED" ? Mode::kScaled : Mode::kMinCombined;
}

// Calls f(I()) with the integer type in which a quantized type is stored.
template <typename F>
void with_quantized(DType dtype, F&& f) {
  switch (number_dtype(dtype)) {
    case DType::kInt8:
      return f(std::int8_t());
    case DType::kUInt8:
      return f(std::uint8_t());
    case DType::kInt16:
      return f(std::int16_t());
    case DType::kUInt16:
      return f(std::uint16_t());
    case DType::kInt32:
      return f(std::int32_t());
    default:
      no_kernel();
  }
}

// As x86's instructions: what does not fit an int32, NaN too, is the lowest one, and what does not fit I its nearest.
template <typename I>
I truncated(float x) {
  const bool fits = x >= -0x1p31f && x < 0x1p31f;
  const std::int32_t value = fits ? static_cast<std::int32_t>(x) : std::numeric_limits<std::int32_t>::min();
  return static_cast<I>(std::clamp<std::int32_t>(value, std::numeric_limits<I>::min(), std::numeric_limits<I>::max()));
}

template <typename I>
constexpr float kLowest = static_cast<float>(std::numeric_limits<I>::lowest());
template <typename I>
constexpr float kHighest = static_cast<float>(std::numeric_limits<I>::max());
// What a signed type adds to its numbers to count from 0.
template <typename I>
constexpr float kHalfRange = std::is_signed_v<I> ? static_cast<float>(std::int64_t{1} << (8 * sizeof(I) - 1)) : 0.0f;
template <typename I>
constexpr double kSteps = static_cast<double>(std::int64_t{1} << (8 * sizeof(I)));

struct Range {
  float min, max;
};

// The range given, with 0 in it, and at least as wide as `least` times the larger of 1 and of its ends' sizes.
Range range_used(Range given, float least) {
  if (given.min > given.max) invalid_argument("input_max_range must be larger than input_min_range.");
  Range range;
  range.min = std::min(0.0f, given.min);
  const float epsilon = std::max(1.0f, std::max(std::fabs(given.min), std::fabs(given.max))) * least;
  range.max = std::max(0.0f, std::max(given.max, range.min + epsilon));
  return range;
}

template <typename I>
class Quantizer {
 public:
  Quantizer(Mode mode, bool half_to_even, bool narrow, Range range)
      : mode_(mode), half_to_even_(half_to_even), range_(range) {
    const float lowest = kLowest<I> + (narrow && mode == Mode::kScaled ? 1.0f : 0.0f);
    if (mode == Mode::kScaled) {
      constexpr float kMost = std::numeric_limits<float>::max();
      const float by_min = lowest * range.min > 0 ? lowest / range.min : kMost;
      const float by_max = kHighest<I> * range.max > 0 ? kHighest<I> / range.max : kMost;
      scale_ = std::min(by_min, by_max);
      range_ = {lowest / scale_, kHighest<I> / scale_};
    } else if (mode == Mode::kMinCombined) {
      scale_ = static_cast<float>(
          (static_cast<double>(std::numeric_limits<I>::max()) - static_cast<double>(std::numeric_limits<I>::lowest())) /
          static_cast<double>(range.max - range.min));
    } else {
      scale_ = range.max == range.min
                   ? 0.0f
                   : static_cast<float>((kSteps<I> - 1.0) / static_cast<double>(range.max - range.min));
      first_step_ = std::round(range.min * scale_);
    }
  }

  Range range() const { return range_; }

  void run(const float* x, I* y, std::int64_t n) const {
    for (std::int64_t i = 0; i < n; ++i) y[i] = one(x[i]);
  }

 private:
  I one(float x) const {
    if (mode_ == Mode::kMinFirst) {
      // The greatest float that an int32 can be: 2^31 - 128.
      constexpr float kMost = sizeof(I) == 4 ? 0x1.fffffep30f : kHighest<I>;
      const float steps = std::round(x * scale_) - (first_step_ - kLowest<I>);
      return truncated<I>(std::min(std::max(steps, kLowest<I>), kMost));
    }
    const float inside = std::max(std::min(x, range_.max), range_.min);
    if (mode_ == Mode::kScaled)
      return truncated<I>(half_to_even_ ? std::nearbyint(inside * scale_) : std::round(inside * scale_));
    const float steps = (inside - range_.min) * scale_;
    return truncated<I>(std::is_signed_v<I> ? std::round(steps - kHalfRange<I>) : steps + 0.5f);
  }

  Mode mode_;
  bool half_to_even_;
  Range range_;
  float scale_ = 0, first_step_ = 0;
};

template <typename I>
class Dequantizer {
 public:
  Dequantizer(Mode mode, bool narrow, Range range) : only_scales_(mode == Mode::kScaled) {
    switch (mode) {
      case Mode::kMinCombined:
        scale_ = (range.max - range.min) / (kHighest<I> - kLowest<I>);
        first_ = kHalfRange<I>;
        offset_ = range.min;
        break;
      case Mode::kMinFirst: {
        scale_ = static_cast<float>(static_cast<double>(range.max - range.min) / (kSteps<I> - 1.0));
        const float rounded = range.max == range.min ? range.min : std::round(range.min / scale_) * scale_;
        offset_ = rounded - kLowest<I> * scale_;
        break;
      }
      case Mode::kScaled:
        scale_ = std::is_signed_v<I>
                     ? std::max(range.min / (kLowest<I> + (narrow ? 1.0f : 0.0f)), range.max / kHighest<I>)
                     : range.max / kHighest<I>;
        break;
    }
  }

  template <typename F>
  void run(const I* x, F* y, std::int64_t n) const {
    // Without an offset: adding 0 would take the sign off -0.
    if (only_scales_)
      for (std::int64_t i = 0; i < n; ++i) y[i] = F(static_cast<float>(x[i]) * scale_);
    else
      for (std::int64_t i = 0; i < n; ++i) y[i] = F((static_cast<float>(x[i]) + first_) * scale_ + offset_);
  }

 private:
  bool only_scales_;
  float first_ = 0, scale_ = 0, offset_ = 0;
};

// Calls f(begin, end) for the runs of slice k, in parallel.
template <typename F>
void each_run(KernelContext& c, const Slices& s, std::int64_t k, F&& f) {
  for (std::int64_t o = 0; o < s.outer; ++o) {
    const std::int64_t at = (o * s.slices + k) * s.inner;
    c.parallel_for(s.inner, 2, [&](std::int64_t begin, std::int64_t end) { f(at + begin, at + end); });
  }
}

Range range_at(const KernelContext& c, std::int64_t k) {
  return {c.input(1).data<float>()[k], c.input(2).data<float>()[k]};
}

void infer_ranges(InferContext& c) {
  const std::int64_t axis = c.attr("axis").i();
  const Shape& x = c.shape(0);
  c.set_output(0, x);
  const Shape range = axis == -1                                     ? Shape()
                      : x.has_rank() && axis < x.rank() && axis >= 0 ? Shape({x[static_cast<int>(axis)]})
                                                                     : Shape::of_rank(1);
  for (std::size_t j = 1; j < c.num_outputs(); ++j) c.set_output(j, range);
  if (c.running()) return;  // checked by the kernel, with fewer demands
  for (std::size_t i = 1; i < 3; ++i) c.require_rank(i, axis == -1 ? 0 : 1);
  merge_or_explain(c.shape(2), c.shape(1));
  if (axis < -1) invalid_argument("axis should be at least -1, got ", axis);
  if (axis == -1) return;
  constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max() - 1;
  if (axis > kLargest) invalid_argument("Attr axis has value ", axis, " out of range for an int32");
  c.require_rank_at_least(0, static_cast<int>(axis) + 1);
  if (x.has_rank())
    for (std::size_t i = 1; i < 3; ++i)
      if (c.shape(i).has_rank()) merge_dims(c.shape(i)[0], x[static_cast<int>(axis)]);
}

void check_quantize(const KernelContext& c) {
  const std::int64_t axis = c.attr("axis").i();
  const Tensor& x = c.input(0);
  if (axis < -1) invalid_argument("Axis must be at least -1. Found ", axis);
  if (axis >= x.rank())
    invalid_argument(
        "Axis is on a zero-based index, so its value must always be less than number of input's dims, but ",
        "given axis value was ", axis, " and input's dims was ", x.rank());
  constexpr std::string_view kNames[] = {"min_range", "max_range"};
  for (std::size_t i = 0; i < 2; ++i) {
    const Tensor& end = c.input(i + 1);
    if (axis == -1) {
      if (end.num_elements() != 1)
        invalid_argument("If axis is not specified, ", kNames[i],
                         " must contain a single float element, but it contains ", end.num_elements(), " elements");
      continue;
    }
    const std::string rule =
        concat("If axis is specified, ", kNames[i],
               " must be a 1-D tensor whose size matches the axis dimension of the input and output "
               "tensors, but ",
               kNames[i]);
    if (end.rank() != 1) invalid_argument(rule, " dims are ", end.rank());
    const std::int64_t size = x.dim(static_cast<int>(axis));
    if (end.dim(0) != size)
      invalid_argument(rule, " is a 1-D tensor of size ", end.dim(0), " and input's axis dimension is of size ", size);
  }
  const std::string_view rounding = c.attr("round_mode").s(), mode = c.attr("mode").s();
  if (rounding == "HALF_TO_EVEN" && mode != "SCALED")
    invalid_argument("Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '", mode, "'.");
  if (mode == "MIN_FIRST" && axis != -1 && x.dim(static_cast<int>(axis)) != 1)
    fail(ErrorKind::kUnimplemented, "MIN_FIRST mode is not implemented for Quantize with axis != -1.");
}

void quantize(KernelContext& c) {
  const Mode mode = mode_of(c);
  const bool half_to_even = c.attr("round_mode").s() == "HALF_TO_EVEN", narrow = c.attr("narrow_range").b();
  const float least = c.attr("ensure_minimum_range").f();
  const Slices s(c.input(0).shape(), c.attr("axis").i());
  const float* x = c.input(0).data<float>();
  with_quantized(c.output(0).dtype(), [&]<typename I>(I) {
    auto* out = static_cast<I*>(c.output(0).mutable_raw());
    for (std::int64_t k = 0; k < s.slices; ++k) {
      const Quantizer<I> quantizer(mode, half_to_even, narrow, range_used(range_at(c, k), least));
      each_run(c, s, k,
               [&](std::int64_t begin, std::int64_t end) { quantizer.run(x + begin, out + begin, end - begin); });
      c.output(1).mutable_data<float>()[k] = quantizer.range().min;
      c.output(2).mutable_data<float>()[k] = quantizer.range().max;
    }
  });
}

void check_dequantize(const KernelContext& c) {
  if (c.attr("dtype").type() == DType::kBFloat16 && mode_of(c) != Mode::kMinCombined)
    invalid_argument("When output type is bfloat16, Mode string must be 'MIN_COMBINED', is '", c.attr("mode").s(), "'");
  const std::int64_t axis = c.attr("axis").i();
  const Tensor& x = c.input(0);
  if (axis < -1) invalid_argument("Axis must be at least -1. Found ", axis);
  if (axis >= x.rank()) invalid_argument("Axis must be less than input dimension(", x.rank(), "), got ", axis);
  const std::int64_t slices = axis == -1 ? 1 : x.dim(static_cast<int>(axis));
  constexpr std::string_view kNames[] = {"input_min_tensor", "input_max_tensor"};
  for (std::size_t i = 0; i < 2; ++i)
    if (const std::int64_t n = c.input(i + 1).num_elements(); n != slices)
      invalid_argument(kNames[i], " must have as many elements as input on the dequantization axis (", axis, "), got ",
                       n, ", expected ", slices);
  if (slices != 1 && mode_of(c) == Mode::kMinFirst)
    fail(ErrorKind::kUnimplemented, "MIN_FIRST mode is not implemented for Dequantize with axis != -1.");
}

void dequantize(KernelContext& c) {
  const Mode mode = mode_of(c);
  const bool narrow = c.attr("narrow_range").b();
  const Slices s(c.input(0).shape(), c.attr("axis").i());
  with_quantized(c.input(0).dtype(), [&]<typename I>(I) {
    const auto* x = static_cast<const I*>(c.input(0).raw());
    for (std::int64_t k = 0; k < s.slices; ++k) {
      const Dequantizer<I> dequantizer(mode, narrow, range_at(c, k));
      each_run(c, s, k, [&](std::int64_t begin, std::int64_t end) {
        if (c.output(0).dtype() == DType::kFloat)
          dequantizer.run(x + begin, c.output(0).mutable_data<float>() + begin, end - begin);
        else
          dequantizer.run(x + begin, c.output(0).mutable_data<BFloat16>() + begin, end - begin);
      });
    }
  });
}

constexpr std::string_view kQuantized = "T: " TRACEFN_QUANTIZED,
                           kMode = "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'",
                           kNarrow = "narrow_range: bool = false", kAxis = "axis: int = -1";

}  // namespace

void register_quantized_families(Registry& r) {
  r.add(
      {.name = "QuantizeV2",
       .inputs = {"input: float", "min_range: float", "max_range: float"},
       .outputs = {"output: T", "output_min: float", "output_max: float"},
       .attrs = {kQuantized, kMode, "round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'",
                 kNarrow, kAxis, "ensure_minimum_range: float = 0.01"},
       .doc =
           "`input` as integers that divide [min_range, max_range] evenly, and the range that they have.\n\nThe range "
           "is widened to contain 0, and by ensure_minimum_range if it is empty. With an axis each slice has its own "
           "range: `min_range` and `max_range` are vectors.",
       .infer = infer_ranges,
       .check = check_quantize,
       .kernel = quantize,
       .grad = without_gradient});
  r.add({.name = "Dequantize",
         .inputs = {"input: T", "min_range: float", "max_range: float"},
         .outputs = {"output: dtype"},
         .attrs = {kQuantized, kMode, kNarrow, kAxis, "dtype: {bfloat16, float} = DT_FLOAT"},
         .doc = "The floats that the integers of QuantizeV2 stand for.",
         .infer = infer_ranges,
         .check = check_dequantize,
         .kernel = dequantize,
         .grad = without_gradient});
}

}  // namespace tracefn
