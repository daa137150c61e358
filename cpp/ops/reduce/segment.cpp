// Reductions of rows by a number for each: SegmentSum, Mean, Prod, Max, Min, whose numbers are sorted, and
// UnsortedSegmentSum, Prod, Max, Min.
#include "ops/reduce/segment.h"

#include <algorithm>
#include <vector>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/indexing.h"
#include "ops/array/row_updates.h"
#include "ops/array/rows.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/reduce/reduce.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// Nanoseconds to check an id, for the choice of slices.
constexpr double kIdCost = 2;

void infer_unsorted(InferContext& c) {
  c.require_rank(2, 0);
  const std::int64_t n = c.dim_value(2);
  const Shape& data = c.shape(0);
  const Shape& ids = c.shape(1);
  if (!data.has_rank() || !ids.has_rank()) return c.set_output(0, Shape::unknown());
  if (data.rank() < ids.rank())
    invalid_argument("Shape must be at least rank ", ids.rank(), " but is rank ", data.rank());
  for (int i = 0; i < ids.rank(); ++i)
    if (data[i] >= 0 && ids[i] >= 0 && data[i] != ids[i])
      invalid_argument("Dimensions must be equal, but are ", data[i], " and ", ids[i]);
  c.set_output(0, with_first(n, tail(data, ids.rank())));
}

void check_unsorted(const KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& ids = c.input(1);
  const Tensor& count = c.input(2);
  if (count.rank() != 0) invalid_argument("num_segments should be a scalar, not shape ", count.shape().text());
  if (!starts_with(x.shape(), ids.shape()))
    invalid_argument("data.shape = ", x.shape().text(),
                     " does not start with segment_ids.shape = ", ids.shape().text());
  if (count.int_at(0) < 0) invalid_argument("Input num_segments == ", count.int_at(0), " must not be negative.");
}

// The result for a segment without rows.
template <RowUpdate how, typename T>
constexpr auto of_no_rows() {
  using Number = decltype(compute_value(T()));
  if constexpr (how == RowUpdate::kMax) {
    return lowest_number<T>();
  } else if constexpr (how == RowUpdate::kMin) {
    return highest_number<T>();
  } else {
    return Number(how == RowUpdate::kMul ? 1 : 0);
  }
}

template <RowUpdate how>
void unsorted(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& ids = c.input(1);
  const std::int64_t limit = c.input(2).int_at(0), n = ids.num_elements();
  Tensor rows(DType::kInt64, Shape({n}));
  auto* row = rows.mutable_data<std::int64_t>();
  with_index(ids.dtype(), [&]<typename I>(std::type_identity<I>) {
    const I* id = ids.data<I>();
    in_slices(n, kIdCost, [&](std::int64_t begin, std::int64_t end) {
      bool inside = true;
      for (std::int64_t i = begin; i < end; ++i) {
        row[i] = id[i];
        inside = inside && row[i] < limit;
      }
      if (inside) return;
      const std::int64_t i = std::find_if(row + begin, row + end, [&](std::int64_t v) { return v >= limit; }) - row;
      invalid_argument("segment_ids", place_text(ids.shape(), i), " = ", row[i], " is out of range [0, ", limit, ")");
    });
  });
  Tensor& out = c.output(0);
  Tensor sums = wide_output(out);
  auto fill = [&]<typename T>(std::type_identity<T>) {
    const auto value = of_no_rows<how, T>();
    using Number = std::remove_cv_t<decltype(value)>;
    fill_polled(sums.mutable_data<Number>(), sums.num_elements(), value);
  };
  if constexpr (how == RowUpdate::kMax || how == RowUpdate::kMin) {
    with_number(x.dtype(), fill);
  } else {
    with_any_number(x.dtype(), fill);
  }
  update_rows(c, how, sums, x, {n, row, nullptr, tail(x.shape(), ids.rank()).num_elements()});
  round_output(sums, out);
}

void infer_sorted(InferContext& c) {
  c.require_rank(1, 1);
  c.require_rank_at_least(0, 1);
  c.set_output(0, c.shape(0).has_rank() ? with_first(kUnknownDim, tail(c.shape(0), 1)) : Shape::unknown());
}

// The rows at which another segment begins, and the number of rows.
std::vector<std::int64_t> begins_of(const Tensor& ids, std::int64_t segments) {
  std::vector<std::int64_t> begins;
  const std::int64_t n = ids.num_elements();
  with_index(ids.dtype(), [&]<typename I>(std::type_identity<I>) {
    const I* id = ids.data<I>();
    in_slices(n, kIdCost, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        if (i > 0 && id[i] == id[i - 1]) continue;
        if (i > 0) check_segment_end(id[i - 1], id[i], segments);
        begins.push_back(i);
      }
    });
    if (n > 0) check_segment_end(id[n - 1], INT64_MAX, segments);
  });
  begins.push_back(n);
  return begins;
}

// Longer segments are reduced by several threads each.
constexpr std::int64_t kLongSegment = 1 << 16;
constexpr std::int64_t kSegmentPiece = 1024;

// Reduces each segment of x, n rows of `inner` elements, into the row of `out` that its id names.
void reduce_segments(const KernelContext& c, ReduceFunction function, const Tensor& x, const Tensor& ids,
                     const std::vector<std::int64_t>& begins, std::int64_t inner, Tensor& out) {
  const ReduceKernel& kernel = kernel_table().array.reduce[function][slot(x.dtype())];
  if (!kernel.rows) no_kernel();
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const char* from = x.data<char>();
  char* to = out.mutable_data<char>();
  const auto segments = static_cast<std::int64_t>(begins.size()) - 1;
  auto begin_of = [&](std::int64_t s) { return begins[static_cast<std::size_t>(s)]; };
  auto is_long = [&](std::int64_t s) { return (begin_of(s + 1) - begin_of(s)) * inner > kLongSegment; };
  auto row_of = [&](std::int64_t s) { return to + index_at(ids, begin_of(s)) * inner * size; };
  for (std::int64_t s = 0; s < segments; ++s)
    if (is_long(s))
      reduce_leading(c, kernel, from + begin_of(s) * inner * size, size, begin_of(s + 1) - begin_of(s), inner,
                     row_of(s));
  const double cost = 20 + 0.3 * static_cast<double>(x.num_elements() / std::max<std::int64_t>(segments, 1));
  c.parallel_for(segments, cost, [&](std::int64_t first, std::int64_t last) {
    alignas(16) char acc[kSegmentPiece * 16];
    PolledSteps polled;
    for (std::int64_t s = first; s < last; ++s, polled.step()) {
      if (is_long(s)) continue;
      const std::int64_t n = begin_of(s + 1) - begin_of(s);
      const char* rows = from + begin_of(s) * inner * size;
      char* y = row_of(s);
      if (inner == 1) {
        kernel.rows(rows, 1, n, acc);
        kernel.finish(acc, 1, n, y);
        continue;
      }
      for (std::int64_t j = 0; j < inner; j += kSegmentPiece) {
        const std::int64_t k = std::min(kSegmentPiece, inner - j);
        kernel.columns(rows + j * size, n, inner, k, acc);
        kernel.finish(acc, k, n, y + j * size);
      }
    }
  });
}

template <ReduceFunction function>
void sorted(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& ids = c.input(1);
  if (x.rank() < 1) invalid_argument("input must be at least rank 1");
  if (ids.rank() != 1) invalid_argument("segment_ids should be a vector.");
  const std::int64_t n = ids.num_elements();
  if (n != x.dim(0)) invalid_argument("segment_ids should be the same size as dimension 0 of input.");
  const std::int64_t last = n == 0 ? -1 : index_at(ids, n - 1);
  if (n > 0 && last < 0) invalid_argument("segment ids must be >= 0");
  if (last == INT64_MAX) invalid_argument("Expected a non-negative size, got ", INT64_MIN);
  const std::vector<std::int64_t> begins = begins_of(ids, last + 1);
  const Shape row = tail(x.shape(), 1);
  const bool all = static_cast<std::int64_t>(begins.size()) - 1 == last + 1;
  Tensor& out = c.allocate_output(0, x.dtype(), with_first(last + 1, row));
  if (out.num_elements() == 0) return;
  if (!all && function == kReduceProd) {
    with_any_number(x.dtype(), [&]<typename T>(std::type_identity<T>) {
      fill_polled(out.mutable_data<T>(), out.num_elements(), static_cast<T>(1));
    });
  } else if (!all) {
    out.fill_zeros();
  }
  reduce_segments(c, function, x, ids, begins, row.num_elements(), out);
}

Operand first_axis() { return build::scalar(DType::kInt32, 0); }
Operand rows_at(const Operand& x, const Operand& ids) { return emit1("GatherV2", {x, ids, first_axis()}); }

// Ids that count as segments, and the rows that they name: rows of negative ids are zeros.
struct KeptRows {
  Operand ids, kept;

  explicit KeptRows(const Operand& all)
      : ids(emit1("Maximum", {all, build::zeros_like(all)})),
        kept(emit1("GreaterEqual", {all, build::zeros_like(all)})) {}

  // A bool for each row of `rows`, with as many dimensions, so that a select works by row.
  Operand mask(const Operand& rows) const {
    Operand sizes = emit1("StridedSlice",
                          {build::shape_of(rows), emit1("ExpandDims", {emit1("Rank", {kept}), first_axis()}),
                           build::ints({0}), build::ints({1})},
                          {{"end_mask", 1}});
    return build::reshape(kept, emit1("ConcatV2", {build::shape_of(kept), build::ones_like(sizes), first_axis()}));
  }
  Operand at(const Operand& x) const { return rows_at(x, ids); }
  Operand of(const Operand& x) const {
    Operand rows = at(x);
    return build::select(mask(rows), rows, build::zeros_like(rows));
  }
};

Operand unsorted_sum(const GradContext& c, const Operand& x) {
  return emit1("UnsortedSegmentSum", {x, c.input(1), c.input(2)});
}

// Each row's gradient is its segment's; skipped rows have none.
void grad_unsorted_sum(GradContext& c) { c.to_input(0, KeptRows(c.input(1)).of(c.dy(0))); }

// The elements that equal their segment's extreme share its gradient.
void grad_unsorted_extreme(GradContext& c) {
  const KeptRows rows(c.input(1));
  Operand extremes = rows.of(c.output(0));
  Operand chosen = emit1("LogicalAnd", {emit1("Equal", {c.input(0), extremes}), rows.mask(extremes)});
  Operand shared = c.dy(0) / unsorted_sum(c, build::cast(chosen, c.dy(0).dtype()));
  Operand dx = rows.of(shared);
  c.to_input(0, build::select(chosen, dx, build::zeros_like(dx)));
}

void grad_segment_extreme(GradContext& c) {
  const Operand& x = c.input(0);
  const Operand& ids = c.input(1);
  Operand chosen = emit1("Equal", {x, rows_at(c.output(0), ids)});
  Operand count = emit1("SegmentSum", {build::cast(chosen, c.dy(0).dtype()), ids});
  c.to_input(0, build::select(chosen, rows_at(c.dy(0) / count, ids), build::zeros_like(x)));
}

// The product of the others: the product divided by the element; for the only zero of a segment, the product of all
// but the zeros; nothing if there are more. `sums` and `products` reduce rows, `at` spreads results to rows, `gradient`
// does that for dy.
template <typename Sums, typename Products, typename At, typename Spread>
void grad_segment_product(GradContext& c, const Sums& sums, const Products& products, const At& at,
                          const Spread& gradient) {
  const Operand& x = c.input(0);
  Operand is_zero = emit1("Equal", {x, build::zeros_like(x)});
  Operand zeros = sums(build::cast(is_zero, DType::kInt32));
  Operand several = emit1("Greater", {zeros, build::scalar(DType::kInt32, 1)});
  Operand dy = build::select(several, build::zeros_like(c.dy(0)), c.dy(0));
  Operand others = build::select(is_zero, build::ones_like(x), x);
  Operand partial = build::select(is_zero, at(products(others)), at(c.output(0)) / others);
  c.to_input(0, gradient(dy) * partial);
}

void grad_sorted_product(GradContext& c) {
  const Operand& ids = c.input(1);
  const auto at = [&](const Operand& y) { return rows_at(y, ids); };
  grad_segment_product(
      c,
      [&](const Operand& x) {
        return emit1("SegmentSum", {x, ids});
      },
      [&](const Operand& x) {
        return emit1("SegmentProd", {x, ids});
      },
      at, at);
}

void grad_unsorted_product(GradContext& c) {
  const KeptRows rows(c.input(1));
  grad_segment_product(
      c, [&](const Operand& x) { return unsorted_sum(c, x); },
      [&](const Operand& x) {
        return emit1("UnsortedSegmentProd", {x, c.input(1), c.input(2)});
      },
      [&](const Operand& y) { return rows.at(y); }, [&](const Operand& dy) { return rows.of(dy); });
}

void grad_segment_sum(GradContext& c) { c.to_input(0, rows_at(c.dy(0), c.input(1))); }

void grad_segment_mean(GradContext& c) {
  const Operand& ids = c.input(1);
  Operand one = build::scalar(DType::kInt32, 1);
  // A one for each row, with as many dimensions as x.
  Operand rest = emit1("Fill", {emit1("ExpandDims", {emit1("Rank", {c.input(0)}) - one, first_axis()}), one});
  Operand shape = emit1("ConcatV2", {build::shape_of(ids), rest, first_axis()});
  Operand ones = emit1("Fill", {shape, build::scalar(c.dy(0).dtype(), 1)});
  c.to_input(0, rows_at(c.dy(0) / emit1("SegmentSum", {ones, ids}), ids));
}

constexpr std::string_view kNumbers = "T: " TRACEFN_NUMBERS, kReals = "T: " TRACEFN_REAL_NUMBERS;

OpRecord sorted_record(std::string_view name, std::string_view python, std::string_view types, std::string_view doc,
                       KernelFn kernel, GradFn grad) {
  return {.name = name,
          .python = python,
          .inputs = {"data: T", "segment_ids: Tindices"},
          .outputs = {"output: T"},
          .attrs = {types, "Tindices: {int32, int64}"},
          .doc = doc,
          .infer = infer_sorted,
          .kernel = kernel,
          .allocation = Allocation::kByValues,
          .grad = grad};
}

OpRecord unsorted_record(std::string_view name, std::string_view python, std::string_view types, std::string_view doc,
                         KernelFn kernel, GradFn grad) {
  return {.name = name,
          .python = python,
          .inputs = {"data: T", "segment_ids: Tindices", "num_segments: Tnumsegments"},
          .outputs = {"output: T"},
          .attrs = {types, "Tindices: {int32, int64}", "Tnumsegments: {int32, int64} = DT_INT32"},
          .doc = doc,
          .infer = infer_unsorted,
          .check = check_unsorted,
          .kernel = kernel,
          .grad = grad};
}

}  // namespace

void register_segment(Registry& r) {
  r.add(sorted_record(
      "SegmentSum", "math.segment_sum(data, segment_ids)", kNumbers,
      "The sums of the rows of `data` by segment: row i of the result is the sum of the rows with segment id i; zeros "
      "if there are none.\n\nRaises InvalidArgumentError if the ids are not sorted or one is negative.",
      sorted<kReduceSum>, grad_segment_sum));
  r.add(sorted_record(
      "SegmentMean", "math.segment_mean(data, segment_ids)", kNumbers,
      "The means of the rows of `data` by segment: row i of the result is the mean of the rows with segment id i, "
      "truncated for integers; zeros if there are none.\n\nRaises InvalidArgumentError if the ids are not sorted or "
      "one is negative.",
      sorted<kReduceMean>, grad_segment_mean));
  r.add(sorted_record(
      "SegmentProd", "math.segment_prod(data, segment_ids)", kNumbers,
      "The products of the rows of `data` by segment: row i of the result is the product of the rows with segment id "
      "i; ones if there are none.\n\nRaises InvalidArgumentError if the ids are not sorted or one is negative.",
      sorted<kReduceProd>, grad_sorted_product));
  r.add(sorted_record(
      "SegmentMax", "math.segment_max(data, segment_ids)", kReals,
      "The maxima of the rows of `data` by segment: row i of the result is the maximum of the rows with segment id i, "
      "NaN where one of them is; zeros if there are none.\n\nRaises InvalidArgumentError if the ids are not sorted or "
      "one is negative.",
      sorted<kReduceMax>, grad_segment_extreme));
  r.add(sorted_record(
      "SegmentMin", "math.segment_min(data, segment_ids)", kReals,
      "The minima of the rows of `data` by segment: row i of the result is the minimum of the rows with segment id i, "
      "NaN where one of them is; zeros if there are none.\n\nRaises InvalidArgumentError if the ids are not sorted or "
      "one is negative.",
      sorted<kReduceMin>, grad_segment_extreme));

  OpRecord sums = unsorted_record(
      "UnsortedSegmentSum", "math.unsorted_segment_sum(data, segment_ids, num_segments)", kNumbers,
      "The sums of the rows of `data` by segment: row i of the result is the sum of the rows with segment id i; zeros "
      "if there are none.\n\nRows with a negative id are dropped. Raises InvalidArgumentError if an id is not less "
      "than "
      "num_segments.",
      unsorted<RowUpdate::kAdd>, grad_unsorted_sum);
  sums.attrs[1] = "Tindices: {int16, int32, int64}";
  r.add(sums);
  r.add(unsorted_record(
      "UnsortedSegmentProd", "math.unsorted_segment_prod(data, segment_ids, num_segments)", kNumbers,
      "The products of the rows of `data` by segment: row i of the result is the product of the rows with segment id "
      "i; ones if there are none.\n\nRows with a negative id are dropped. Raises InvalidArgumentError if an id is not "
      "less than num_segments.",
      unsorted<RowUpdate::kMul>, grad_unsorted_product));
  r.add(unsorted_record(
      "UnsortedSegmentMax", "math.unsorted_segment_max(data, segment_ids, num_segments)", kReals,
      "The maxima of the rows of `data` by segment: row i of the result is the maximum of the rows with segment id i, "
      "NaN where one of them is; the lowest number if there are none.\n\nRows with a negative id are dropped. Raises "
      "InvalidArgumentError if an id is not less than num_segments.",
      unsorted<RowUpdate::kMax>, grad_unsorted_extreme));
  r.add(unsorted_record(
      "UnsortedSegmentMin", "math.unsorted_segment_min(data, segment_ids, num_segments)", kReals,
      "The minima of the rows of `data` by segment: row i of the result is the minimum of the rows with segment id i, "
      "NaN where one of them is; the highest number if there are none.\n\nRows with a negative id are dropped. Raises "
      "InvalidArgumentError if an id is not less than num_segments.",
      unsorted<RowUpdate::kMin>, grad_unsorted_extreme));
}

}  // namespace tracefn
