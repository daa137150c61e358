// Sparse reads and updates of variables: rows by index (ResourceGather, ResourceScatter*) and slices by index vectors
// (ResourceGatherNd, ResourceScatterNd*).
#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/consecutive.h"
#include "base/poll.h"
#include "ops/array/indexing.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/gradient.h"
#include "ops/no_kernel.h"
#include "ops/state/effect_records.h"
#include "ops/state/variable_resource.h"
#include "ops/type_sets.h"

namespace tracefn {
namespace {

// The dimensions [begin, end) of a shape; unknown when its rank is.
Shape dims_of(const Shape& shape, int begin, int end) {
  Dims dims;
  for (int i = begin; i < end; ++i) dims.push_back(shape[i]);
  return Shape(std::move(dims));
}
Shape join(const Shape& a, const Shape& b) {
  Shape out = a;
  for (std::int64_t d : b.dims()) out.push_back(d);
  return out;
}

const char* at(const Tensor& t, std::int64_t element) {
  return static_cast<const char*>(t.raw()) + static_cast<std::size_t>(element) * size_of(t.dtype());
}

Shape gather_shape(const Shape& params, const Shape& indices, int batch_dims) {
  if (!params.has_rank() || !indices.has_rank()) return Shape::unknown();
  if (params.rank() < 1) invalid_argument("params must be at least 1 dimensional");
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims < 0 || batch_dims > indices.rank() || batch_dims >= params.rank())
    invalid_argument("batch_dims (", batch_dims, ") must be in [0, ", std::min(indices.rank(), params.rank() - 1),
                     "] for params of shape ", params.text(), " and indices of shape ", indices.text());
  Shape batch = merge(dims_of(params, 0, batch_dims), dims_of(indices, 0, batch_dims));
  return join(join(batch, dims_of(indices, batch_dims, indices.rank())),
              dims_of(params, batch_dims + 1, params.rank()));
}

void infer_gather(InferContext& c) {
  int batch_dims = static_cast<int>(c.attr("batch_dims").i());
  const Shape& params = handle_info(c, 0).shape;
  if (params.has_rank() && params.rank() < 1) invalid_argument("Shape must be at least rank 1 but is rank 0");
  c.set_output(0, gather_shape(params, c.shape(1), batch_dims));
}

void gather(KernelContext& c) {
  VariableResource& variable = variable_input(c, 0);
  Tensor params = variable.peek();
  if (!params.defined())
    fail(ErrorKind::kNotFound, "Resource localhost/", variable.name(), "/N10tensorflow3VarE does not exist.");
  const Tensor& indices = c.input(1);
  if (params.dtype() != c.attr("dtype").type())
    invalid_argument("Trying to read variable with wrong dtype. Expected ", runtime_name(c.attr("dtype").type()),
                     " got ", runtime_name(params.dtype()));
  int batch_dims = static_cast<int>(c.attr("batch_dims").i());
  Shape shape = gather_shape(params.shape(), indices.shape(), batch_dims);
  if (batch_dims < 0) batch_dims += indices.rank();
  std::int64_t batches = dims_of(params.shape(), 0, batch_dims).num_elements();
  std::int64_t rows = params.dim(batch_dims);
  std::int64_t row = dims_of(params.shape(), batch_dims + 1, params.rank()).num_elements();
  std::int64_t n = indices.num_elements();
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t index = indices.int_at(i);
    if (index < 0 || index >= rows) bad_index(indices, i, rows);
  }
  Tensor& out = c.allocate_output(0, params.dtype(), std::move(shape));
  std::int64_t per_batch = batches ? n / batches : 0;
  auto copy_rows = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t from = (i / per_batch) * rows + indices.int_at(i);
      copy_elements(out.dtype(), at(params, from * row), const_cast<char*>(at(out, i * row)), row);
    }
  };
  c.parallel_for(n, 2.0 + 0.2 * static_cast<double>(row), copy_rows);
}

// The gradient as IndexedSlices, for the variable's own update rules.
void gather_grad(GradContext& g) {
  if (g.attr("batch_dims").i() != 0)
    fail(ErrorKind::kUnimplemented, "The gradient of ResourceGather is not implemented for batch_dims != 0.");
  Operand shape = emit1("VariableShape", {g.input(0)});
  Operand zero = build::ints({0}), one = build::ints({1}), minus_one = build::ints({-1});
  Operand row_shape = emit1("StridedSlice", {shape, one, zero, one}, {{"end_mask", 1}});
  Operand flat = build::reshape(g.input(1), minus_one);
  Operand axis = build::constant(Tensor::scalar(std::int32_t{0}));
  Operand parts[] = {minus_one, row_shape, axis};
  Operand rows = build::reshape(g.dy(0), emit_all("ConcatV2", parts)[0]);
  g.to_input(0, Gradient(rows, flat, shape));
}

// `indices` of shape [..., k] selects slices of `params`.
struct SliceIndexing {
  std::int64_t slices;  // how many are selected
  std::int64_t slice;   // elements of each
  int depth;            // k
};

SliceIndexing slice_indexing(const Shape& params, const Shape& indices) {
  int depth = static_cast<int>(indices[indices.rank() - 1]);
  return {dims_of(indices, 0, indices.rank() - 1).num_elements(), dims_of(params, depth, params.rank()).num_elements(),
          depth};
}

// The offset in elements of slice i, or -1 if its index is out of range.
std::int64_t slice_offset(const Shape& params, const Tensor& indices, const SliceIndexing& by, std::int64_t i) {
  std::int64_t offset = 0;
  for (int k = 0; k < by.depth; ++k) {
    std::int64_t index = indices.int_at(i * by.depth + k);
    if (index < 0 || index >= params[k]) return -1;
    offset = offset * params[k] + index;
  }
  return offset * by.slice;
}

Shape gather_nd_shape(const Shape& params, const Shape& indices) {
  if (indices.has_rank() && indices.rank() < 1) invalid_argument("indices must be at least a vector");
  if (!params.has_rank() || !indices.has_rank() || indices[indices.rank() - 1] < 0) return Shape::unknown();
  std::int64_t depth = indices[indices.rank() - 1];
  if (depth > params.rank())
    invalid_argument("index innermost dimension length must be <= params rank; saw: ", depth, " vs. ", params.rank());
  return join(dims_of(indices, 0, indices.rank() - 1), dims_of(params, static_cast<int>(depth), params.rank()));
}

void infer_gather_nd(InferContext& c) { c.set_output(0, gather_nd_shape(handle_info(c, 0).shape, c.shape(1))); }

void gather_nd(KernelContext& c) {
  VariableResource& variable = variable_input(c, 0);
  Tensor params = variable.peek();
  if (!params.defined())
    fail(ErrorKind::kNotFound, "Resource localhost/", variable.name(), "/N10tensorflow3VarE does not exist.");
  if (params.dtype() != c.attr("dtype").type())
    invalid_argument("Trying to read variable with wrong dtype. Expected ", runtime_name(c.attr("dtype").type()),
                     " got ", runtime_name(params.dtype()));
  const Tensor& indices = c.input(1);
  Shape shape = gather_nd_shape(params.shape(), indices.shape());
  SliceIndexing by = slice_indexing(params.shape(), indices.shape());
  Tensor& out = c.allocate_output(0, params.dtype(), std::move(shape));
  PolledSteps polled;
  for (std::int64_t i = 0; i < by.slices; ++i, polled.step()) {
    std::int64_t offset = slice_offset(params.shape(), indices, by, i);
    if (offset < 0)
      invalid_argument(index_vector_text(indices, i), " does not index into param shape ", params.shape().text(),
                       ", node name: ", c.node_name_.empty() ? std::string_view(c.op().name()) : c.node_name_);
    copy_elements(out.dtype(), at(params, offset), const_cast<char*>(at(out, i * by.slice)), by.slice);
  }
}

void gather_nd_grad(GradContext& g) {
  if (std::optional<Operand> rows = row_numbers(g.input(1))) {
    g.to_input(0, Gradient(g.dy(0), *rows, emit1("VariableShape", {g.input(0)})));
    return;
  }
  DType index_type = g.input(1).dtype();
  Operand shape = emit1("VariableShape", {g.input(0)}, {{"out_type", index_type}});
  g.to_input(0, emit1("ScatterNd", {g.input(1), g.dy(0), shape}));
}

enum class Update { kAssign, kAdd, kSub, kMul, kDiv, kMin, kMax };

// The block kernel of an update, null for an assignment.
BinaryBlock update_block(Update update, DType dtype) {
  BinaryBlock block = nullptr;
  switch (update) {
    case Update::kAssign:
      return nullptr;
    case Update::kAdd:
      block = elementwise_kernel<functions::Add>(dtype);
      break;
    case Update::kSub:
      block = elementwise_kernel<functions::Sub>(dtype);
      break;
    case Update::kMul:
      block = elementwise_kernel<functions::Mul>(dtype);
      break;
    case Update::kDiv:
      block = is_integer(dtype) ? elementwise_kernel<functions::TruncateDiv>(dtype)
                                : elementwise_kernel<functions::Div>(dtype);
      break;
    case Update::kMin:
      block = elementwise_kernel<functions::Minimum>(dtype);
      break;
    case Update::kMax:
      block = elementwise_kernel<functions::Maximum>(dtype);
      break;
  }
  if (!block) no_kernel();
  return block;
}

// Elements [offset, offset + n) of `params` take n elements of the update, or one of them repeated.
void apply(BinaryBlock block, Tensor& params, std::int64_t offset, const char* update, std::int64_t n, bool repeated) {
  char* target = const_cast<char*>(at(params, offset));
  if (block) {
    block(target, update, target, n, repeated ? 2 : 0);
  } else if (!repeated) {
    copy_elements(params.dtype(), update, target, n);
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      copy_elements(params.dtype(), update, const_cast<char*>(at(params, offset + i)), 1);
  }
}

void infer_scatter(InferContext& c) {
  HandleInfo handle = handle_info(c, 0);
  const Shape& updates = c.shape(2);
  if (updates.has_rank() && updates.rank() == 0) return;
  if (!handle.shape.has_rank() || !c.shape(1).has_rank()) return;
  if (handle.shape.rank() < 1) invalid_argument("Shape must be at least rank 1 but is rank 0");
  merge(updates, join(c.shape(1), dims_of(handle.shape, 1, handle.shape.rank())));
}

void check_scatter_shapes(const Shape& params, const Shape& indices, const Shape& updates) {
  if (params.rank() < 1) invalid_argument("params must be at least 1-D, got shape ", params.text());
  if (updates.rank() == 0) return;
  bool fits = updates.rank() == indices.rank() + params.rank() - 1;
  if (fits && !(dims_of(updates, 0, indices.rank()) == indices))
    invalid_argument("The shape of indices (", indices.text(), ") must be a prefix of the shape of updates (",
                     updates.text(), ")");
  if (!fits || !(updates == join(indices, dims_of(params, 1, params.rank()))))
    invalid_argument(
        "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
        "updates.shape ",
        updates.text(), ", indices.shape ", indices.text(), ", params.shape ", params.text());
}

bool contains_zero(const Tensor& t) {
  static constexpr char zeros[16] = {};
  std::size_t size = size_of(t.dtype());
  for (std::int64_t i = 0; i < t.num_elements(); ++i)
    if (std::equal(zeros, zeros + size, at(t, i))) return true;
  return false;
}

template <Update kUpdate>
void scatter(KernelContext& c) {
  VariableResource& variable = variable_input(c, 0);
  const Tensor& indices = c.input(1);
  const Tensor& updates = c.input(2);
  if (variable.dtype() != updates.dtype()) invalid_argument("DType of scatter resource and updates does not match.");
  BinaryBlock block = update_block(kUpdate, updates.dtype());
  if (kUpdate == Update::kDiv && is_integer(updates.dtype()) && contains_zero(updates))
    invalid_argument("updates must not contain 0");
  variable.update([&](Tensor& params) {
    check_scatter_shapes(params.shape(), indices.shape(), updates.shape());
    std::int64_t rows = params.dim(0), n = indices.num_elements();
    std::int64_t row = dims_of(params.shape(), 1, params.rank()).num_elements();
    bool repeated = updates.rank() == 0;
    for (std::int64_t i = 0; i < n; ++i) {
      std::int64_t index = indices.int_at(i);
      if (index < 0 || index >= rows) bad_index(indices, i, rows);
    }
    for (std::int64_t i = 0; i < n; ++i)
      apply(block, params, indices.int_at(i) * row, at(updates, repeated ? 0 : i * row), row, repeated);
  });
}

void check_scatter_nd_shapes(const Shape& params, const Shape& indices, const Shape& updates) {
  int outer = indices.rank() - 1;
  for (int i = 0; i < outer; ++i)
    if (i >= updates.rank() || (updates[i] >= 0 && indices[i] >= 0 && updates[i] != indices[i]))
      invalid_argument("Dimensions [0,", outer, ") of indices[shape=", indices.text(),
                       "] = ", dims_of(indices, 0, outer).text(), " must match dimensions [0,", outer,
                       ") of updates[shape=", updates.text(), "]");
  std::int64_t depth = indices[outer];
  if (depth < 0) return;
  bool fits = depth <= params.rank() && updates.rank() - outer == params.rank() - depth;
  for (int i = static_cast<int>(depth); fits && i < params.rank(); ++i) {
    std::int64_t given = updates[outer + i - static_cast<int>(depth)];
    fits = given < 0 || params[i] < 0 || given == params[i];
  }
  if (!fits)
    invalid_argument("Dimensions [", depth, ",", params.rank(), ") of input[shape=", params.text(),
                     "] must match dimensions [", outer, ",", updates.rank(), ") of updates[shape=", updates.text(),
                     "]");
}

void infer_scatter_nd(InferContext& c) {
  c.require_rank_at_least(1, 1);
  const Shape& params = handle_info(c, 0).shape;
  if (params.has_rank() && c.shape(1).has_rank() && c.shape(2).has_rank())
    check_scatter_nd_shapes(params, c.shape(1), c.shape(2));
}

template <Update kUpdate>
void scatter_nd(KernelContext& c) {
  VariableResource& variable = variable_input(c, 0);
  const Tensor& indices = c.input(1);
  const Tensor& updates = c.input(2);
  bool ignore = ignores_bad_indices(c.attr("bad_indices_policy").s());
  if (variable.dtype() != updates.dtype()) invalid_argument("DType of scatter resource and updates does not match.");
  if (indices.rank() < 1) invalid_argument("Shape must be at least rank 1 but is rank 0");
  BinaryBlock block = update_block(kUpdate, updates.dtype());
  variable.update([&](Tensor& params) {
    check_scatter_nd_shapes(params.shape(), indices.shape(), updates.shape());
    SliceIndexing by = slice_indexing(params.shape(), indices.shape());
    if (!ignore)
      for (std::int64_t i = 0; i < by.slices; ++i)
        if (slice_offset(params.shape(), indices, by, i) < 0)
          invalid_argument(index_vector_text(indices, i), " does not index into shape ", params.shape().text());
    for (std::int64_t i = 0; i < by.slices; ++i) {
      std::int64_t offset = slice_offset(params.shape(), indices, by, i);
      if (offset >= 0) apply(block, params, offset, at(updates, i * by.slice), by.slice, false);
    }
  });
}

void add_scatter(Registry& r, std::string_view name, std::string_view doc, KernelFn kernel, bool any_type = false) {
  r.add({
      .name = name,
      .inputs = {"resource: resource", "indices: Tindices", "updates: dtype"},
      .attrs = {any_type ? "dtype: type" : "dtype: " TRACEFN_NUMBERS, "Tindices: {int32, int64}"},
      .stateful = true,
      .doc = doc,
      .infer = infer_scatter,
      .kernel = kernel,
      .grad = not_differentiable,
  });
}

void add_scatter_nd(Registry& r, std::string_view name, std::string_view doc, KernelFn kernel) {
  r.add({
      .name = name,
      .inputs = {"ref: resource", "indices: Tindices", "updates: T"},
      .attrs = {"T: type", "Tindices: {int32, int64}", "use_locking: bool = true", "bad_indices_policy: string = ''"},
      .stateful = true,
      .doc = doc,
      .infer = infer_scatter_nd,
      .kernel = kernel,
      .grad = not_differentiable,
  });
}

}  // namespace

void register_variable_scatter(Registry& r) {
  r.add({
      .name = "ResourceGather",
      .inputs = {"resource: resource", "indices: Tindices"},
      .outputs = {"output: dtype"},
      .attrs = {"batch_dims: int = 0", "validate_indices: bool = true", "dtype: type", "Tindices: {int32, int64}"},
      .stateful = true,
      .facts = {.reads_variable = true},
      .doc = "The rows of the variable at `indices`; the shape is indices.shape + variable.shape[1:].",
      .infer = infer_gather,
      .kernel = gather,
      .allocation = Allocation::kObjects,
      .grad = gather_grad,
  });
  r.add({
      .name = "ResourceGatherNd",
      .inputs = {"resource: resource", "indices: Tindices"},
      .outputs = {"output: dtype"},
      .attrs = {"dtype: type", "Tindices: {int32, int64}"},
      .stateful = true,
      .facts = {.reads_variable = true},
      .doc = "The slices of the variable at the index vectors in the last dimension of `indices`.",
      .infer = infer_gather_nd,
      .kernel = gather_nd,
      .allocation = Allocation::kObjects,
      .grad = gather_nd_grad,
  });
  add_scatter(r, "ResourceScatterUpdate", "Sets the rows of the variable at `indices` to `updates`.",
              scatter<Update::kAssign>, true);
  add_scatter(r, "ResourceScatterAdd", "Adds `updates` to the rows of the variable at `indices`.",
              scatter<Update::kAdd>);
  add_scatter(r, "ResourceScatterSub", "Subtracts `updates` from the rows of the variable at `indices`.",
              scatter<Update::kSub>);
  add_scatter(r, "ResourceScatterMul", "Multiplies the rows of the variable at `indices` by `updates`.",
              scatter<Update::kMul>);
  add_scatter(r, "ResourceScatterDiv", "Divides the rows of the variable at `indices` by `updates`.",
              scatter<Update::kDiv>);
  add_scatter(r, "ResourceScatterMin", "Sets the rows of the variable at `indices` to their minimum with `updates`.",
              scatter<Update::kMin>);
  add_scatter(r, "ResourceScatterMax", "Sets the rows of the variable at `indices` to their maximum with `updates`.",
              scatter<Update::kMax>);
  add_scatter_nd(r, "ResourceScatterNdUpdate",
                 "Sets the slices of the variable at the index vectors in `indices` to `updates`.",
                 scatter_nd<Update::kAssign>);
  add_scatter_nd(r, "ResourceScatterNdAdd",
                 "Adds `updates` to the slices of the variable at the index vectors in `indices`.",
                 scatter_nd<Update::kAdd>);
  add_scatter_nd(r, "ResourceScatterNdSub",
                 "Subtracts `updates` from the slices of the variable at the index vectors in `indices`.",
                 scatter_nd<Update::kSub>);
  add_scatter_nd(r, "ResourceScatterNdMin",
                 "Sets the slices of the variable at the index vectors in `indices` to their minimum with `updates`.",
                 scatter_nd<Update::kMin>);
  add_scatter_nd(r, "ResourceScatterNdMax",
                 "Sets the slices of the variable at the index vectors in `indices` to their maximum with `updates`.",
                 scatter_nd<Update::kMax>);
}

}  // namespace tracefn
