// Narrows values read from Python in a wide type to the requested dtype. Any thread may call.
#pragma once

#include "tensor/tensor.h"

namespace tracefn::bind {

// Integers wrap and floats round, as in TensorFlow's casts. Undefined if TensorFlow has no such conversion: float to
// int, complex to float, number to string. `wide` is of int64, uint64, double, complex128, bool or string.
Tensor narrow(const Tensor& wide, DType dtype);

}  // namespace tracefn::bind
