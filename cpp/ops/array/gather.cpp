// Ops that pick elements by index: GatherV2, GatherNd, Where. Every index is checked before what it picks is read.
#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/axis.h"
#include "ops/array/indexed_elements.h"
#include "ops/array/indexing.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void infer_gather(InferContext& c) {
  const Shape& params = c.shape(0);
  const Shape& indices = c.shape(1);
  c.require_rank_at_least(0, 1);
  c.require_rank(2, 0);
  std::optional<std::int64_t> axis = c.int_value(2);
  std::int64_t batch = c.attr("batch_dims").i();
  if (axis && params.has_rank()) require_axis(*axis, params.rank());
  if (batch > 0) {
    c.require_rank_at_least(0, static_cast<int>(batch));
    c.require_rank_at_least(1, static_cast<int>(batch));
  }
  if (!params.has_rank() || !indices.has_rank()) return c.set_output(0, Shape::unknown());
  if (batch < 0) batch += indices.rank();
  if (batch < 0 || batch > indices.rank())
    invalid_argument("Expected batch_dims in the range [", -indices.rank(), ", ", indices.rank(), "], but got ",
                     c.attr("batch_dims").i());
  int b = static_cast<int>(batch);
  if (!axis) return c.set_output(0, Shape::of_rank(params.rank() - 1 + indices.rank() - b));
  int a = static_cast<int>(*axis < 0 ? *axis + params.rank() : *axis);
  Shape out;
  for (int i = 0; i < std::min(a, params.rank()); ++i) {
    out.push_back(params[i]);  // a common dimension too: TensorFlow ignores the indices' here
  }
  for (int i = b; i < indices.rank(); ++i) out.push_back(indices[i]);
  for (int i = a + 1; i < params.rank(); ++i) out.push_back(params[i]);
  c.set_output(0, std::move(out));
}

// Nanoseconds to check an index.
constexpr double kIndexCost = 1;

void check_gather(const KernelContext& c) {
  const Tensor& params = c.input(0);
  const Tensor& indices = c.input(1);
  if (params.rank() < 1) invalid_argument("params must be at least 1 dimensional");
  if (c.input(2).rank() != 0) invalid_argument("axis must be scalar");
  std::int64_t axis = c.input(2).int_at(0);
  require_axis(axis, params.rank());
  if (axis < 0) axis += params.rank();
  std::int64_t batch = c.attr("batch_dims").i();
  if (batch < -indices.rank() || batch > indices.rank())
    invalid_argument("Expected batch_dims in the range [", -indices.rank(), ", ", indices.rank(), "], but got ", batch);
  if (batch < 0) batch += indices.rank();
  if (batch >= params.rank())
    invalid_argument("batch_dims (", batch, ") must be less than rank(params) (", params.rank(), ").");
  if (batch > axis) invalid_argument("batch_dims (", batch, ") must be less than or equal to axis (", axis, ").");
  for (int i = 0; i < static_cast<int>(batch); ++i)
    if (params.dim(i) != indices.dim(i))
      invalid_argument("params.shape[", i, "]: ", params.dim(i), " should be equal to indices.shape[", i,
                       "]: ", indices.dim(i));
}

template <typename I>
bool all_inside(const I* index, std::int64_t n, std::int64_t limit) {
  using U = std::make_unsigned_t<I>;
  if (n == 0) return true;
  U most = 0;  // negative ones are large
  for (std::int64_t i = 0; i < n; ++i) most = std::max(most, static_cast<U>(index[i]));
  return most <= static_cast<U>(std::numeric_limits<I>::max()) && static_cast<std::int64_t>(most) < limit;
}

// Each index must be in [0, limit); the error names the first that is not.
void check_indices(const KernelContext& c, const Tensor& indices, std::int64_t limit) {
  with_index(indices.dtype(), [&]<typename I>(std::type_identity<I>) {
    const I* index = indices.data<I>();
    const std::int64_t n = indices.num_elements();
    std::atomic<bool> bad = false;
    c.parallel_for(n, 0.5, [&](std::int64_t begin, std::int64_t end) {
      if (!all_inside(index + begin, end - begin, limit)) bad.store(true, std::memory_order_relaxed);
    });
    if (!bad.load(std::memory_order_relaxed)) return;
    in_slices(n, kIndexCost, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        if (index[i] < 0 || static_cast<std::int64_t>(index[i]) >= limit) bad_index(indices, i, limit);
    });
  });
}

// y[i] = row at[i] of x, of `inner` elements.
template <typename T, typename I>
void pick_rows(const T* x, const I* at, std::int64_t n, std::int64_t inner, T* y) {
  constexpr std::int64_t kShort = 8, kAhead = 8;
  if (inner == 1) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = x[at[i]];
  } else if (inner <= kShort) {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t k = 0; k < inner; ++k) y[i * inner + k] = x[at[i] * inner + k];
  } else {
    constexpr std::int64_t kLine = std::max<std::int64_t>(1, 64 / static_cast<std::int64_t>(sizeof(T)));
    const std::int64_t lines = std::min<std::int64_t>(inner, 8 * kLine);
    for (std::int64_t i = 0; i < n; ++i) {
      if (i + kAhead < n) {
        const T* next = x + at[i + kAhead] * inner;
        for (std::int64_t k = 0; k < lines; k += kLine) __builtin_prefetch(next + k);
      }
      std::copy_n(x + at[i] * inner, inner, y + i * inner);
    }
  }
}

void gather(KernelContext& c) {
  const Tensor& params = c.input(0);
  const Tensor& indices = c.input(1);
  int a = static_cast<int>(c.input(2).int_at(0)), b = static_cast<int>(c.attr("batch_dims").i());
  if (a < 0) a += params.rank();
  if (b < 0) b += indices.rank();
  std::int64_t batches = params.shape().product(0, b), outer = params.shape().product(b, a), dim = params.dim(a);
  std::int64_t inner = params.shape().product(a + 1, params.rank());
  std::int64_t n = indices.shape().product(b, indices.rank());
  Tensor& out = c.output(0);
  // An index that is used once is checked right before.
  const bool first = outer > 1 || out.num_elements() == 0;
  if (first) check_indices(c, indices, dim);
  if (out.num_elements() == 0) return;
  std::atomic<bool> bad = false;
  with_element(params.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* x = params.data<T>();
    T* y = out.mutable_data<T>();
    const double cost = (std::is_trivially_copyable_v<T> ? 1 : 0) + copy_cost<T> * static_cast<double>(inner);
    with_index(indices.dtype(), [&]<typename I>(std::type_identity<I>) {
      const I* at = indices.data<I>();
      c.parallel_for(batches * outer * n, cost, [&](std::int64_t begin, std::int64_t end) {
        // One plane after the other: batch and outer together.
        for (std::int64_t i = begin; i < end;) {
          constexpr std::int64_t kBlock = 2048;
          const std::int64_t plane = i / n, from = i % n, count = std::min({end - i, n - from, kBlock});
          const I* picked = at + plane / outer * n + from;
          if (!first && !all_inside(picked, count, dim)) return bad.store(true, std::memory_order_relaxed);
          pick_rows(x + plane * dim * inner, picked, count, inner, y + i * inner);
          i += count;
        }
      });
    });
  });
  if (bad.load(std::memory_order_relaxed)) check_indices(c, indices, dim);
}

// The product of dimensions [from, to) of x as a scalar, constant if they are known.
Operand extent(const Operand& x, int from, int to) {
  const Shape& s = x.shape();
  bool known = true;
  for (int i = from; i < to; ++i) known = known && s[i] >= 0;
  if (known) return build::scalar(DType::kInt32, static_cast<double>(s.product(from, to)));
  Operand piece =
      emit1("StridedSlice", {emit1("Shape", {x}), build::ints({from}), build::ints({to}), build::ints({1})});
  return emit1("Prod", {piece, build::ints({0})});
}

Operand pack(std::initializer_list<Operand> scalars) {
  return emit_all("Pack", std::span(scalars.begin(), scalars.size()))[0];
}

// Along the first axis the gradient is IndexedSlices.
void rows_of_gather(GradContext& c) {
  Operand shape = build::shape_of(c.input(0));
  Operand row_shape =
      emit1("StridedSlice", {shape, build::ints({1}), build::ints({0}), build::ints({1})}, {{"end_mask", 1}});
  Operand axis = build::constant(Tensor::scalar(std::int32_t{0}));
  Operand parts[] = {build::ints({-1}), row_shape, axis};
  Operand indices = build::reshape(c.input(1), build::ints({-1}));
  if (indices.dtype() == DType::kInt16) indices = build::cast(indices, DType::kInt32);
  c.to_input(0, Gradient(build::reshape(c.dy(0), emit_all("ConcatV2", parts)[0]), indices, shape));
}

// Viewed as [batch, outer, n, inner], the rows of dy are summed by index into [batch, n, outer, inner].
void grad_gather(GradContext& c) {
  const Operand& params = c.input(0);
  Operand indices = c.input(1);
  Tensor axis_value = current_target().constant_value(c.input(2));
  if (axis_value.defined() && axis_value.int_at(0) == 0 && c.attr("batch_dims").i() == 0) return rows_of_gather(c);
  if (!axis_value.defined() || !params.shape().has_rank() || !indices.shape().has_rank())
    fail(ErrorKind::kUnimplemented, "The gradient of GatherV2 needs a constant axis and operands of known rank.");
  int rank = params.shape().rank(), index_rank = indices.shape().rank();
  int a = static_cast<int>(normalize_axis(axis_value.int_at(0), rank));
  std::int64_t batch = c.attr("batch_dims").i();
  int b = static_cast<int>(batch < 0 ? batch + index_rank : batch);
  Operand batches = extent(params, 0, b), outer = extent(params, b, a), dim = extent(params, a, a + 1);
  Operand inner = extent(params, a + 1, rank), n = extent(indices, b, index_rank);
  if (indices.dtype() == DType::kInt16) indices = build::cast(indices, DType::kInt32);
  Operand dy = build::reshape(c.dy(0), pack({batches, outer, n, inner}));
  dy = emit1("Transpose", {dy, build::ints({0, 2, 1, 3})});
  dy = build::reshape(dy, pack({batches * n, outer, inner}));
  Operand zero = build::scalar(DType::kInt32, 0), one = build::scalar(DType::kInt32, 1);
  Operand first = build::reshape(emit1("Range", {zero, batches, one}) * dim, build::ints({-1, 1}));
  Operand flat = build::reshape(indices, pack({batches, n})) + build::cast(first, indices.dtype());
  Operand sums = emit1("UnsortedSegmentSum", {dy, build::reshape(flat, build::ints({-1})), batches * dim});
  sums = build::reshape(sums, pack({batches, dim, outer, inner}));
  sums = emit1("Transpose", {sums, build::ints({0, 2, 1, 3})});
  c.to_input(0, build::reshape(sums, build::shape_of(params)));
}

void infer_gather_nd(InferContext& c) {
  const Shape& params = c.shape(0);
  const Shape& indices = c.shape(1);
  c.require_rank_at_least(1, 1);
  if (!params.has_rank() || !indices.has_rank() || indices[indices.rank() - 1] < 0)
    return c.set_output(0, Shape::unknown());
  std::int64_t depth = indices[indices.rank() - 1];
  if (depth > params.rank())
    invalid_argument("indices.shape[-1] must be <= params.rank, but saw indices shape: ", indices.text(),
                     " and params shape: ", params.text());
  Shape out;
  for (int i = 0; i + 1 < indices.rank(); ++i) out.push_back(indices[i]);
  for (int i = static_cast<int>(depth); i < params.rank(); ++i) out.push_back(params[i]);
  c.set_output(0, std::move(out));
}

// Replaces an offset: the index is out of bounds, and its slice is zeros.
constexpr std::int64_t kOutside = -1;

void check_gather_nd(const KernelContext& c) {
  ignores_bad_indices(c.attr("bad_indices_policy").s());
  const Tensor& params = c.input(0);
  const Tensor& indices = c.input(1);
  if (params.rank() < 1) invalid_argument("params must be at least a vector");
  if (indices.rank() < 1) invalid_argument("indices must be at least a vector");
  std::int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > params.rank())
    invalid_argument("index innermost dimension length must be <= params rank; saw: ", depth, " vs. ", params.rank());
  if (params.num_elements() == 0 && indices.shape().product(0, indices.rank() - 1) > 0 && depth > 0)
    invalid_argument("Requested more than 0 entries, but params is empty.  Params shape: ", params.shape().text());
}

void gather_nd(KernelContext& c) {
  bool ignore = ignores_bad_indices(c.attr("bad_indices_policy").s());
  const Tensor& params = c.input(0);
  const Tensor& indices = c.input(1);
  std::int64_t depth = indices.dim(indices.rank() - 1), n = indices.shape().product(0, indices.rank() - 1);
  std::int64_t inner = params.shape().product(static_cast<int>(depth), params.rank());
  Tensor places(DType::kInt64, Shape({n}));
  std::int64_t* at = places.mutable_data<std::int64_t>();
  std::optional<std::int64_t> bad;
  in_slices(n, kIndexCost * static_cast<double>(depth + 1), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      bool inside = true;
      at[i] = 0;
      for (std::int64_t k = 0; k < depth; ++k) {
        std::int64_t v = index_at(indices, i * depth + k), limit = params.dim(static_cast<int>(k));
        inside = inside && v >= 0 && v < limit;
        at[i] = at[i] * limit + (inside ? v : 0);
      }
      if (inside) continue;
      bad = i;
      at[i] = kOutside;
    }
  });
  if (bad && !ignore)  // TensorFlow names the last one
    invalid_argument(index_vector_text(indices, *bad), " does not index into param shape ", params.shape().text(),
                     ", node name: ", c.node_name_.empty() ? std::string_view("GatherNd") : c.node_name_);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  with_element(params.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* y = out.mutable_data<T>();
    if (!ignore) {
      c.parallel_for(n, 2 + copy_cost<T> * static_cast<double>(inner), [&](std::int64_t begin, std::int64_t end) {
        pick_rows(params.data<T>(), at + begin, end - begin, inner, y + begin * inner);
      });
      return;
    }
    c.parallel_for(n, 5 + copy_cost<T> * static_cast<double>(inner), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        T* to = y + i * inner;
        if (at[i] == kOutside) {
          std::fill_n(to, inner, T());
        } else {
          std::copy_n(params.data<T>() + at[i] * inner, inner, to);
        }
      }
    });
  });
}

void grad_gather_nd(GradContext& c) {
  Operand indices = c.input(1);
  if (c.attr("bad_indices_policy").s().empty()) {
    if (std::optional<Operand> rows = row_numbers(indices)) {
      c.to_input(0, Gradient(c.dy(0), *rows, build::shape_of(c.input(0))));
      return;
    }
  }
  if (indices.dtype() == DType::kInt16) indices = build::cast(indices, DType::kInt32);
  Operand shape = build::cast(build::shape_of(c.input(0)), indices.dtype());
  c.to_input(0, emit1("ScatterNd", {indices, c.dy(0), shape}, {{"bad_indices_policy", c.attr("bad_indices_policy")}}));
}

void infer_where(InferContext& c) {
  c.set_output(0, Shape({kUnknownDim, c.shape(0).has_rank() ? c.shape(0).rank() : kUnknownDim}));
}

// Writes the index of each element that is not zero, one per row. The elements are counted in parts, whose rows are
// then written side by side.
template <typename T>
void write_places(KernelContext& c, const Tensor& x) {
  constexpr std::int64_t kPart = 1 << 15, kBlock = 1024;
  const T* elements = x.data<T>();
  const std::int64_t n = x.num_elements(), parts = (n + kPart - 1) / kPart;
  const int rank = x.rank();
  auto nonzero = [&](std::int64_t i) { return compute_value(elements[i]) != decltype(compute_value(T()))(0); };
  std::vector<std::int64_t> begins(static_cast<std::size_t>(parts) + 1);
  c.parallel_for(parts, 0.3 * kPart, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t p = first; p < last; ++p) {
      std::int64_t count = 0;
      for (std::int64_t i = p * kPart, end = std::min(n, i + kPart); i < end; ++i) count += nonzero(i) ? 1 : 0;
      begins[static_cast<std::size_t>(p)] = count;
    }
  });
  std::int64_t sum = 0;
  for (std::int64_t& begin : begins) sum += std::exchange(begin, sum);
  Tensor& out = c.allocate_output(0, DType::kInt64, Shape({sum, rank}));
  if (sum == 0) return;
  std::int64_t* y = out.mutable_data<std::int64_t>();
  const std::int64_t width = x.dim(rank - 1);
  c.parallel_for(parts, 2.0 * rank * kPart, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t p = first; p < last; ++p) {
      std::int64_t* row = y + begins[static_cast<std::size_t>(p)] * rank;
      // Elements [start, start + width) have the first coordinates of the row before.
      std::int64_t start = -width;
      for (std::int64_t i = p * kPart, end = std::min(n, i + kPart); i < end; i += kBlock) {
        // Without branches: what does not count is overwritten.
        std::int64_t found[kBlock + 1], count = 0;
        for (std::int64_t j = i, stop = std::min(end, i + kBlock); j < stop; ++j) {
          found[count] = j;
          count += nonzero(j) ? 1 : 0;
        }
        if (rank == 1) {
          row = std::copy_n(found, count, row);
          continue;
        }
        for (std::int64_t k = 0; k < count; ++k, row += rank) {
          if (start >= 0 && found[k] - start < width) {
            std::copy_n(row - rank, rank - 1, row);
          } else {
            std::int64_t rest = found[k] / width;
            start = rest * width;
            for (int d = rank - 2; d >= 0; --d) {
              row[d] = rest % x.dim(d);
              rest /= x.dim(d);
            }
          }
          row[rank - 1] = found[k] - start;
        }
      }
    }
  });
}

void where(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() == 0) invalid_argument("WhereOp : Unhandled input dimensions: 0");
  if (x.dtype() == DType::kBool) return write_places<bool>(c, x);
  with_any_number(x.dtype(), [&]<typename T>(std::type_identity<T>) { write_places<T>(c, x); });
}

}  // namespace

void register_gather(Registry& r) {
  r.add({.name = "GatherV2",
         .inputs = {"params: Tparams", "indices: Tindices", "axis: Taxis"},
         .outputs = {"output: Tparams"},
         .attrs = {"batch_dims: int = 0", "Tparams: type", "Tindices: {int16, int32, int64}", "Taxis: {int32, int64}"},
         .facts = {.moves = "Tparams",
                   .elements = gather_elements,
                   .sequence = SequenceRule::kGather,
                   .indexing = Indexing::kReads},
         .doc = "Slices of params along an axis, selected by indices. The first batch_dims dimensions of both are "
                "batch dimensions.",
         .infer = infer_gather,
         .check = check_gather,
         .kernel = gather,
         .grad = grad_gather});
  r.add({.name = "GatherNd",
         .inputs = {"params: Tparams", "indices: Tindices"},
         .outputs = {"output: Tparams"},
         .attrs = {"Tparams: type", "Tindices: {int16, int32, int64}", "bad_indices_policy: string = ''"},
         .facts = {.moves = "Tparams", .elements = gather_nd_elements, .indexing = Indexing::kReads},
         .doc = "Slices of params at the index vectors in the last dimension of indices.",
         .infer = infer_gather_nd,
         .check = check_gather_nd,
         .kernel = gather_nd,
         .grad = grad_gather_nd});
  r.add({.name = "Where",
         .inputs = {"input: T"},
         .outputs = {"index: int64"},
         .attrs = {"T: {" TRACEFN_EVERY_NUMBER ", bool} = DT_BOOL"},
         .raw_names = {"input:condition"},
         .doc = "The indices of the elements that are true or nonzero, one per row, in row-major order.",
         .infer = infer_where,
         .kernel = where,
         .allocation = Allocation::kByValues,
         .grad = not_differentiable});
}

}  // namespace tracefn
