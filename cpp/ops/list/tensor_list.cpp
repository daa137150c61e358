// Ownership, shapes and arithmetic of TensorLists.
#include "ops/list/tensor_list.h"

#include <algorithm>
#include <mutex>

#include "base/physical_memory.h"
#include "base/poll.h"
#include "ops/elementwise/elementwise_kernel.h"

namespace tracefn {

Tensor variant_zeros_like(const Tensor& x) {
  Tensor out(DType::kVariant, x.shape());
  auto* to = out.mutable_data<Ref<RefCounted>>();
  auto from = x.span<Ref<RefCounted>>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!from[i]) continue;  // an element without a value stands for zeros
    auto* object = dynamic_cast<VariantObject*>(from[i].get());
    if (!object) invalid_argument("No zeros_like for this variant.");
    to[i] = object->zeros_like();
  }
  return out;
}

Tensor variant_add(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape()))
    invalid_argument("Inputs to operation AddN must have the same size and shape.  Input 0: ", a.shape().text(),
                     " != input 1: ", b.shape().text());
  Tensor out(DType::kVariant, a.shape());
  auto* to = out.mutable_data<Ref<RefCounted>>();
  for (std::int64_t i = 0; i < a.num_elements(); ++i) {
    const Ref<RefCounted>& first = a.data<Ref<RefCounted>>()[i];
    const Ref<RefCounted>& second = b.data<Ref<RefCounted>>()[i];
    if (!first || !second) {  // an element without a value stands for zeros
      to[i] = first ? first : second;
      continue;
    }
    auto* x = dynamic_cast<VariantObject*>(first.get());
    auto* y = dynamic_cast<VariantObject*>(second.get());
    if (!x || !y) invalid_argument("No addition for these variants.");
    to[i] = x->add(*y);
  }
  return out;
}

Tensor add_held(const Tensor& a, const Tensor& b) {
  if (a.dtype() == DType::kVariant) return variant_add(a, b);
  BinaryBlock block = elementwise_kernel<functions::Add>(a.dtype());
  if (!block) return a;
  Tensor sum(a.dtype(), a.shape());
  block(a.raw(), b.raw(), sum.mutable_raw(), a.num_elements(), 0);
  return sum;
}

Ref<VariantObject> TensorList::zeros_like() const {
  auto out = make_ref<TensorList>(element_dtype, element_shape, max_num_elements);
  PolledSteps polled;
  for (const Tensor& t : elements()) {
    polled.step();
    Tensor zero;
    if (t.defined()) zero = t.dtype() == DType::kVariant ? variant_zeros_like(t) : Tensor::zeros(t.dtype(), t.shape());
    out->elements().push_back(std::move(zero));
  }
  return out;
}

Ref<VariantObject> TensorList::add(const VariantObject& other) const {
  auto* that = dynamic_cast<const TensorList*>(&other);
  if (!that) invalid_argument("Cannot add a TensorList and another kind of variant.");
  if (element_dtype != that->element_dtype)
    invalid_argument("Trying to add two lists of tensors of different dtypes. One is ", runtime_name(element_dtype),
                     " and the other is ", runtime_name(that->element_dtype));
  if (size() != that->size())
    invalid_argument("Trying to add two lists of tensors with different lengths. One is ", size(), " and the other is ",
                     that->size());
  auto out = make_ref<TensorList>(element_dtype, merge_partial(element_shape, that->element_shape));
  PolledSteps polled;
  for (std::size_t i = 0; i < elements().size(); ++i, polled.step()) {
    const Tensor& a = elements()[i];
    const Tensor& b = that->elements()[i];
    if (!a.defined() || !b.defined()) {
      out->elements().push_back(a.defined() ? a : b);
    } else {
      if (element_dtype != DType::kVariant) merge_partial(a.shape(), b.shape());
      out->elements().push_back(add_held(a, b));
    }
  }
  return out;
}

void TensorList::resize(std::size_t size) {
  if (size > physical_memory() / sizeof(Tensor))
    fail(ErrorKind::kResourceExhausted, "OOM when allocating a list of ", size, " tensors");
  if (this->size() == 0) {
    elements();
    return set_unset(static_cast<std::int64_t>(size));
  }
  std::vector<Tensor>& all = elements();
  if (size <= all.size()) return all.resize(size);
  if (size > all.capacity()) all.reserve(std::max(size, 2 * all.size()));
  PolledSteps polled;
  for (std::size_t i = all.size(); i < size; ++i, polled.step()) all.emplace_back();
}

Ref<TensorList> TensorList::copy() const {
  auto out = make_ref<TensorList>(element_dtype, element_shape, max_num_elements);
  if (is_packed()) {
    out->pack(values_, num_packed_);
  } else if (is_unset()) {
    out->set_unset(num_packed_);
    out->only_ = only_;
    out->only_index_ = only_index_;
  } else {
    out->elements_.reserve(elements_.size());
    PolledSteps polled;
    for (const Tensor& t : elements_) {
      out->elements_.push_back(t);
      polled.step();
    }
  }
  return out;
}

Tensor TensorList::row(const Tensor& values, std::int64_t i) {
  return values.rows(i, i + 1).reshaped(without_first(values.shape()));
}

Tensor TensorList::element(std::int64_t i) const {
  if (is_packed()) return row(values_, i);
  if (is_unset()) return i == only_index_ ? only_ : Tensor();
  return elements_[static_cast<std::size_t>(i)];
}

void TensorList::set(std::int64_t i, Tensor value) {
  if (is_unset() && (!only_.defined() || only_index_ == i)) {
    only_ = std::move(value);
    only_index_ = i;
  } else {
    elements()[static_cast<std::size_t>(i)] = std::move(value);
  }
}

void TensorList::unpack() const {
  std::vector<Tensor> elements;
  elements.reserve(static_cast<std::size_t>(num_packed_));
  PolledSteps polled;
  const bool unset = is_unset();
  for (std::int64_t i = 0; i < num_packed_; ++i, polled.step()) elements.push_back(unset ? Tensor() : row(values_, i));
  if (unset && only_.defined()) elements[static_cast<std::size_t>(only_index_)] = only_;
  // The first thread's result is kept.
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (form_.load(std::memory_order_relaxed) == Form::kElements) return;
  elements_.swap(elements);
  form_.store(Form::kElements, std::memory_order_release);
}

Shape TensorList::known_element_shape(const Shape& shape) const {
  Shape out = merge_partial(shape, element_shape);
  if (out.is_fully_known()) return out;
  if (is_unset()) return only_.defined() ? merge_partial(out, only_.shape()) : out;
  if (is_packed()) return size() > 0 ? merge_partial(out, without_first(values_.shape())) : out;
  PolledSteps polled;
  for (const Tensor& t : elements()) {
    polled.step();
    if (t.defined()) out = merge_partial(out, t.shape());
  }
  return out;
}

const TensorList& list_input(KernelContext& c, std::size_t i) {
  const Tensor& handle = c.input(i);
  auto* list = handle.rank() == 0 ? dynamic_cast<TensorList*>(handle.object().get()) : nullptr;
  if (!list) invalid_argument("Input handle is not a list. Saw: ", handle.rank() == 0 ? "another variant" : "a tensor");
  return *list;
}

const TensorList& typed_list_input(KernelContext& c, std::size_t i) {
  const TensorList& list = list_input(c, i);
  DType wanted = c.attr("element_dtype").type();
  if (list.element_dtype != wanted)
    invalid_argument("Invalid data types; op elements ", runtime_name(wanted), " but list elements ",
                     runtime_name(list.element_dtype));
  return list;
}

OwnedList owned_list(KernelContext& c, std::size_t i) {
  const TensorList& list = list_input(c, i);
  if (c.is_last_use(i) && c.input(i).writable() && list.unique()) {
    Tensor handle = c.take_input(i);
    return {std::move(handle), const_cast<TensorList*>(&list)};
  }
  Ref<TensorList> copy = list.copy();
  return {Tensor::handle(DType::kVariant, copy), copy.get()};
}

OwnedList new_list(DType dtype, Shape element_shape, std::int64_t max_num_elements) {
  auto list = make_ref<TensorList>(dtype, std::move(element_shape), max_num_elements);
  return {Tensor::handle(DType::kVariant, list), list.get()};
}

std::int32_t int_input(const KernelContext& c, std::size_t i, std::string_view what) {
  if (c.input(i).rank() != 0) invalid_argument(what, " must be a scalar, got shape ", c.input(i).shape().text());
  return c.input(i).item<std::int32_t>();
}

Shape element_shape_of(const Tensor& value) {
  if (value.rank() == 0) {
    if (value.int_at(0) != -1)
      invalid_argument("The only valid scalar shape tensor is the fully unknown shape specified as -1.");
    return Shape::unknown();
  }
  if (value.rank() != 1) invalid_argument("Shape must be at most rank 1 but is rank ", value.rank());
  Shape out;
  for (std::int64_t i = 0; i < value.num_elements(); ++i) {
    if (value.int_at(i) < -1) invalid_argument("Dimension ", value.int_at(i), " must be >= -1");
    out.push_back(value.int_at(i));
  }
  return out;
}

Shape element_shape_input(const InferContext& c, std::size_t i) {
  const Tensor* value = c.value(i);
  if (value && (c.running() || value->rank() != 1)) return element_shape_of(*value);
  if (!c.shape(i).has_rank() || c.shape(i).rank() == 0) return Shape::unknown();
  return c.shape_value(i, true);
}

Shape merge_partial(const Shape& a, const Shape& b) {
  if (!a.has_rank()) return b;
  if (!b.has_rank()) return a;
  if (a.rank() != b.rank())
    invalid_argument("PartialTensorShape: Incompatible ranks during merge: ", a.rank(), " vs. ", b.rank());
  if (!a.is_compatible_with(b))
    invalid_argument("PartialTensorShape: Incompatible shapes during merge: ", a.text(), " vs. ", b.text());
  return merge(a, b);
}

ListInfo list_info(const InferContext& c, std::size_t i) {
  const InferContext::Input& in = c.input(i);
  if (in.info) return {in.info->handle_dtype, in.info->handle_shape};
  if (in.value && in.value->rank() == 0) {
    if (auto* list = dynamic_cast<TensorList*>(in.value->object().get()))
      return {list->element_dtype, list->element_shape};
  }
  return {};
}

void check_element_dtype(const InferContext& c, const ListInfo& list) {
  const DType dtype = c.attr("element_dtype").type();
  if (list.dtype != DType::kInvalid && list.dtype != dtype)
    invalid_argument("Expected list with element dtype ", runtime_name(dtype), " but got list with element dtype ",
                     runtime_name(list.dtype));
}

void set_list_output(InferContext& c, std::size_t j, DType dtype, Shape element_shape) {
  OutputInfo& out = c.output(j);
  out.shape = Shape();
  out.handle_dtype = dtype;
  out.handle_shape = std::move(element_shape);
}

Shape without_first(const Shape& shape) {
  if (!shape.has_rank()) return shape;
  return Shape(std::span<const std::int64_t>(shape.dims().begin() + 1, shape.dims().end()));
}

Shape with_first(std::int64_t first, const Shape& rest) {
  if (!rest.has_rank()) return rest;
  Dims dims{first};
  for (std::int64_t d : rest.dims()) dims.push_back(d);
  return Shape(std::move(dims));
}

}  // namespace tracefn
