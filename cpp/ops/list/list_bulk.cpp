// TensorLists, many elements at once: stack, concat, gather, and their inverses from_tensor, split, scatter.
#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/list/tensor_list.h"
#include "ops/state/effect_records.h"

namespace tracefn {
namespace {

std::size_t element_bytes(DType dtype, std::int64_t n) { return static_cast<std::size_t>(n) * size_of(dtype); }

// Element `t` (zeros if unset) to place `i` of `out`, whose places have n elements each.
void put(const Tensor& t, Tensor& out, std::int64_t offset, std::int64_t n) {
  char* to = static_cast<char*>(out.mutable_raw()) + element_bytes(out.dtype(), offset);
  if (t.defined()) {
    copy_elements(out.dtype(), t.raw(), to, n);
  } else if (is_plain(out.dtype())) {
    std::fill_n(to, element_bytes(out.dtype(), n), '\0');
  }  // others were created empty
}

// The elements that `index` selects, stacked; `shape` is fully known.
template <typename Index>
Tensor stack_elements(KernelContext& c, const TensorList& list, const Shape& shape, std::int64_t n, Index index) {
  Tensor out(list.element_dtype, with_first(n, shape));
  std::int64_t size = shape.num_elements();
  c.parallel_for(n, 5.0 + 0.1 * static_cast<double>(size), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      put(list.elements()[static_cast<std::size_t>(index(i))], out, i * size, size);
  });
  return out;
}

void infer_stack(InferContext& c) {
  ListInfo list = list_info(c, 0);
  check_element_dtype(c, list);
  Shape element = merge(element_shape_input(c, 1), list.element_shape);
  c.set_output(0, with_first(c.attr("num_elements").i(), element));
}

void stack(KernelContext& c) {
  const TensorList& list = typed_list_input(c, 0);
  std::int64_t expected = c.attr("num_elements").i();
  if (expected != -1 && list.size() != expected)
    invalid_argument("Operation expected a list with ", expected, " elements but got a list with ", list.size(),
                     " elements.");
  Shape shape = list.known_element_shape(element_shape_of(c.input(1)));
  if (!shape.is_fully_known())
    invalid_argument(list.elements().empty()
                         ? "Tried to stack elements of an empty list with non-fully-defined "
                           "element_shape: "
                         : "Tried to stack list which only contains uninitialized tensors and has a "
                           "non-fully-defined element_shape: ",
                     shape.text());
  if (list.is_packed() && list.size() > 0) {
    merge_partial(shape, without_first(list.packed_values().shape()));
    c.set_output(0, list.packed_values().rows(0, list.size()));
    return;
  }
  PolledSteps polled;
  for (const Tensor& t : list.elements()) {
    polled.step();
    if (t.defined()) merge_partial(shape, t.shape());
  }
  c.set_output(0, stack_elements(c, list, shape, list.size(), [](std::int64_t i) { return i; }));
}

Operand element_shape_as_operand(const Operand& list) {
  return emit1("TensorListElementShape", {list}, {{"shape_type", DType::kInt32}});
}

// The shape of x without its first dimension, as a tensor.
Operand row_shape_of(const Operand& x) {
  Operand shape = build::shape_of(x);
  return emit1("StridedSlice", {shape, build::ints({1}), build::ints({0}), build::ints({1})}, {{"end_mask", 1}});
}

void stack_grad(GradContext& g) { g.to_input(0, emit1("TensorListFromTensor", {g.dy(0), row_shape_of(g.dy(0))})); }

void infer_from_tensor(InferContext& c) {
  Shape element = element_shape_input(c, 1);
  if (c.shape(0).has_rank() && c.shape(0).rank() >= 1) element = merge(without_first(c.shape(0)), element);
  set_list_output(c, 0, c.dtype(0), std::move(element));
}

void from_tensor(KernelContext& c) {
  const Tensor& t = c.input(0);
  Shape shape = element_shape_of(c.input(1));
  if (t.rank() < 1) invalid_argument("Tensor must be at least a vector, but saw shape: ", t.shape().text());
  Shape row = without_first(t.shape());
  if (!shape.is_compatible_with(row))
    invalid_argument("Specified a list with shape ", shape.text(), " from a tensor with shape ", row.text());
  OwnedList out = new_list(t.dtype(), std::move(shape));
  out.list->pack(t, t.dim(0));
  c.set_output(0, std::move(out.handle));
}

void from_tensor_grad(GradContext& g) {
  std::int64_t n = g.input(0).shape().has_rank() ? g.input(0).shape()[0] : -1;
  g.to_input(0, emit1("TensorListStack", {g.dy(0), row_shape_of(g.input(0))},
                      {{"element_dtype", g.attr("element_dtype")}, {"num_elements", n}}));
}

void infer_gather(InferContext& c) {
  ListInfo list = list_info(c, 0);
  check_element_dtype(c, list);
  c.require_rank(1, 1);
  Shape element = merge(element_shape_input(c, 2), list.element_shape);
  c.set_output(0, with_first(c.shape(1).has_rank() ? c.shape(1)[0] : -1, element));
}

void gather(KernelContext& c) {
  const TensorList& list = typed_list_input(c, 0);
  const Tensor& indices = c.input(1);
  Shape shape = merge_partial(element_shape_of(c.input(2)), list.element_shape);
  std::int64_t n = indices.num_elements();
  PolledSteps polled;
  for (std::int64_t i = 0; i < n; ++i, polled.step()) {
    std::int64_t index = indices.int_at(i);
    if (index < 0 || index >= list.size())
      invalid_argument("Index ", index, " out o range; list only has ", list.size(), " elements.");
    const Tensor& t = list.elements()[static_cast<std::size_t>(index)];
    if (t.defined()) shape = merge_partial(shape, t.shape());
  }
  if (!shape.is_fully_known()) shape = list.known_element_shape(shape);
  if (!shape.is_fully_known())
    invalid_argument(n ? "Tried to gather uninitialized tensors from a list with non-fully-defined shape: "
                       : "Tried to gather 0-elements from a list with non-fully-defined shape: ",
                     shape.text());
  c.set_output(0, stack_elements(c, list, shape, n, [&](std::int64_t i) { return indices.int_at(i); }));
}

void gather_grad(GradContext& g) {
  g.to_input(0, emit1("TensorListScatterV2", {g.dy(0), g.input(1), element_shape_as_operand(g.input(0)),
                                              emit1("TensorListLength", {g.input(0)})}));
}

void infer_scatter(InferContext& c) {
  Shape element = element_shape_input(c, 2);
  if (c.shape(0).has_rank() && c.shape(0).rank() >= 1) element = merge(without_first(c.shape(0)), element);
  set_list_output(c, 0, c.dtype(0), std::move(element));
}

// Rows of `t` to the indices `indices` of `list`, which grows as needed.
void scatter_rows(const Tensor& t, const Tensor& indices, TensorList& list) {
  Shape row = without_first(t.shape());
  PolledSteps polled;
  for (std::int64_t i = 0; i < indices.num_elements(); ++i, polled.step()) {
    auto at = static_cast<std::size_t>(indices.int_at(i));
    if (at >= list.elements().size()) list.resize(at + 1);
    list.elements()[at] = t.rows(i, i + 1).reshaped(row);
  }
}

void scatter(KernelContext& c) {
  const Tensor& t = c.input(0);
  const Tensor& indices = c.input(1);
  Shape shape = element_shape_of(c.input(2));
  std::int64_t n = c.num_inputs() > 3 ? int_input(c, 3, "num_elements") : -1;
  if (n < -1) invalid_argument("TensorListScatter expects num_elements >= -1, found: ", n);
  if (t.rank() < 1) invalid_argument("Tensor must be at least a vector, but saw shape: ", t.shape().text());
  if (indices.num_elements() != t.dim(0))
    invalid_argument("Invalid number of rows in input tensor. Expected: ", indices.num_elements(),
                     " Actual: ", t.dim(0));
  Shape row = without_first(t.shape());
  if (!shape.is_compatible_with(row))
    invalid_argument("Specified a list with shape ", shape.text(), " from a tensor with shape ", row.text());
  for (std::int64_t i = 0; i < indices.num_elements(); ++i) {
    if (indices.int_at(i) < 0) invalid_argument("Indices in TensorListScatter must all be non-negative.");
    if (n != -1 && indices.int_at(i) >= n)
      invalid_argument("TensorListScatter: Trying to scatter at index ", indices.int_at(i), " in list with size ", n);
  }
  OwnedList out = new_list(t.dtype(), std::move(shape));
  if (n > 0) out.list->resize(static_cast<std::size_t>(n));
  scatter_rows(t, indices, *out.list);
  c.set_output(0, std::move(out.handle));
}

void scatter_grad(GradContext& g) {
  g.to_input(0, emit1("TensorListGather", {g.dy(0), g.input(1), row_shape_of(g.input(0))},
                      {{"element_dtype", g.attr("element_dtype")}}));
}

void infer_scatter_into(InferContext& c) {
  ListInfo list = list_info(c, 0);
  check_element_dtype(c, list);
  if (c.shape(1).has_rank() && c.shape(1).rank() >= 1) merge(without_first(c.shape(1)), list.element_shape);
  set_list_output(c, 0, c.attr("element_dtype").type(), list.element_shape);
}

void scatter_into(KernelContext& c) {
  const TensorList& list = list_input(c, 0);
  const Tensor& t = c.input(1);
  const Tensor& indices = c.input(2);
  if (list.element_dtype != t.dtype())
    invalid_argument("Invalid data types; input tensor type: ", runtime_name(t.dtype()),
                     " list element_type: ", runtime_name(list.element_dtype));
  if (t.rank() < 1) invalid_argument("Tensor must be at least a vector, but saw shape: ", t.shape().text());
  if (indices.rank() != 1)
    invalid_argument("Expected indices to be a vector, but received shape: ", indices.shape().text());
  if (indices.num_elements() != t.dim(0))
    invalid_argument("Expected len(indices) == tensor.shape[0], but saw: ", indices.num_elements(), " vs. ", t.dim(0));
  for (std::int64_t i = 0; i < indices.num_elements(); ++i)
    if (indices.int_at(i) < 0) invalid_argument("Indices in TensorListScatter must all be non-negative.");
  OwnedList out = owned_list(c, 0);
  scatter_rows(t, indices, *out.list);
  c.set_output(0, std::move(out.handle));
}

void scatter_into_grad(GradContext& g) {
  const Attr& dtype = g.attr("element_dtype");
  Operand rows = emit1("TensorListGather", {g.dy(0), g.input(2), row_shape_of(g.input(1))}, {{"element_dtype", dtype}});
  g.to_input(0, emit1("TensorListScatterIntoExistingList", {g.dy(0), build::zeros_like(g.input(1)), g.input(2)},
                      {{"element_dtype", dtype}}));
  g.to_input(1, rows);
}

void infer_concat(InferContext& c) {
  ListInfo list = list_info(c, 0);
  check_element_dtype(c, list);
  Shape element = c.num_inputs() > 1 ? element_shape_input(c, 1) : c.attr("element_shape").shape();
  element = merge(element, list.element_shape);
  if (element.has_rank() && element.rank() >= 1) element[0] = -1;
  c.set_output(0, std::move(element));
  c.set_output(1, Shape({-1}));
}

void concat_elements(KernelContext& c) {
  const TensorList& list = typed_list_input(c, 0);
  Shape shape = c.num_inputs() > 1 ? element_shape_of(c.input(1)) : c.attr("element_shape").shape();
  shape = merge_partial(shape, list.element_shape);
  if (shape.has_rank() && shape.rank() < 1)
    invalid_argument("Concat requires elements to be at least vectors, found scalars instead.");
  std::int64_t first = shape.has_rank() ? shape[0] : -1;
  Shape rest = without_first(shape);
  if (list.elements().empty() && !rest.is_fully_known())
    invalid_argument(
        "All except the first dimension must be fully defined when concating an empty tensor list. "
        "element_shape: ",
        shape.text());
  std::vector<std::int64_t> lengths;
  std::int64_t total = 0;
  PolledSteps polled;
  for (std::size_t i = 0; i < list.elements().size(); ++i, polled.step()) {
    const Tensor& t = list.elements()[i];
    std::int64_t length = first;
    if (t.defined()) {
      if (t.rank() < 1) invalid_argument("Concat saw a scalar shape at index ", i, " but requires at least vectors.");
      rest = merge_partial(rest, without_first(t.shape()));
      length = t.dim(0);
    } else if (first < 0) {
      std::int64_t given = c.num_inputs() > 2 ? c.input(2).num_elements() : 0;
      if (static_cast<std::int64_t>(i) >= given)
        invalid_argument("List contains uninitialized tensor at index ", i, " but leading_dims has only ", given,
                         " elements.");
      length = c.input(2).int_at(static_cast<std::int64_t>(i));
      if (length < 0) invalid_argument("leading_dims[", i, "] = ", length, " must not be negative.");
    }
    lengths.push_back(length);
    if (__builtin_add_overflow(total, length, &total)) invalid_argument("The concatenated tensor is too large.");
  }
  if (!rest.is_fully_known())
    invalid_argument(
        "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not "
        "fully defined: ",
        rest.text());
  Tensor out(list.element_dtype, with_first(total, rest));
  std::int64_t row = rest.num_elements(), at = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i, polled.step()) {
    put(list.elements()[i], out, at * row, lengths[i] * row);
    at += lengths[i];
  }
  c.set_output(0, std::move(out));
  c.set_output(1, Tensor::vector(std::span<const std::int64_t>(lengths)));
}

void concat_grad(GradContext& g) {
  g.to_input(0, emit1("TensorListSplit", {g.dy(0), element_shape_as_operand(g.input(0)), g.output(1)}));
}

void infer_split(InferContext& c) {
  c.require_rank_at_least(0, 1);
  c.require_rank(2, 1);
  Shape element = element_shape_input(c, 1);
  if (element.has_rank() && element.rank() < 1)
    invalid_argument("Shape must be at least rank 1 but is rank ", element.rank());
  if (c.shape(0).has_rank()) {
    Shape of_tensor = with_first(-1, without_first(c.shape(0)));
    element = merge(of_tensor, element);
  }
  set_list_output(c, 0, c.dtype(0), std::move(element));
}

void split(KernelContext& c) {
  const Tensor& t = c.input(0);
  const Tensor& lengths = c.input(2);
  Shape shape = element_shape_of(c.input(1));
  if (lengths.rank() != 1)
    invalid_argument("Expected lengths to be a vector, received shape: ", lengths.shape().text());
  if (t.rank() < 1) invalid_argument("Tensor must be at least a vector, but saw shape: ", t.shape().text());
  if (shape.has_rank() && shape.rank() < 1)
    invalid_argument("TensorListSplit requires element_shape to be at least of rank 1, but saw: ", shape.text());
  Shape rows = with_first(-1, without_first(t.shape()));
  if (!shape.is_compatible_with(rows) && !without_first(shape).is_compatible_with(without_first(t.shape())))
    invalid_argument("tensor shape ", t.shape().text(), " is not compatible with element_shape ", shape.text());
  OwnedList out = new_list(t.dtype(), std::move(shape));
  std::int64_t begin = 0;
  PolledSteps polled;
  for (std::int64_t i = 0; i < lengths.num_elements(); ++i, polled.step()) {
    std::int64_t length = lengths.int_at(i);
    if (length < 0) invalid_argument("Invalid value in lengths: ", length);
    if (length > t.dim(0) - begin)
      invalid_argument("Attempting to slice [", begin, ", ", begin + length, "] from tensor with length ", t.dim(0));
    out.list->elements().push_back(t.rows(begin, begin + length));
    begin += length;
  }
  if (begin != t.dim(0))
    invalid_argument("Unused values in tensor. Length of tensor: ", t.dim(0), " Values used: ", begin);
  c.set_output(0, std::move(out.handle));
}

void split_grad(GradContext& g) {
  Operand args[] = {g.dy(0), g.input(1), g.input(2)};
  g.to_input(0, emit_all("TensorListConcatV2", args, {{"element_dtype", g.attr("element_dtype")}})[0]);
}

void register_out_of_lists(Registry& r) {
  r.add({
      .name = "TensorListStack",
      .inputs = {"input_handle: variant", "element_shape: int32"},
      .outputs = {"tensor: element_dtype"},
      .attrs = {"element_dtype: type", "num_elements: int = -1"},
      .kind = OpKind::kListStack,
      .doc = "The elements of the list, stacked along a new first axis.",
      .infer = infer_stack,
      .kernel = stack,
      .allocation = Allocation::kObjects,
      .grad = stack_grad,
  });
  r.add({
      .name = "TensorListGather",
      .inputs = {"input_handle: variant", "indices: int32", "element_shape: int32"},
      .outputs = {"values: element_dtype"},
      .attrs = {"element_dtype: type"},
      .doc = "The elements at `indices`, stacked along a new first axis.",
      .infer = infer_gather,
      .kernel = gather,
      .allocation = Allocation::kObjects,
      .grad = gather_grad,
  });
  r.add({
      .name = "TensorListConcat",
      .inputs = {"input_handle: variant"},
      .outputs = {"tensor: element_dtype", "lengths: int64"},
      .attrs = {"element_dtype: type", "element_shape: shape = unknown"},
      .doc = "The elements of the list, concatenated along their first axis, and their lengths along it.",
      .infer = infer_concat,
      .kernel = concat_elements,
      .allocation = Allocation::kObjects,
      .grad = concat_grad,
  });
  r.add({
      .name = "TensorListConcatV2",
      .inputs = {"input_handle: variant", "element_shape: shape_type", "leading_dims: int64"},
      .outputs = {"tensor: element_dtype", "lengths: int64"},
      .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
      .doc = "The elements of the list, concatenated along their first axis, and their lengths along it. "
             "`leading_dims` holds the lengths of unset elements.",
      .infer = infer_concat,
      .kernel = concat_elements,
      .allocation = Allocation::kObjects,
      .grad = concat_grad,
  });
}

void register_into_lists(Registry& r) {
  r.add({
      .name = "TensorListFromTensor",
      .inputs = {"tensor: element_dtype", "element_shape: shape_type"},
      .outputs = {"output_handle: variant"},
      .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
      .kind = OpKind::kListUnstack,
      .doc = "A list of the rows of `tensor`.",
      .infer = infer_from_tensor,
      .kernel = from_tensor,
      .allocation = Allocation::kObjects,
      .grad = from_tensor_grad,
  });
  r.add({
      .name = "TensorListScatter",
      .inputs = {"tensor: element_dtype", "indices: int32", "element_shape: shape_type"},
      .outputs = {"output_handle: variant"},
      .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
      .doc = "A list with row i of `tensor` at index indices[i].",
      .infer = infer_scatter,
      .kernel = scatter,
      .allocation = Allocation::kObjects,
      .grad = scatter_grad,
  });
  r.add({
      .name = "TensorListScatterV2",
      .inputs = {"tensor: element_dtype", "indices: int32", "element_shape: shape_type", "num_elements: int32"},
      .outputs = {"output_handle: variant"},
      .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
      .doc =
          "A list of `num_elements` elements with row i of `tensor` at index indices[i]; -1 means as many as needed.",
      .infer = infer_scatter,
      .kernel = scatter,
      .allocation = Allocation::kObjects,
      .grad = scatter_grad,
  });
  r.add({
      .name = "TensorListScatterIntoExistingList",
      .inputs = {"input_handle: variant", "tensor: element_dtype", "indices: int32"},
      .outputs = {"output_handle: variant"},
      .attrs = {"element_dtype: type"},
      .doc = "The list with row i of `tensor` at index indices[i]. The list grows as needed.",
      .infer = infer_scatter_into,
      .kernel = scatter_into,
      .allocation = Allocation::kObjects,
      .grad = scatter_into_grad,
  });
  r.add({
      .name = "TensorListSplit",
      .inputs = {"tensor: element_dtype", "element_shape: shape_type", "lengths: int64"},
      .outputs = {"output_handle: variant"},
      .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
      .doc = "A list of consecutive slices of `tensor` along its first axis, with the given lengths.",
      .infer = infer_split,
      .kernel = split,
      .allocation = Allocation::kObjects,
      .grad = split_grad,
  });
}

}  // namespace

void register_list_bulk(Registry& r) {
  register_out_of_lists(r);
  register_into_lists(r);
}

}  // namespace tracefn
