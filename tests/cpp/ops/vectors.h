// Vectors of given numbers, for tests of ops.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "tensor/tensor.h"

namespace tracefn {

inline Tensor floats(std::initializer_list<float> values) {
  return Tensor::vector(std::span<const float>(values.begin(), values.size()));
}
inline Tensor ints(std::initializer_list<std::int32_t> values) {
  return Tensor::vector(std::span<const std::int32_t>(values.begin(), values.size()));
}

}  // namespace tracefn
