// RaggedRange: a range of numbers for each row.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/ragged/ragged.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void infer_range(InferContext& c) {
  std::int64_t rows = 1;
  bool known = true, is_vector = false;
  for (std::size_t i = 0; i < 3; ++i) {
    const Shape& shape = c.shape(i);
    if (shape.has_rank() && shape.rank() > 1)
      invalid_argument("Shape must be at most rank 1 but is rank ", shape.rank());
    if (!shape.has_rank()) known = false;
    if (!shape.has_rank() || shape.rank() == 0) continue;
    rows = is_vector ? merge_dims(rows, shape[0]) : shape[0];
    is_vector = true;
  }
  if (!known && !is_vector) rows = kUnknownDim;
  c.set_output(0, Shape({rows < -1 || rows == kUnknownDim ? kUnknownDim : rows + 1}));
  c.set_output(1, Shape({kUnknownDim}));
}

// How many numbers lie between start and limit, in steps of delta.
template <typename T>
std::int64_t range_size(T from, T to, T by) {
  const auto start = compute_value(from), limit = compute_value(to), delta = compute_value(by);
  if (delta == 0) invalid_argument("Requires delta != 0");
  if (delta > 0 ? limit < start : limit > start) return 0;
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    const U distance =
        delta > 0 ? static_cast<U>(limit) - static_cast<U>(start) : static_cast<U>(start) - static_cast<U>(limit);
    const U step = delta > 0 ? static_cast<U>(delta) : U(0) - static_cast<U>(delta);
    const U size = distance / step + (distance % step != 0);
    if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      invalid_argument("Requires ((limit - start) / delta) <= ", std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(size);
  } else {
    const double size = std::ceil(std::abs(static_cast<double>((limit - start) / delta)));
    if (!(size < 0x1p63))
      invalid_argument("Requires ((limit - start) / delta) <= ", std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(size);
  }
}

template <typename T>
void write_range(T start, T delta, std::int64_t n, T* out) {
  in_slices(n, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        out[i] = static_cast<T>(static_cast<U>(start) + static_cast<U>(i) * static_cast<U>(delta));
      } else {
        out[i] = start;
        start = static_cast<T>(compute_value(start) + compute_value(delta));
      }
    }
  });
}

void ragged_range(KernelContext& c) {
  constexpr const char* kNames[] = {"starts", "limits", "deltas"};
  std::int64_t rows = -1;
  for (std::size_t i = 0; i < 3; ++i) {
    const Tensor& x = c.input(i);
    if (x.rank() > 1) invalid_argument(kNames[i], " must be a scalar or vector");
    if (x.rank() == 0) continue;
    if (rows >= 0 && x.dim(0) != rows) invalid_argument("starts, limits, and deltas must have the same shape");
    rows = x.dim(0);
  }
  if (rows < 0) rows = 1;
  const DType splits_type = c.attr("Tsplits").type();
  const std::int64_t most = splits_type == DType::kInt32 ? std::numeric_limits<std::int32_t>::max()
                                                         : std::numeric_limits<std::int64_t>::max();
  Splits splits(static_cast<std::size_t>(rows) + 1);
  auto compute = [&]<typename T>(std::type_identity<T>) {
    auto value = [&](std::size_t i, std::int64_t row) {
      return c.input(i).data<T>()[c.input(i).rank() == 0 ? 0 : row];
    };
    in_slices(rows, 5, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t size = range_size(value(0, i), value(1, i), value(2, i));
        auto at = static_cast<std::size_t>(i);
        if (size > most - splits[at])
          invalid_argument(
              "The total range size overflowed. Consider using int64 instead of int32 for "
              "row_splits_dtype.");
        splits[at + 1] = splits[at] + size;
      }
    });
    Tensor& out = c.allocate_output(1, c.input(0).dtype(), Shape({splits.back()}));
    PolledSteps polled;
    for (std::int64_t i = 0; i < rows; ++i, polled.step()) {
      const std::int64_t from = splits[static_cast<std::size_t>(i)];
      write_range(value(0, i), value(2, i), splits[static_cast<std::size_t>(i) + 1] - from,
                  out.mutable_data<T>() + from);
    }
  };
  switch (c.input(0).dtype()) {
    case DType::kInt32:
      compute(std::type_identity<std::int32_t>());
      break;
    case DType::kInt64:
      compute(std::type_identity<std::int64_t>());
      break;
    default:
      with_float(c.input(0).dtype(), compute);
  }
  write_numbers(splits, c.allocate_output(0, splits_type, Shape({rows + 1})));
}

}  // namespace

void register_ragged_range(Registry& r) {
  r.add({.name = "RaggedRange",
         .inputs = {"starts: T", "limits: T", "deltas: T"},
         .outputs = {"rt_nested_splits: Tsplits", "rt_dense_values: T"},
         .attrs = {"T: {bfloat16, float, double, int32, int64} = DT_INT32", "Tsplits: {int32, int64} = DT_INT64"},
         .doc = "A range of numbers for each row, as row splits and values.\n\nRow i counts from starts[i] in steps of "
                "deltas[i], and ends before limits[i]. A scalar serves all rows. Raises InvalidArgumentError if a step "
                "is 0, or the vectors have different lengths.",
         .infer = infer_range,
         .kernel = ragged_range,
         .allocation = Allocation::kByValues,
         .grad = not_differentiable});
}

}  // namespace tracefn
