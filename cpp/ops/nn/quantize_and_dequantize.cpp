// QuantizeAndDequantize in its versions: numbers rounded to multiples of a step, chosen so that a range becomes that of
// integers of num_bits bits.
#include <cmath>
#include <limits>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/no_kernel.h"
#include "ops/quantized/slices.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

void infer_range(InferContext& c, std::size_t first) {
  const std::int64_t axis = c.attr("axis").i();
  const Shape& x = c.shape(first);
  c.set_output(0, x);
  if (c.running()) return;  // checked by the kernel, with fewer demands
  const int rank = axis == -1 ? 0 : 1;
  c.require_rank(first + 1, rank);
  const Shape min = c.shape(first + 1).has_rank() ? c.shape(first + 1) : Shape::of_rank(rank);
  const Shape range = merge_or_explain(c.shape(first + 2), min);
  if (axis < -1) invalid_argument("axis should be at least -1, got ", axis);
  if (axis != -1) {
    if (axis < kMaxRank) c.require_rank_at_least(first, static_cast<int>(axis) + 1);
    if (x.has_rank() && axis < x.rank()) merge_dims(range[0], x[static_cast<int>(axis)]);
  }
  for (std::size_t j = 1; j < c.num_outputs(); ++j) c.set_output(j, range);
}

void infer_quantize(InferContext& c) { infer_range(c, 0); }

bool has_input_bits(const KernelContext& c) { return c.num_inputs() == 4; }

std::int64_t bits_of(const KernelContext& c) {
  const bool given = has_input_bits(c), is_signed = c.attr("signed_input").b();
  if (given && c.input(3).rank() != 0)
    invalid_argument("Invalid shape. The `num_bits` tensor should be a scalar. Got dimensions: ", c.input(3).rank());
  const std::int64_t bits = given ? c.input(3).int_at(0) : c.attr("num_bits").i();
  if (bits <= 0 || bits >= (is_signed ? 62 : 63))
    invalid_argument("num_bits is out of range: ", bits, given ? " with `signed_input_` " : " with signed_input_ ",
                     is_signed ? 1 : 0);
  return bits;
}

// The words of the second and fourth versions; the third one, whose axis may be any, takes a range for each slice.
void check_axis(const KernelContext& c, std::int64_t axis) {
  const int rank = c.input(0).rank();
  if (has_input_bits(c)) {
    if (axis < -1 || axis >= rank)
      invalid_argument("Axis requested is larger than input dimensions. Axis: ", axis, " Input Dimensions: ", rank);
    return;
  }
  if (axis < -1) invalid_argument("Axis must be at least -1. Found ", axis);
  if (axis >= rank) invalid_argument("Shape must be at least rank ", axis + 1, " but is rank ", rank);
}

void check_given_range(const KernelContext& c, std::int64_t axis) {
  constexpr std::string_view kNames[] = {"input_min", "input_max"};
  const bool third = has_input_bits(c);
  for (std::size_t i = 0; i < 2; ++i) {
    const Tensor& end = c.input(i + 1);
    if (!third && end.rank() != 0) invalid_argument(kNames[i], " must be a scalar.");
    if (axis == -1 && end.num_elements() != 1) invalid_argument(kNames[i], " must be a scalar if axis is unspecified");
  }
  if (axis == -1) return;
  for (std::size_t i = 0; i < 2; ++i) {
    const Tensor& end = c.input(i + 1);
    if (end.rank() != 1) invalid_argument("Shape must be rank 1 for ", kNames[i], "_tensor when the axis is specified");
    const std::int64_t size = c.input(0).dim(static_cast<int>(axis));
    if (end.dim(0) != size)
      invalid_argument(kNames[i], "_tensor has incorrect size, was ", end.dim(0), " expected ", size, " to match dim ",
                       axis, " of the input ", end.shape().text());
  }
}

// The integers that a range is mapped to.
struct Integers {
  double lowest, highest;
};

Integers integers_of(const KernelContext& c, std::int64_t bits) {
  const auto power = [](std::int64_t n) { return static_cast<double>(std::int64_t{1} << n); };
  if (!c.attr("signed_input").b()) return {0, power(bits) - 1};
  return {-power(bits - 1) + (c.attr("narrow_range").b() ? 1 : 0), power(bits - 1) - 1};
}

// Multiplies by `scale`, which keeps 0 and maps the range to the integers and not beyond them, and back.
template <typename T>
struct Scaled {
  T min, max, scale, inverse;

  Scaled(T low, T high, const Integers& integers) : min(low), max(high) {
    const auto lowest = static_cast<T>(integers.lowest), highest = static_cast<T>(integers.highest);
    constexpr T kMost = std::numeric_limits<T>::max();
    const T by_min = lowest * min > 0 ? lowest / min : kMost;
    const T by_max = highest * max > 0 ? highest / max : kMost;
    if (by_min < by_max) {
      scale = by_min;
      inverse = min / lowest;
      max = highest * inverse;
    } else {
      scale = by_max;
      inverse = max / highest;
      min = lowest * inverse;
    }
  }
};

template <typename T>
void quantize_run(const Scaled<T>& s, bool clamps, bool half_up, const T* from, T* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    T x = from[i];
    if (clamps) {
      x = x > s.max ? s.max : x;
      x = x < s.min ? s.min : x;
    }
    const T scaled = x * s.scale;
    to[i] = (half_up ? std::floor(scaled + T(0.5)) : std::nearbyint(scaled)) * s.inverse;
  }
}

template <typename T>
std::pair<T, T> range_of_slice(const T* x, const Slices& s, std::int64_t slice) {
  T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::lowest();
  for (std::int64_t o = 0; o < s.outer; ++o) {
    const T* run = x + (o * s.slices + slice) * s.inner;
    in_slices(s.inner, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        low = std::min(low, run[i]);
        high = std::max(high, run[i]);
      }
    });
  }
  return {low, high};
}

template <typename T>
void quantize_slices(KernelContext& c, std::int64_t bits) {
  const Slices s(c.input(0).shape(), c.attr("axis").i());
  const bool given = c.attr("range_given").b();
  const bool half_up = !has_input_bits(c) && c.attr("round_mode").s() == "HALF_UP";
  const Integers integers = integers_of(c, bits);
  const T* x = c.input(0).data<T>();
  T* out = c.output(0).mutable_data<T>();
  if (c.output(0).num_elements() == 0) return;
  PolledSteps polled;
  for (std::int64_t k = 0; k < s.slices; ++k, polled.step()) {
    const auto [low, high] =
        given ? std::pair(c.input(1).data<T>()[k], c.input(2).data<T>()[k]) : range_of_slice(x, s, k);
    if (given && low > high) invalid_argument("Invalid range: input_min ", low, " > input_max ", high);
    const Scaled<T> scaled(low, high, integers);
    for (std::int64_t o = 0; o < s.outer; ++o) {
      const std::int64_t at = (o * s.slices + k) * s.inner;
      c.parallel_for(s.inner, 3, [&](std::int64_t begin, std::int64_t end) {
        quantize_run(scaled, given, half_up, x + at + begin, out + at + begin, end - begin);
      });
      polled.step();
    }
  }
}

// Calls f(T()) for the types that TensorFlow has kernels for.
template <typename F>
void with_wide_float(const KernelContext& c, F&& f) {
  switch (c.input(0).dtype()) {
    case DType::kFloat:
      return f(float());
    case DType::kDouble:
      return f(double());
    default:
      no_kernel();
  }
}

void check_quantize(const KernelContext& c) {
  const std::int64_t axis = c.attr("axis").i();
  with_wide_float(c, [](auto) {});
  if (!has_input_bits(c)) {
    if (axis < -1) check_axis(c, axis);
    bits_of(c);
  }
  check_axis(c, axis);
  if (has_input_bits(c)) bits_of(c);
  if (c.attr("range_given").b()) check_given_range(c, axis);
}

void quantize(KernelContext& c) {
  with_wide_float(c, [&]<typename T>(T) { quantize_slices<T>(c, bits_of(c)); });
}

// The gradient passes a number that is in the range. The range gets none.

void infer_gradient(InferContext& c) {
  infer_range(c, 1);
  if (!c.running()) return;
  for (std::size_t j = 1; j < 3; ++j) c.set_output(j, c.shape(j + 1));
}

void check_gradient(const KernelContext& c) {
  with_wide_float(c, [](auto) {});
  const std::int64_t axis = c.attr("axis").i();
  const Tensor& x = c.input(1);
  if (axis < -1) invalid_argument("Axis must be at least -1. Found ", axis);
  if (!(c.input(0).shape() == x.shape())) invalid_argument("gradient and input must be the same size");
  if (axis != -1 && axis >= x.rank())
    invalid_argument("Axis should be -1 or 0 or a positive value less than ", x.rank(), "but given axis value was ",
                     axis);
  constexpr std::string_view kNames[] = {"min", "max"};
  for (std::size_t i = 0; i < 2; ++i)
    if (const int rank = c.input(i + 2).rank(); rank > 1)
      invalid_argument("Input ", kNames[i], " tensor must have dimension 0 or 1. Received ", rank, ".");
  for (std::size_t i = 0; i < 2; ++i) {
    const Tensor& end = c.input(i + 2);
    if (axis == -1) {
      if (end.rank() != 0) invalid_argument("input_", kNames[i], " must be a scalar if axis is unspecified");
      continue;
    }
    if (end.rank() != 1)
      invalid_argument("Shape must be rank 1 for input_", kNames[i], "_tensor when the axis is specified");
    const std::int64_t size = x.dim(static_cast<int>(axis));
    if (end.dim(0) != size) invalid_argument(kNames[i], " has incorrect size, expected ", size, " was ", end.dim(0));
  }
}

void quantize_gradient(KernelContext& c) {
  with_wide_float(c, [&]<typename T>(T) {
    const Slices s(c.input(1).shape(), c.attr("axis").i());
    const T *dy = c.input(0).data<T>(), *x = c.input(1).data<T>();
    T* dx = c.output(0).mutable_data<T>();
    for (std::int64_t run = 0; run < s.outer * s.slices; ++run) {
      const T min = c.input(2).data<T>()[run % s.slices], max = c.input(3).data<T>()[run % s.slices];
      in_slices(run * s.inner, (run + 1) * s.inner, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) dx[i] = dy[i] * (x[i] >= min && x[i] <= max ? T(1) : T(0));
      });
    }
    c.output(1).fill_zeros();
    c.output(2).fill_zeros();
  });
}

void grad_straight_through(GradContext& g) { g.to_input(0, g.dy(0)); }

void grad_in_range(GradContext& g) {
  Operand args[] = {g.dy(0), g.input(0), g.input(1), g.input(2)};
  Operands parts = emit_all("QuantizeAndDequantizeV4Grad", args, {{"axis", g.attr("axis").i()}});
  for (std::size_t i = 0; i < 3; ++i) g.to_input(i, parts[i]);
}

// It is linear in the gradients.
void grad_of_gradient(GradContext& g) {
  Operand args[] = {g.dy(0), g.input(1), g.input(2), g.input(3)};
  g.to_input(0, emit_all("QuantizeAndDequantizeV4Grad", args, {{"axis", g.attr("axis").i()}})[0]);
}

constexpr std::string_view kTypes = "T: {bfloat16, half, float, double}", kSigned = "signed_input: bool = true",
                           kNumBits = "num_bits: int = 8", kNotGiven = "range_given: bool = false",
                           kRounding = "round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'",
                           kNarrowRange = "narrow_range: bool = false", kAxis = "axis: int = -1";

OpRecord version(std::string_view name, std::string_view doc, GradFn grad) {
  return {.name = name,
          .inputs = {"input: T", "input_min: T", "input_max: T"},
          .outputs = {"output: T"},
          .attrs = {kSigned, kNumBits, kNotGiven, kTypes, kRounding, kNarrowRange, kAxis},
          .doc = doc,
          .infer = infer_quantize,
          .check = check_quantize,
          .kernel = quantize,
          .grad = grad};
}

}  // namespace

void register_quantize_and_dequantize(Registry& r) {
  r.add(version("QuantizeAndDequantizeV2",
                "`input` rounded to the multiples of a step that integers of num_bits bits can count, and clamped to "
                "their range.\n\nThe step follows from [input_min, input_max] if range_given, else from the least and "
                "the greatest number of `input`, or of each slice along `axis`, unless it is -1. The gradient is that "
                "of the identity.",
                grad_straight_through));
  r.add(version("QuantizeAndDequantizeV4",
                "QuantizeAndDequantizeV2 with a gradient that is 0 outside of [input_min, input_max].", grad_in_range));
  r.add({.name = "QuantizeAndDequantizeV3",
         .inputs = {"input: T", "input_min: T", "input_max: T", "num_bits: int32"},
         .outputs = {"output: T"},
         .attrs = {kSigned, "range_given: bool = true", kTypes, kNarrowRange, kAxis},
         .doc = "QuantizeAndDequantizeV2 with a tensor `num_bits`, a scalar.",
         .infer = infer_quantize,
         .check = check_quantize,
         .kernel = quantize,
         .grad = grad_straight_through});
  r.add({.name = "QuantizeAndDequantizeV4Grad",
         .inputs = {"gradients: T", "input: T", "input_min: T", "input_max: T"},
         .outputs = {"input_backprop: T", "input_min_backprop: T", "input_max_backprop: T"},
         .attrs = {kTypes, kAxis},
         .doc = "The gradient of QuantizeAndDequantizeV4: `gradients` where `input` is in the range, else 0; and zeros "
                "for the range.",
         .infer = infer_gradient,
         .check = check_gradient,
         .kernel = quantize_gradient,
         .grad = grad_of_gradient});
}

}  // namespace tracefn
