// Creates and copies tensors.
#include "tensor/tensor.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/poll.h"

namespace tracefn {
namespace {

// Nanoseconds, for the choice of slices.
constexpr double kByteCost = 0.1, kObjectCost = 20;
// Copied without polling.
constexpr std::int64_t kFewBytes = std::int64_t{1} << 20;

}  // namespace

Tensor::Tensor(DType dtype, Shape shape) : shape_(std::move(shape)), dtype_(dtype) {
  buffer_ = Buffer::allocate(dtype, shape_.num_elements());
  data_ = buffer_->data();
}

Tensor Tensor::handle(DType dtype, Ref<RefCounted> object) {
  Tensor t(dtype, Shape());
  *static_cast<Ref<RefCounted>*>(t.data_) = std::move(object);
  return t;
}

Tensor Tensor::zeros(DType dtype, Shape shape) {
  Tensor t(dtype, std::move(shape));
  t.fill_zeros();
  return t;
}

void Tensor::fill_zeros() {
  if (!is_plain(dtype_)) return;
  in_slices(static_cast<std::int64_t>(bytes()), kByteCost, [&](std::int64_t begin, std::int64_t end) {
    std::memset(static_cast<char*>(data_) + begin, 0, static_cast<std::size_t>(end - begin));
  });
}

Tensor Tensor::rows(std::int64_t begin, std::int64_t end) const {
  Shape shape = shape_;
  std::int64_t row = 1;
  for (int i = 1; i < shape.rank(); ++i) row *= shape[i];
  shape[0] = end - begin;
  char* start = static_cast<char*>(data_) + static_cast<std::size_t>(begin * row) * size_of(dtype_);
  return Tensor(dtype_, std::move(shape), buffer_, start);
}

Tensor Tensor::copy() const {
  Tensor t(dtype_, shape_);
  copy_elements(dtype_, data_, t.data_, num_elements());
  return t;
}

void copy_elements(DType dtype, const void* from, void* to, std::int64_t n) {
  if (n == 0) return;
  if (is_plain(dtype)) {
    const auto bytes = static_cast<std::int64_t>(static_cast<std::size_t>(n) * size_of(dtype));
    if (bytes <= kFewBytes) {
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
      return;
    }
    in_slices(bytes, kByteCost, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                  static_cast<std::size_t>(end - begin));
    });
  } else if (dtype == DType::kString) {
    in_slices(n, kObjectCost, [&](std::int64_t begin, std::int64_t end) {
      std::copy_n(static_cast<const std::string*>(from) + begin, end - begin, static_cast<std::string*>(to) + begin);
    });
  } else {
    in_slices(n, kObjectCost, [&](std::int64_t begin, std::int64_t end) {
      std::copy_n(static_cast<const Ref<RefCounted>*>(from) + begin, end - begin,
                  static_cast<Ref<RefCounted>*>(to) + begin);
    });
  }
}

bool identical(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  std::int64_t n = a.num_elements();
  if (n == 0 || a.raw() == b.raw()) return true;
  if (is_plain(a.dtype())) return std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
  if (a.dtype() == DType::kString)
    return std::equal(a.data<std::string>(), a.data<std::string>() + n, b.data<std::string>());
  return std::equal(a.data<Ref<RefCounted>>(), a.data<Ref<RefCounted>>() + n, b.data<Ref<RefCounted>>());
}

}  // namespace tracefn
