// TensorLists, single elements: create, push, pop, get, set, resize. Bulk ops are in list_bulk.cpp.
#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/list/tensor_list.h"
#include "ops/state/effect_records.h"

namespace tracefn {
namespace {

// A list declares its maximum number of elements; that many are reserved at once, but not more than this.
constexpr std::int64_t kMostReserved = 1 << 20;

void require_room(const TensorList& list) {
  if (list.max_num_elements != -1 && list.size() >= list.max_num_elements)
    invalid_argument("Tried to push item into a full list list size: ", list.size(),
                     " max_num_elements: ", list.max_num_elements);
}

void infer_new(InferContext& c) { set_list_output(c, 0, c.attr("element_dtype").type(), element_shape_input(c, 0)); }

void empty_list(KernelContext& c) {
  Shape shape = element_shape_of(c.input(0));
  std::int32_t most = int_input(c, 1, "max_num_elements");
  c.set_output(0, new_list(c.attr("element_dtype").type(), std::move(shape), most).handle);
}

void reserve(KernelContext& c) {
  Shape shape = element_shape_of(c.input(0));
  std::int32_t n = int_input(c, 1, "num_elements");
  if (n < 0) invalid_argument("The num_elements to reserve must be a non negative number, but got ", n);
  OwnedList out = new_list(c.attr("element_dtype").type(), std::move(shape));
  out.list->resize(static_cast<std::size_t>(n));
  c.set_output(0, std::move(out.handle));
}

void infer_push(InferContext& c) {
  ListInfo list = list_info(c, 0);
  DType dtype = c.attr("element_dtype").type();
  if (list.dtype != DType::kInvalid && list.dtype != dtype)
    invalid_argument("Trying to push to list with wrong element dtype. List has type ", runtime_name(list.dtype),
                     " but trying to push element with type ", runtime_name(dtype));
  merge(c.shape(1), list.element_shape);
  set_list_output(c, 0, dtype, list.element_shape);
}

void push(KernelContext& c) {
  const TensorList& list = typed_list_input(c, 0);
  const Shape& shape = c.input(1).shape();
  if (!list.element_shape.is_compatible_with(shape))
    invalid_argument("Tried to append a tensor with incompatible shape to a list. Op element shape: ", shape.text(),
                     " list shape: ", list.element_shape.text());
  require_room(list);
  OwnedList out = owned_list(c, 0);
  std::vector<Tensor>& elements = out.list->elements();
  if (elements.empty() && list.max_num_elements > 0)
    elements.reserve(static_cast<std::size_t>(std::min(list.max_num_elements, kMostReserved)));
  elements.push_back(c.take_input(1));
  c.set_output(0, std::move(out.handle));
}

void push_grad(GradContext& g) {
  Operand args[] = {g.dy(0), build::shape_of(g.input(1))};
  Operands popped = emit_all("TensorListPopBack", args, {{"element_dtype", g.attr("element_dtype")}});
  g.to_input(0, popped[0]);
  g.to_input(1, popped[1]);
}

void infer_pop(InferContext& c) {
  ListInfo list = list_info(c, 0);
  check_element_dtype(c, list);
  Shape shape = merge(element_shape_input(c, 1), list.element_shape);
  set_list_output(c, 0, c.attr("element_dtype").type(), shape);
  c.set_output(1, std::move(shape));
}

void pop(KernelContext& c) {
  const TensorList& list = typed_list_input(c, 0);
  if (list.elements().empty()) invalid_argument("Trying to pop from an empty list.");
  Shape shape;
  if (!list.elements().back().defined()) {
    shape = merge_partial(element_shape_of(c.input(1)), list.element_shape);
    if (!shape.is_fully_known())
      invalid_argument("Trying to read an uninitialized tensor but element_shape is not fully defined.", shape.text());
  }
  OwnedList out = owned_list(c, 0);
  Tensor element = std::move(out.list->elements().back());
  out.list->elements().pop_back();
  if (!element.defined()) element = Tensor::zeros(out.list->element_dtype, std::move(shape));
  c.set_output(0, std::move(out.handle));
  c.set_output(1, std::move(element));
}

void pop_grad(GradContext& g) {
  Operand args[] = {g.dy(0), g.dy(1)};
  g.to_input(0, emit_all("TensorListPushBack", args, {{"element_dtype", g.attr("element_dtype")}})[0]);
}

void infer_get(InferContext& c) {
  ListInfo list = list_info(c, 0);
  check_element_dtype(c, list);
  c.set_output(0, merge(element_shape_input(c, 2), list.element_shape));
}

void get(KernelContext& c) {
  const TensorList& list = typed_list_input(c, 0);
  std::int32_t index = int_input(c, 1, "index");
  if (index < 0 || index >= list.size())
    invalid_argument("Trying to access element ", index, " in a list with ", list.size(), " elements.");
  Tensor element = list.element(index);
  if (element.defined()) {
    c.set_output(0, std::move(element));
    return;
  }
  Shape shape = list.known_element_shape(element_shape_of(c.input(2)));
  if (!shape.is_fully_known())
    invalid_argument("Trying to read an uninitialized tensor but element_shape is not fully defined: ", shape.text(),
                     " and no list element is set.");
  c.set_output(0, Tensor::zeros(list.element_dtype, std::move(shape)));
}

void get_grad(GradContext& g) {
  Operand length = emit1("TensorListLength", {g.input(0)});
  const Attr& dtype = g.attr("element_dtype");
  // Elements may differ in shape: the list of zeros accepts what the list accepted.
  Operand shape = emit1("TensorListElementShape", {g.input(0)}, {{"shape_type", DType::kInt32}});
  Operand zeros = emit1("TensorListReserve", {shape, length}, {{"element_dtype", dtype}});
  g.to_input(0, emit1("TensorListSetItem", {zeros, g.input(1), g.dy(0)}, {{"element_dtype", dtype}}));
}

void infer_set(InferContext& c) {
  ListInfo list = list_info(c, 0);
  check_element_dtype(c, list);
  merge(c.shape(2), list.element_shape);
  set_list_output(c, 0, c.attr("element_dtype").type(), list.element_shape);
}

void set(KernelContext& c) {
  const TensorList& list = typed_list_input(c, 0);
  std::int32_t index = int_input(c, 1, "index");
  bool resize = c.attr("resize_if_index_out_of_bounds").b();
  if (index < 0 || (!resize && index >= list.size()))
    invalid_argument("Trying to modify element ", index, " in a list with ", list.size(), " elements.");
  const Shape& shape = c.input(2).shape();
  if (!list.element_shape.is_compatible_with(shape))
    invalid_argument("Tried to set a tensor with incompatible shape at a list index. Item element shape: ",
                     shape.text(), " list shape: ", list.element_shape.text());
  OwnedList out = owned_list(c, 0);
  if (index >= out.list->size()) out.list->resize(static_cast<std::size_t>(index) + 1);
  out.list->set(index, c.take_input(2));
  c.set_output(0, std::move(out.handle));
}

void set_grad(GradContext& g) {
  const Attr& dtype = g.attr("element_dtype");
  Operand list =
      emit1("TensorListSetItem", {g.dy(0), g.input(1), build::zeros_like(g.input(2))}, {{"element_dtype", dtype}});
  if (g.attr("resize_if_index_out_of_bounds").b())
    list = emit1("TensorListResize", {list, emit1("TensorListLength", {g.input(0)})});
  g.to_input(0, list);
  g.to_input(
      2, emit1("TensorListGetItem", {g.dy(0), g.input(1), build::shape_of(g.input(2))}, {{"element_dtype", dtype}}));
}

void length(KernelContext& c) {
  *c.output(0).mutable_data<std::int32_t>() = static_cast<std::int32_t>(list_input(c, 0).size());
}

void infer_resize(InferContext& c) {
  ListInfo list = list_info(c, 0);
  set_list_output(c, 0, list.dtype, list.element_shape);
}

void resize(KernelContext& c) {
  std::int32_t size = int_input(c, 1, "size");
  if (size < 0) invalid_argument("TensorListSlice expects size to be non-negative. Got: ", size);
  OwnedList out = owned_list(c, 0);
  out.list->resize(static_cast<std::size_t>(size));
  c.set_output(0, std::move(out.handle));
}

void resize_grad(GradContext& g) {
  g.to_input(0, emit1("TensorListResize", {g.dy(0), emit1("TensorListLength", {g.input(0)})}));
}

void infer_element_shape(InferContext& c) {
  Shape shape = list_info(c, 0).element_shape;
  c.set_output(0, shape.has_rank() ? Shape({shape.rank()}) : Shape::unknown());
}

void element_shape(KernelContext& c) {
  const Shape& shape = list_input(c, 0).element_shape;
  Tensor out(c.attr("shape_type").type(), shape.has_rank() ? Shape({shape.rank()}) : Shape());
  for (int i = 0; i < out.num_elements(); ++i) {
    std::int64_t dim = shape.has_rank() ? shape[i] : -1;
    if (out.dtype() == DType::kInt32) {
      out.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(dim);
    } else {
      out.mutable_data<std::int64_t>()[i] = dim;
    }
  }
  c.set_output(0, std::move(out));
}

void infer_push_batch(InferContext& c) {
  ListInfo list = list_info(c, 0);
  Shape batch = c.shape(0);
  if (c.shape(1).has_rank()) {
    if (c.shape(1).rank() < 1) invalid_argument("Shape must be at least rank 1 but is rank 0");
    batch = merge(batch, Shape({c.shape(1)[0]}));
  }
  OutputInfo& out = c.output(0);
  out.shape = std::move(batch);
  out.handle_dtype = c.attr("element_dtype").type();
  out.handle_shape = merge(without_first(c.shape(1)), list.element_shape);
}

void push_batch(KernelContext& c) {
  const Tensor& values = c.input(1);
  const Tensor& given = c.input(0);
  if (values.rank() < 1) invalid_argument("Expected tensor to be at least a vector, but saw shape: []");
  if (given.rank() != 1 || given.dim(0) != values.dim(0))
    invalid_argument("Expected tensor.shape[0] == input_handles.size, but saw ", values.dim(0), " vs. ",
                     given.num_elements());
  Tensor handles(DType::kVariant, given.shape());
  auto* out = handles.mutable_data<Ref<RefCounted>>();
  Shape element = without_first(values.shape());
  PolledSteps polled;
  for (std::int64_t i = 0; i < given.dim(0); ++i, polled.step()) {
    auto* list = dynamic_cast<TensorList*>(given.data<Ref<RefCounted>>()[i].get());
    if (!list) invalid_argument("Input handle at index ", i, " is not a TensorList");
    if (list->element_dtype != values.dtype())
      invalid_argument("Invalid data type at index ", i, "; op elements ", runtime_name(values.dtype()),
                       " but list elements ", runtime_name(list->element_dtype));
    if (!list->element_shape.is_compatible_with(element))
      invalid_argument("Tried to append a tensor with incompatible shape to a list at index ", i,
                       ". Op element shape: ", element.text(), " list shape: ", list->element_shape.text());
    require_room(*list);
    Ref<TensorList> copy = list->copy();
    copy->elements().push_back(values.rows(i, i + 1).reshaped(element));
    out[i] = std::move(copy);
  }
  c.set_output(0, std::move(handles));
}

void infer_concat_lists(InferContext& c) {
  ListInfo a = list_info(c, 0), b = list_info(c, 1);
  DType dtype = c.attr("element_dtype").type();
  for (const ListInfo& list : {a, b})
    if (list.dtype != DType::kInvalid && list.dtype != dtype)
      invalid_argument("input_a.type != element_dtype: ", runtime_name(list.dtype), " vs. ", runtime_name(dtype));
  OutputInfo& out = c.output(0);
  out.shape = merge(c.shape(0), c.shape(1));
  out.handle_dtype = dtype;
  out.handle_shape = merge(a.element_shape, b.element_shape);
}

void concat_lists(KernelContext& c) {
  const Tensor& a = c.input(0);
  const Tensor& b = c.input(1);
  if (!(a.shape() == b.shape()))
    invalid_argument("input_a.shape != input_b.shape: ", a.shape().text(), " vs. ", b.shape().text());
  DType dtype = c.attr("element_dtype").type();
  Tensor handles(DType::kVariant, a.shape());
  PolledSteps polled;
  for (std::int64_t i = 0; i < a.num_elements(); ++i) {
    auto* x = dynamic_cast<TensorList*>(a.data<Ref<RefCounted>>()[i].get());
    auto* y = dynamic_cast<TensorList*>(b.data<Ref<RefCounted>>()[i].get());
    if (!x || !y) invalid_argument(x ? "input_b[" : "input_a[", i, "] is not a TensorList.");
    for (auto [list, which] : {std::pair{x, "input_a["}, std::pair{y, "input_b["}})
      if (list->element_dtype != dtype)
        invalid_argument(which, i, "].dtype != element_dtype.  Saw: ", runtime_name(list->element_dtype), " vs. ",
                         runtime_name(dtype));
    if (!(x->element_shape == y->element_shape))
      invalid_argument("input_a and input_b TensorList element shapes are not identical at index ", i, ".  Saw ",
                       x->element_shape.text(), " vs. ", y->element_shape.text());
    Ref<TensorList> both = x->copy();
    for (const Tensor& t : y->elements()) {
      both->elements().push_back(t);
      polled.step();
    }
    handles.mutable_data<Ref<RefCounted>>()[i] = std::move(both);
  }
  c.set_output(0, std::move(handles));
}

void register_making(Registry& r) {
  r.add({
      .name = "EmptyTensorList",
      .inputs = {"element_shape: shape_type", "max_num_elements: int32"},
      .outputs = {"handle: variant"},
      .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
      .kind = OpKind::kListEmpty,
      .doc = "An empty list of tensors of `element_shape`, with room for `max_num_elements`; -1 means no limit.",
      .infer = infer_new,
      .kernel = empty_list,
      .allocation = Allocation::kObjects,
      .grad = not_differentiable,
  });
  r.add({
      .name = "TensorListReserve",
      .inputs = {"element_shape: shape_type", "num_elements: int32"},
      .outputs = {"handle: variant"},
      .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
      .kind = OpKind::kListReserve,
      .doc = "A list of `num_elements` unset elements, which read as zeros.",
      .infer = infer_new,
      .kernel = reserve,
      .allocation = Allocation::kObjects,
      .grad = not_differentiable,
  });
  r.add({
      .name = "TensorListLength",
      .inputs = {"input_handle: variant"},
      .outputs = {"length: int32"},
      .kind = OpKind::kListLength,
      .doc = "The number of elements of the list.",
      .infer = infer::scalar,
      .kernel = length,
      .grad = not_differentiable,
  });
  r.add({
      .name = "TensorListResize",
      .inputs = {"input_handle: variant", "size: int32"},
      .outputs = {"output_handle: variant"},
      .doc = "The list truncated to `size` elements, or extended to `size` with unset elements.",
      .infer = infer_resize,
      .kernel = resize,
      .allocation = Allocation::kObjects,
      .grad = resize_grad,
  });
  r.add({
      .name = "TensorListElementShape",
      .inputs = {"input_handle: variant"},
      .outputs = {"element_shape: shape_type"},
      .attrs = {"shape_type: {int32, int64}"},
      .doc = "The shape of the list's elements, with -1 for unknown dimensions; a scalar -1 if the rank is unknown.",
      .infer = infer_element_shape,
      .kernel = element_shape,
      .allocation = Allocation::kObjects,
      .grad = not_differentiable,
  });
}

void register_access(Registry& r) {
  r.add({
      .name = "TensorListPushBack",
      .inputs = {"input_handle: variant", "tensor: element_dtype"},
      .outputs = {"output_handle: variant"},
      .attrs = {"element_dtype: type"},
      .kind = OpKind::kListPush,
      .doc = "The list with `tensor` appended.",
      .infer = infer_push,
      .kernel = push,
      .allocation = Allocation::kObjects,
      .grad = push_grad,
  });
  r.add({
      .name = "TensorListPopBack",
      .inputs = {"input_handle: variant", "element_shape: int32"},
      .outputs = {"output_handle: variant", "tensor: element_dtype"},
      .attrs = {"element_dtype: type"},
      .kind = OpKind::kListPop,
      .doc = "The list without its last element, and that element.",
      .infer = infer_pop,
      .kernel = pop,
      .allocation = Allocation::kObjects,
      .grad = pop_grad,
  });
  r.add({
      .name = "TensorListGetItem",
      .inputs = {"input_handle: variant", "index: int32", "element_shape: Tshape"},
      .outputs = {"item: element_dtype"},
      .attrs = {"element_dtype: type", "Tshape: {int32, int64} = DT_INT32"},
      .kind = OpKind::kListGet,
      .doc = "Element `index` of the list, or zeros if it is unset.",
      .infer = infer_get,
      .kernel = get,
      .allocation = Allocation::kObjects,
      .grad = get_grad,
  });
  r.add({
      .name = "TensorListSetItem",
      .inputs = {"input_handle: variant", "index: int32", "item: element_dtype"},
      .outputs = {"output_handle: variant"},
      .attrs = {"element_dtype: type", "resize_if_index_out_of_bounds: bool = false"},
      .kind = OpKind::kListSet,
      .doc = "The list with element `index` replaced by `item`.",
      .infer = infer_set,
      .kernel = set,
      .allocation = Allocation::kObjects,
      .grad = set_grad,
  });
  r.add({
      .name = "TensorListPushBackBatch",
      .inputs = {"input_handles: variant", "tensor: element_dtype"},
      .outputs = {"output_handles: variant"},
      .attrs = {"element_dtype: type"},
      .doc = "A vector of lists: list i with row i of `tensor` appended.",
      .infer = infer_push_batch,
      .kernel = push_batch,
      .allocation = Allocation::kObjects,
      .grad = not_differentiable,
  });
  r.add({
      .name = "TensorListConcatLists",
      .inputs = {"input_a: variant", "input_b: variant"},
      .outputs = {"output: variant"},
      .attrs = {"element_dtype: type"},
      .doc = "The lists of `input_a`, each extended with the elements of the matching list in `input_b`.",
      .infer = infer_concat_lists,
      .kernel = concat_lists,
      .allocation = Allocation::kObjects,
      .grad = not_differentiable,
  });
}

}  // namespace

void register_list(Registry& r) {
  register_making(r);
  register_access(r);
}

}  // namespace tracefn
