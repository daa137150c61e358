// TensorList: the list behind tf.TensorArray in graphs, a variant object. Immutable while more than one Ref points to
// it; kernels update it in place if they hold the only one (owned_list), and copy it otherwise.
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

  std::int64_t size() const { return is_together() ? num_packed_ : static_cast<std::int64_t>(elements_.size()); }
  // Undefined elements are unset and read as zeros.
  const std::vector<Tensor>& elements() const {
    if (is_together()) unpack();
    return elements_;
  }
  // Sole owner only.
  std::vector<Tensor>& elements() {
    if (is_together()) unpack();
    values_.reset();
    only_.reset();
    return elements_;
  }
  // Sole owner only. Error(kResourceExhausted) if they do not fit in the machine's memory.
  void resize(std::size_t size);

  // A list of equal shapes may be packed: its elements are the first `n` rows of `values`. Scalar loops create and read
  // packed lists of scalars; elements() unpacks a list to tensors. Preconditions of pack(): sole owner, rank >= 1.
  void pack(Tensor values, std::int64_t n) {
    elements_.clear();
    values_ = std::move(values);
    num_packed_ = n;
    form_.store(Form::kPacked, std::memory_order_release);
  }
  bool is_packed() const { return form_.load(std::memory_order_acquire) == Form::kPacked; }
  // A new list may have n unset elements without room for any. Preconditions: sole owner, empty.
  void set_unset(std::int64_t n) {
    num_packed_ = n;
    form_.store(Form::kUnset, std::memory_order_release);
  }
  // Whether at most one element was set since: element only_index(), if only_element() is defined. Elements that were
  // asked for may be unset, too.
  bool is_unset() const { return form_.load(std::memory_order_acquire) == Form::kUnset; }
  std::int64_t only_index() const { return only_index_; }
  const Tensor& only_element() const { return only_; }
  // Sole owner only. Precondition: 0 <= i < size().
  void set(std::int64_t i, Tensor value);
  // Element i, which need not be unpacked for that; unset if the element is. Precondition: 0 <= i < size().
  Tensor element(std::int64_t i) const;
  // The packed values; rows from size() on are undefined. Precondition: is_packed().
  const Tensor& packed_values() const { return values_; }
  // The same for the sole owner, who takes them: the list is empty afterwards.
  Tensor take_packed() {
    form_.store(Form::kElements, std::memory_order_relaxed);
    return std::move(values_);
  }
  // `shape` merged with the list's element shape and, if dimensions are still unknown, with the shapes of the set
  // elements. Error(kInvalidArgument) if they conflict.
  Shape known_element_shape(const Shape& shape) const;

  DType element_dtype;
  Shape element_shape;  // may be partly known; every element fits it
  std::int64_t max_num_elements;

 private:
  void unpack() const;

  // Any thread may unpack a shared list; the packed values stay for concurrent readers.
  static Tensor row(const Tensor& values, std::int64_t i);

  enum class Form : std::uint8_t { kElements, kPacked, kUnset };
  // Whether there are no elements one by one.
  bool is_together() const { return form_.load(std::memory_order_acquire) != Form::kElements; }

  mutable std::vector<Tensor> elements_;
  mutable std::atomic<Form> form_{Form::kElements};
  Tensor values_;
  std::int64_t num_packed_ = 0;
  Tensor only_;
  std::int64_t only_index_ = 0;
};

// The list that input i of a running kernel refers to; Error(kInvalidArgument) if it is not a list.
const TensorList& list_input(KernelContext& c, std::size_t i);
// The same with the dtype check of an op that names the element type.
const TensorList& typed_list_input(KernelContext& c, std::size_t i);

// Input i's list for updating, and the handle to return: the input's own if it dies here and has no other owner.
struct OwnedList {
  Tensor handle;
  TensorList* list;
};
OwnedList owned_list(KernelContext& c, std::size_t i);
OwnedList new_list(DType dtype, Shape element_shape, std::int64_t max_num_elements = -1);

// Input i, an int32 scalar; Error(kInvalidArgument) naming `what` if it is not.
std::int32_t int_input(const KernelContext& c, std::size_t i, std::string_view what);

// An element shape given as a tensor: the scalar -1 is an unknown rank, -1 in a vector an unknown dimension.
Shape element_shape_of(const Tensor& value);
// The same in a shape rule, as far as it is known.
Shape element_shape_input(const InferContext& c, std::size_t i);

// Merges as at run time: Error(kInvalidArgument, "PartialTensorShape: Incompatible shapes during merge: ...").
Shape merge_partial(const Shape& a, const Shape& b);

// A shape rule's static information on the list in input i.
struct ListInfo {
  DType dtype = DType::kInvalid;  // kInvalid: not known
  Shape element_shape = Shape::unknown();
};
ListInfo list_info(const InferContext& c, std::size_t i);
// Error(kInvalidArgument) if the list holds another dtype than the attribute element_dtype, as far as is known.
void check_element_dtype(const InferContext& c, const ListInfo& list);
// Records what output j's list holds.
void set_list_output(InferContext& c, std::size_t j, DType dtype, Shape element_shape);

// Leading dimension dropped.
Shape without_first(const Shape& shape);
// Leading dimension added.
Shape with_first(std::int64_t first, const Shape& rest);

}  // namespace tracefn
