// Places along an axis: how ops write them, and how their shape rules read the axis.
#pragma once

#include <optional>

#include "ops/infer.h"
#include "ops/typed.h"
#include "tensor/tensor.h"

namespace tracefn {

// A scalar input of any index type, if its value is known.
inline std::optional<std::int64_t> known_index(const InferContext& c, std::size_t i) {
  const Tensor* value = c.value(i);
  if (!value || value->num_elements() != 1) return std::nullopt;
  return index_at(*value, 0);
}

// The output for indices along an axis, as integers of 2, 4 or 8 bytes: the same bits, signed or not.
class Places {
 public:
  explicit Places(Tensor& tensor) : data_(static_cast<char*>(tensor.mutable_raw())), size_(size_of(tensor.dtype())) {}

  void set(std::int64_t i, std::int64_t place) const {
    switch (size_) {
      case 2:
        return put<std::int16_t>(i, place);
      case 4:
        return put<std::int32_t>(i, place);
      default:
        return put<std::int64_t>(i, place);
    }
  }

  // Calls f with a pointer to the output's numbers.
  template <typename F>
  void visit(F&& f) const {
    switch (size_) {
      case 2:
        return f(reinterpret_cast<std::int16_t*>(data_));
      case 4:
        return f(reinterpret_cast<std::int32_t*>(data_));
      default:
        return f(reinterpret_cast<std::int64_t*>(data_));
    }
  }

 private:
  template <typename T>
  void put(std::int64_t i, std::int64_t place) const {
    reinterpret_cast<T*>(data_)[i] = static_cast<T>(place);
  }

  char* data_;
  std::size_t size_;
};

}  // namespace tracefn
