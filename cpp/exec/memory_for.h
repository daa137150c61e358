// Whether an op may write its result to the memory of an earlier one.
#pragma once

#include "tensor/tensor.h"

namespace tracefn {

inline bool is_memory_for(const Tensor& t, DType dtype, const Shape& shape) {
  return t.dtype() == dtype && is_plain(dtype) && t.writable() && t.shape() == shape;
}

}  // namespace tracefn
