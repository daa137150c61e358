// ScalarList: a TensorList of scalars while a scalar loop runs: elements in one buffer, which may still be shared. Used
// by one thread.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "jit/scalar/bytecode.h"
#include "ops/list/tensor_list.h"

namespace tracefn::scalar {

// A list as machine code sees it: `room` elements may be written at `data`, 0 while the buffer is shared.
struct ListWindow {
  unsigned char* data = nullptr;
  std::int64_t size = 0, room = 0;
};

class ScalarList : public ListWindow {
 public:
  // Takes over the list in `handle`, and its buffer if there is no other owner.
  void load(TensorRef& handle) {
    auto& list = static_cast<TensorList&>(*handle.tensor->object());
    dtype_ = list.element_dtype;
    shape_ = list.element_shape;
    most_ = list.max_num_elements;
    element_ = size_of(dtype_);
    size = list.size();
    if (list.is_packed()) {
      bool only_owner = handle.last_use && handle.tensor->writable() && list.unique();
      use(only_owner ? list.take_packed() : list.packed_values());
      return;
    }
    use(Tensor(dtype_, Shape({capacity_for(size)})));
    for (std::int64_t i = 0; i < size; ++i) {
      const Tensor& t = std::as_const(list).elements()[static_cast<std::size_t>(i)];
      if (t.defined()) {
        std::memcpy(at(i), t.raw(), element_);
      } else {
        std::memset(at(i), 0, element_);
      }
    }
  }
  // The list as it is now.
  Tensor handle() {
    auto list = make_ref<TensorList>(dtype_, std::move(shape_), most_);
    list->pack(std::move(values_), size);
    return Tensor::handle(DType::kVariant, list);
  }

  void push(const Register& value) {
    if (most_ != -1 && size >= most_)
      invalid_argument("Tried to push item into a full list list size: ", size, " max_num_elements: ", most_);
    if (size == capacity_ || !own_) move_to(capacity_for(size + 1));
    std::memcpy(at(size++), value.bytes, element_);
  }
  void pop(Register& value) {
    if (size == 0) invalid_argument("Trying to pop from an empty list.");
    std::memcpy(value.bytes, at(--size), element_);
  }
  void get(std::int32_t index, Register& value) const {
    if (index < 0 || index >= size)
      invalid_argument("Trying to access element ", index, " in a list with ", size, " elements.");
    std::memcpy(value.bytes, at(index), element_);
  }
  void set(std::int32_t index, const Register& value) {
    if (index < 0 || index >= size)
      invalid_argument("Trying to modify element ", index, " in a list with ", size, " elements.");
    if (!own_) move_to(capacity_);
    std::memcpy(at(index), value.bytes, element_);
  }

 private:
  unsigned char* at(std::int64_t i) const { return data + static_cast<std::size_t>(i) * element_; }

  // A list that declares its capacity reserves it at once, up to this limit.
  std::int64_t capacity_for(std::int64_t n) const {
    constexpr std::int64_t kMostReserved = 1 << 20, kLeast = 16;
    if (most_ >= n && most_ <= kMostReserved) return most_;
    return std::max({kLeast, n, 2 * size});
  }
  void use(Tensor values) {
    values_ = std::move(values);
    data = static_cast<unsigned char*>(values_.mutable_raw());
    capacity_ = values_.num_elements();
    own_ = values_.writable();
    room = !own_ ? 0 : most_ == -1 ? capacity_ : std::min(most_, capacity_);
  }
  void move_to(std::int64_t capacity) {
    Tensor larger(dtype_, Shape({capacity}));
    std::memcpy(larger.mutable_raw(), data, static_cast<std::size_t>(size) * element_);
    use(std::move(larger));
  }

  DType dtype_ = DType::kInvalid;
  Shape shape_;
  std::int64_t most_ = -1, capacity_ = 0;
  std::size_t element_ = 0;
  bool own_ = false;  // the buffer is writable
  Tensor values_;
};

}  // namespace tracefn::scalar
