// TensorList: the list behind tf.TensorArray in graphs, a variant object. Immutable while more than one Ref points to
// it; kernels update it in place when they hold the only one (owned_list), and copy it otherwise.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/variant_object.h"

namespace tracefn {

class TensorList final : public VariantObject {
 public:
  TensorList(DType dtype, Shape shape, std::int64_t max_elements = -1)
      : element_dtype(dtype), element_shape(std::move(shape)), max_num_elements(max_elements) {}

  std::string type_name() const override { return "TensorList"; }
  Ref<VariantObject> zeros_like() const override;
  Ref<VariantObject> add(const VariantObject& other) const override;
  Ref<TensorList> copy() const;

  std::int64_t size() const {
    return packed_.load(std::memory_order_acquire) ? num_packed_ : static_cast<std::int64_t>(elements_.size());
  }
  // Undefined elements are not set and read as zeros.
  const std::vector<Tensor>& elements() const {
    if (packed_.load(std::memory_order_acquire)) unpack();
    return elements_;
  }
  // For the only owner.
  std::vector<Tensor>& elements() {
    if (packed_.load(std::memory_order_acquire)) unpack();
    values_.reset();
    return elements_;
  }
  // For the only owner. Error(kResourceExhausted) when the machine's memory does not hold so many.
  void resize(std::size_t size);

  // A list of scalars may be held packed: its elements are the first `n` of the vector `values`. Loops over scalars
  // make such lists and read them; whoever asks for elements() gets tensors. Precondition of pack(): only owner.
  void pack(Tensor values, std::int64_t n) {
    elements_.clear();
    values_ = std::move(values);
    num_packed_ = n;
    packed_.store(true, std::memory_order_release);
  }
  bool is_packed() const { return packed_.load(std::memory_order_acquire); }
  // The packed values; elements from size() on have no meaning. Precondition: is_packed().
  const Tensor& packed_values() const { return values_; }
  // The same for the only owner, who takes them: the list is empty afterwards.
  Tensor take_packed() {
    packed_.store(false, std::memory_order_relaxed);
    return std::move(values_);
  }
  // `shape` merged with the list's element shape and, if dimensions are still unknown, with the shapes of the elements
  // that are set. Error(kInvalidArgument) when they disagree.
  Shape known_element_shape(const Shape& shape) const;

  DType element_dtype;
  Shape element_shape;  // may be partly known; every element fits it
  std::int64_t max_num_elements;

 private:
  void unpack() const;

  // Any thread may unpack a shared list; the packed values stay for those who are reading them.
  mutable std::vector<Tensor> elements_;
  mutable std::atomic<bool> packed_{false};
  Tensor values_;
  std::int64_t num_packed_ = 0;
};

// The list that input i of a running kernel refers to; Error(kInvalidArgument) when it is something else.
const TensorList& list_input(KernelContext& c, std::size_t i);
// The same with the dtype check of an op that names the element type.
const TensorList& typed_list_input(KernelContext& c, std::size_t i);

// Input i's list for changing, and the handle to return: the input's own when it dies here and nobody else holds it.
struct OwnedList {
  Tensor handle;
  TensorList* list;
};
OwnedList owned_list(KernelContext& c, std::size_t i);
OwnedList new_list(DType dtype, Shape element_shape, std::int64_t max_num_elements = -1);

// Input i, an int32 scalar; Error(kInvalidArgument) naming `what` when it is none.
std::int32_t int_input(const KernelContext& c, std::size_t i, std::string_view what);

// An element shape given as a tensor: the scalar -1 is an unknown rank, -1 in a vector an unknown dimension.
Shape element_shape_of(const Tensor& value);
// The same in a shape rule, as far as it is known.
Shape element_shape_input(const InferContext& c, std::size_t i);

// Merges as the run time does: Error(kInvalidArgument, "PartialTensorShape: Incompatible shapes during merge: ...").
Shape merge_partial(const Shape& a, const Shape& b);

// What a shape rule knows of the list in input i.
struct ListInfo {
  DType dtype = DType::kInvalid;  // kInvalid: not known
  Shape element_shape = Shape::unknown();
};
ListInfo list_info(const InferContext& c, std::size_t i);
// Records what output j's list holds.
void set_list_output(InferContext& c, std::size_t j, DType dtype, Shape element_shape);

// Leading dimension dropped.
Shape without_first(const Shape& shape);
// Leading dimension added.
Shape with_first(std::int64_t first, const Shape& rest);

}  // namespace tracefn
