// Tensor: dtype, full shape and elements in row-major order. A value type that shares its buffer: copying is cheap, and
// writing is allowed only through mutable_data() of the sole owner. Not synchronized; distinct copies may be used on
// distinct threads.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <string_view>

#include "tensor/buffer.h"
#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/shape.h"

namespace tracefn {

template <typename T>
struct DTypeOf;
#define TRACEFN_DTYPE_OF(type, dtype)            \
  template <>                                    \
  struct DTypeOf<type> {                         \
    static constexpr DType value = DType::dtype; \
  };
TRACEFN_DTYPE_OF(float, kFloat)
TRACEFN_DTYPE_OF(double, kDouble)
TRACEFN_DTYPE_OF(std::int8_t, kInt8)
TRACEFN_DTYPE_OF(std::int16_t, kInt16)
TRACEFN_DTYPE_OF(std::int32_t, kInt32)
TRACEFN_DTYPE_OF(std::int64_t, kInt64)
TRACEFN_DTYPE_OF(std::uint8_t, kUInt8)
TRACEFN_DTYPE_OF(std::uint16_t, kUInt16)
TRACEFN_DTYPE_OF(std::uint32_t, kUInt32)
TRACEFN_DTYPE_OF(std::uint64_t, kUInt64)
TRACEFN_DTYPE_OF(bool, kBool)
TRACEFN_DTYPE_OF(std::complex<float>, kComplex64)
TRACEFN_DTYPE_OF(std::complex<double>, kComplex128)
TRACEFN_DTYPE_OF(Half, kHalf)
TRACEFN_DTYPE_OF(BFloat16, kBFloat16)
TRACEFN_DTYPE_OF(std::string, kString)
#undef TRACEFN_DTYPE_OF

class Tensor {
 public:
  Tensor() = default;  // no tensor: dtype kInvalid
  // Uninitialized elements (empty strings, null references). Precondition: `shape` is fully known.
  Tensor(DType dtype, Shape shape);
  // Over existing memory, which starts at `data` inside `buffer`.
  Tensor(DType dtype, Shape shape, Ref<Buffer> buffer, void* data)
      : buffer_(std::move(buffer)), data_(data), shape_(std::move(shape)), dtype_(dtype) {}

  template <typename T>
  static Tensor scalar(const T& value) {
    Tensor t(DTypeOf<T>::value, Shape());
    *static_cast<T*>(t.data_) = value;
    return t;
  }
  template <typename T>
  static Tensor vector(std::span<const T> values) {
    Tensor t(DTypeOf<T>::value, Shape({static_cast<std::int64_t>(values.size())}));
    std::copy(values.begin(), values.end(), static_cast<T*>(t.data_));
    return t;
  }
  // A scalar resource or variant that holds one reference to `object`.
  static Tensor handle(DType dtype, Ref<RefCounted> object);
  // Every byte zero; empty strings; null references.
  static Tensor zeros(DType dtype, Shape shape);
  // Makes uninitialized elements those of zeros(). Precondition: writable().
  void fill_zeros();

  bool defined() const { return dtype_ != DType::kInvalid; }
  // Drops the memory: undefined afterwards.
  void reset() {
    buffer_ = nullptr;
    data_ = nullptr;
    dtype_ = DType::kInvalid;
  }
  void swap(Tensor& other) {
    std::swap(buffer_, other.buffer_);
    std::swap(data_, other.data_);
    std::swap(dtype_, other.dtype_);
    if (!(shape_ == other.shape_)) std::swap(shape_, other.shape_);
  }
  // The same for two tensors of one shape and dtype.
  void swap_memory(Tensor& other) {
    std::swap(buffer_, other.buffer_);
    std::swap(data_, other.data_);
  }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  std::int64_t dim(int axis) const { return shape_[axis]; }
  std::int64_t num_elements() const {
    std::int64_t n = 1;  // cannot overflow: the elements exist
    for (std::int64_t d : shape_.dims()) n *= d;
    return n;
  }
  std::size_t bytes() const { return static_cast<std::size_t>(num_elements()) * size_of(dtype_); }

  const void* raw() const { return data_; }
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(data_);
  }
  template <typename T>
  std::span<const T> span() const {
    return {data<T>(), static_cast<std::size_t>(num_elements())};
  }
  template <typename T>
  const T& item() const {
    return *data<T>();
  }
  // Precondition: writable().
  void* mutable_raw() { return data_; }
  template <typename T>
  T* mutable_data() {
    return static_cast<T*>(data_);
  }
  // True if this Tensor is the only owner of its memory.
  bool writable() const { return buffer_ && buffer_->writable(); }

  const Ref<Buffer>& buffer() const { return buffer_; }
  // Precondition: dtype is resource or variant and the tensor is a scalar.
  const Ref<RefCounted>& object() const { return *data<Ref<RefCounted>>(); }

  // The same elements under another shape of equally many elements.
  Tensor reshaped(Shape shape) const { return Tensor(dtype_, std::move(shape), buffer_, data_); }
  // Rows [begin, end) along the first axis, sharing memory.
  Tensor rows(std::int64_t begin, std::int64_t end) const;
  // A deep copy (strings and references are copied element by element).
  Tensor copy() const;

  // Element i of an int32 or int64 tensor.
  std::int64_t int_at(std::int64_t i) const {
    return dtype_ == DType::kInt32 ? data<std::int32_t>()[i] : data<std::int64_t>()[i];
  }

 private:
  Ref<Buffer> buffer_;
  void* data_ = nullptr;
  Shape shape_;
  DType dtype_ = DType::kInvalid;
};

// Copies n elements, element by element where they are not plain.
void copy_elements(DType dtype, const void* from, void* to, std::int64_t n);
// True if dtype, shape and all elements are equal bit for bit.
bool identical(const Tensor& a, const Tensor& b);

}  // namespace tracefn
