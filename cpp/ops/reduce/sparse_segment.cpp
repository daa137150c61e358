// Sums, means and scaled sums of picked rows by a sorted number for each: SparseSegmentSum, Mean, SqrtN, with a number
// of segments or without, and their gradients.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/row_updates.h"
#include "ops/array/rows.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/reduce/segment.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// Nanoseconds to check an index, for the choice of slices.
constexpr double kIndexCost = 2;

// What the sum of a segment of n rows is divided by: 1, n, or the square root of n.
enum class Norm { kNone, kMean, kSqrtN };

double divisor(Norm norm, std::int64_t n) {
  const auto count = static_cast<double>(std::max<std::int64_t>(n, 1));
  return norm == Norm::kMean ? count : norm == Norm::kSqrtN ? std::sqrt(count) : 1;
}

// Row i of x, which has floats for 16-bit floats, divided by divisor(norm, counts[i]).
void divide_rows(const KernelContext& c, Norm norm, const std::vector<std::int64_t>& counts, std::int64_t row,
                 Tensor& x) {
  if (norm == Norm::kNone) return;
  with_float(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      T* y = x.mutable_data<T>();
      c.parallel_for(static_cast<std::int64_t>(counts.size()), 5 + static_cast<double>(row),
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t i = begin; i < end; ++i) {
                         const T by = static_cast<T>(divisor(norm, counts[static_cast<std::size_t>(i)]));
                         for (std::int64_t k = 0; k < row; ++k) y[i * row + k] /= by;
                       }
                     });
    }
  });
}

// The elements of an integer vector as int64, each of which `check(value, place)` has accepted.
template <typename Check>
Tensor checked_rows(const Tensor& indices, const Check& check) {
  const std::int64_t n = indices.num_elements();
  Tensor rows(DType::kInt64, Shape({n}));
  auto* row = rows.mutable_data<std::int64_t>();
  with_index(indices.dtype(), [&]<typename I>(std::type_identity<I>) {
    const I* index = indices.data<I>();
    in_slices(n, kIndexCost, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        check(static_cast<std::int64_t>(index[i]), i);
        row[i] = index[i];
      }
    });
  });
  return rows;
}

void check_vectors(const Tensor& indices, const Tensor& ids) {
  if (indices.rank() != 1) invalid_argument("indices should be a vector.");
  if (ids.rank() != 1) invalid_argument("segment_ids should be a vector.");
  if (indices.num_elements() != ids.num_elements()) invalid_argument("segment_ids and indices should have same size.");
}

void infer_sparse_segment(InferContext& c) {
  c.require_rank_at_least(0, 1);
  c.require_rank(1, 1);
  c.require_rank(2, 1);
  std::int64_t n = kUnknownDim;
  if (c.num_inputs() > 3) {
    c.require_rank(3, 0);
    n = c.dim_value(3);
  }
  c.set_output(0, with_first(n, tail(c.shape(0), 1)));
}

void check_reduction(const KernelContext& c) {
  if (c.input(0).rank() < 1) invalid_argument("Shape must be at least rank 1");
  check_vectors(c.input(1), c.input(2));
}

void check_counted(const KernelContext& c) {
  const Tensor& count = c.input(3);
  if (count.rank() != 0) invalid_argument("num_segments should be a scalar, not shape ", count.shape().text());
  check_reduction(c);
  if (index_at(count, 0) < 0) invalid_argument("segment ids must be >= 0");
}

// One more than the last id.
std::int64_t segments_of(const Tensor& ids) {
  const std::int64_t n = ids.num_elements();
  if (n == 0) return 0;
  const std::int64_t last = index_at(ids, n - 1);
  if (last < 0) invalid_argument("segment ids must be >= 0");
  if (last == INT64_MAX) invalid_argument("Expected a non-negative size, got ", INT64_MIN);
  return last + 1;
}

template <Norm norm>
void reduce_into(const KernelContext& c, Tensor& out) {
  const Tensor& x = c.input(0);
  const Tensor& indices = c.input(1);
  const Tensor& ids = c.input(2);
  const std::int64_t n = ids.num_elements(), segments = out.dim(0);
  std::int64_t before = 0;
  const Tensor to = checked_rows(ids, [&](std::int64_t id, std::int64_t i) {
    if (i > 0 && id != before) check_segment_end(before, id, segments);
    before = id;
  });
  if (n > 0) check_segment_end(before, INT64_MAX, segments);
  const std::int64_t rows = x.dim(0);
  const Tensor from = checked_rows(indices, [&](std::int64_t index, std::int64_t i) {
    if (index < 0 || index >= rows)
      invalid_argument("Bad: indices[", i, "] == ", index, " out of range [0, ", rows, ")");
  });
  const Shape row = tail(x.shape(), 1);

  if (out.num_elements() == 0) return;
  Tensor sums = wide_output(out);
  sums.fill_zeros();
  update_rows(c, RowUpdate::kAdd, sums, x, {n, to.data<std::int64_t>(), from.data<std::int64_t>(), row.num_elements()});
  if (norm != Norm::kNone) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(segments));
    for (std::int64_t i = 0; i < n; ++i) ++counts[static_cast<std::size_t>(to.data<std::int64_t>()[i])];
    divide_rows(c, norm, counts, row.num_elements(), sums);
  }
  round_output(sums, out);
}

template <Norm norm>
void reduce(KernelContext& c) {
  check_reduction(c);
  reduce_into<norm>(
      c, c.allocate_output(0, c.input(0).dtype(), with_first(segments_of(c.input(2)), tail(c.input(0).shape(), 1))));
}

template <Norm norm>
void reduce_counted(KernelContext& c) {
  if (segments_of(c.input(2)) > c.output(0).dim(0)) invalid_argument("segment ids must be < num_segments");
  reduce_into<norm>(c, c.output(0));
}

void infer_sparse_segment_gradient(InferContext& c) {
  c.require_rank_at_least(0, 1);
  c.require_rank(1, 1);
  c.require_rank(2, 1);
  c.require_rank(3, 0);
  if (c.num_outputs() > 1) {
    c.set_output(0, with_first(kUnknownDim, tail(c.shape(0), 1)));
    return c.set_output(1, Shape({kUnknownDim}));
  }
  c.set_output(0, with_first(c.dim_value(3), tail(c.shape(0), 1)));
}

void check_gradient(const KernelContext& c) {
  if (c.input(0).rank() < 1) invalid_argument("Shape must be at least rank 1");
  const Tensor& rows = c.input(3);
  if (rows.rank() != 0) invalid_argument(c.num_outputs() > 1 ? "dense_" : "", "output_dim0 should be a scalar.");
  check_vectors(c.input(1), c.input(2));
  if (index_at(rows, 0) < 0) invalid_argument("Expected a non-negative size, got ", index_at(rows, 0));
}

// The row of the result and that of dy for each index, in range.
struct Moves {
  Tensor to, from;  // int64

  explicit Moves(const KernelContext& c) {
    const Tensor& ids = c.input(2);
    const std::int64_t n = ids.num_elements(), segments = c.input(0).dim(0), rows = index_at(c.input(3), 0);
    if (n > 0 && index_at(ids, n - 1) >= segments) invalid_argument("Invalid number of segments");
    from = checked_rows(ids, [&](std::int64_t id, std::int64_t) {
      if (id < 0 || id >= segments) invalid_argument("Segment id ", id, " out of range [0, ", segments, ").");
    });
    to = checked_rows(c.input(1), [&](std::int64_t index, std::int64_t) {
      if (index < 0 || index >= rows) invalid_argument("Index ", index, " out of range [0, ", rows, ").");
    });
  }
};

template <Norm norm>
void spread(const KernelContext& c, const Moves& moves, Tensor& out) {
  const Tensor& dy = c.input(0);
  if (out.num_elements() == 0) return;
  const std::int64_t n = moves.to.num_elements(), row = tail(dy.shape(), 1).num_elements();
  Tensor scaled = dy;
  if (norm != Norm::kNone) {
    scaled = as_float(dy);
    if (scaled.raw() == dy.raw()) scaled = scaled.copy();
    std::vector<std::int64_t> counts(static_cast<std::size_t>(dy.dim(0)));
    for (std::int64_t i = 0; i < n; ++i) ++counts[static_cast<std::size_t>(moves.from.data<std::int64_t>()[i])];
    divide_rows(c, norm, counts, row, scaled);
  }
  Tensor sums = wide_output(out);
  sums.fill_zeros();
  update_rows(c, RowUpdate::kAdd, sums, scaled,
              {n, moves.to.data<std::int64_t>(), moves.from.data<std::int64_t>(), row});
  round_output(sums, out);
}

template <Norm norm>
void gradient(KernelContext& c) {
  spread<norm>(c, Moves(c), c.output(0));
}

// The rows of the result are those that the indices name, each once.
template <Norm norm>
void sparse_gradient(KernelContext& c) {
  check_gradient(c);
  const Tensor& dy = c.input(0);
  const Tensor& indices = c.input(1);
  Moves moves(c);
  const std::int64_t n = indices.num_elements();
  auto* place = moves.to.mutable_data<std::int64_t>();
  std::vector<std::int64_t> used(place, place + n);
  PolledSteps polled(4096);
  std::sort(used.begin(), used.end(), [&](std::int64_t a, std::int64_t b) {
    polled.step();
    return a < b;
  });
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const auto length = static_cast<std::int64_t>(used.size());
  Tensor& unique = c.allocate_output(1, indices.dtype(), Shape({length}));
  with_index(indices.dtype(), [&]<typename I>(std::type_identity<I>) {
    std::transform(used.begin(), used.end(), unique.mutable_data<I>(),
                   [](std::int64_t v) { return static_cast<I>(v); });
  });
  in_slices(n, 20, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      place[i] = std::lower_bound(used.begin(), used.end(), place[i]) - used.begin();
  });
  spread<norm>(c, moves, c.allocate_output(0, dy.dtype(), with_first(length, tail(dy.shape(), 1))));
}

// Dense, or IndexedSlices if the op was asked for them.
void grad_reduction(GradContext& c, std::string_view rule, std::string_view sparse_rule) {
  Operand shape = build::shape_of(c.input(0));
  Operand rows =
      emit1("StridedSlice", {shape, build::ints({0}), build::ints({1}), build::ints({1})}, {{"shrink_axis_mask", 1}});
  Operand args[] = {c.dy(0), c.input(1), c.input(2), rows};
  if (!c.attr("sparse_gradient").b()) return c.to_input(0, emit_all(rule, args)[0]);
  Operands slices = emit_all(sparse_rule, args);
  c.to_input(0, Gradient(slices[0], slices[1], shape));
}

constexpr std::string_view kFloats = "T: {bfloat16, half, float, double}", kRealNumbers = "T: " TRACEFN_REAL_NUMBERS;
constexpr std::string_view kIndices = "Tidx: {int32, int64} = DT_INT32";
constexpr std::string_view kIds = "Tsegmentids: {int32, int64} = DT_INT32";

template <Norm norm>
void add(Registry& r, std::string_view const (&names)[4], std::string_view types, std::string_view const (&docs)[4],
         GradFn grad) {
  OpRecord plain{.name = names[0],
                 .inputs = {"data: T", "indices: Tidx", "segment_ids: Tsegmentids"},
                 .outputs = {"output: T"},
                 .attrs = {types, kIndices, kIds, "sparse_gradient: bool = false"},
                 .doc = docs[0],
                 .infer = infer_sparse_segment,
                 .kernel = reduce<norm>,
                 .allocation = Allocation::kByValues,
                 .grad = grad};
  r.add(plain);
  OpRecord counted = plain;
  counted.name = names[1];
  counted.inputs.push_back("num_segments: Tnumsegments");
  counted.attrs.insert(counted.attrs.begin() + 2, "Tnumsegments: {int32, int64} = DT_INT32");
  counted.doc = docs[1];
  counted.check = check_counted;
  counted.kernel = reduce_counted<norm>;
  counted.allocation = Allocation::kByShapeRule;
  r.add(counted);
  OpRecord dense{.name = names[2],
                 .inputs = {"grad: T", "indices: Tidx", "segment_ids: Tsegmentids", "output_dim0: int32"},
                 .outputs = {"output: T"},
                 .attrs = {kFloats, kIndices, kIds},
                 .doc = docs[2],
                 .infer = infer_sparse_segment_gradient,
                 .check = check_gradient,
                 .kernel = gradient<norm>,
                 .grad = without_gradient};
  r.add(dense);
  OpRecord sparse = dense;
  sparse.name = names[3];
  sparse.inputs[3] = "dense_output_dim0: int32";
  sparse.outputs.push_back("sorted_unique_indices: Tidx");
  sparse.doc = docs[3];
  sparse.check = nullptr;
  sparse.kernel = sparse_gradient<norm>;
  sparse.allocation = Allocation::kByValues;
  r.add(sparse);
}

}  // namespace

void register_sparse_segment(Registry& r) {
  add<Norm::kNone>(
      r, {"SparseSegmentSum", "SparseSegmentSumWithNumSegments", "SparseSegmentSumGrad", "SparseSegmentSumGradV2"},
      kRealNumbers,
      {"Row s of the result is the sum of the rows `indices[i]` of `data` with segment_ids[i] equal to s; zeros if "
       "there "
       "are none.\n\nRaises InvalidArgumentError if the ids are not sorted or an index is out of range.",
       "SparseSegmentSum with num_segments rows in the result.",
       "The gradient of SparseSegmentSum by its data, which has output_dim0 rows.",
       "The rows of the gradient of SparseSegmentSum that are not zero, and their numbers."},
      [](GradContext& c) { grad_reduction(c, "SparseSegmentSumGrad", "SparseSegmentSumGradV2"); });
  add<Norm::kMean>(
      r, {"SparseSegmentMean", "SparseSegmentMeanWithNumSegments", "SparseSegmentMeanGrad", "SparseSegmentMeanGradV2"},
      kFloats,
      {"Row s of the result is the mean of the rows `indices[i]` of `data` with segment_ids[i] equal to s; zeros if "
       "there are none.\n\nRaises InvalidArgumentError if the ids are not sorted or an index is out of range.",
       "SparseSegmentMean with num_segments rows in the result.",
       "The gradient of SparseSegmentMean by its data, which has output_dim0 rows.",
       "The rows of the gradient of SparseSegmentMean that are not zero, and their numbers."},
      [](GradContext& c) { grad_reduction(c, "SparseSegmentMeanGrad", "SparseSegmentMeanGradV2"); });
  add<Norm::kSqrtN>(
      r,
      {"SparseSegmentSqrtN", "SparseSegmentSqrtNWithNumSegments", "SparseSegmentSqrtNGrad", "SparseSegmentSqrtNGradV2"},
      kFloats,
      {"Row s of the result is the sum of the rows `indices[i]` of `data` with segment_ids[i] equal to s, divided by "
       "the "
       "square root of their number; zeros if there are none.\n\nRaises InvalidArgumentError if the ids are not sorted "
       "or an index is out of range.",
       "SparseSegmentSqrtN with num_segments rows in the result.",
       "The gradient of SparseSegmentSqrtN by its data, which has output_dim0 rows.",
       "The rows of the gradient of SparseSegmentSqrtN that are not zero, and their numbers."},
      [](GradContext& c) { grad_reduction(c, "SparseSegmentSqrtNGrad", "SparseSegmentSqrtNGradV2"); });
}

}  // namespace tracefn
