// Values read from Python in a wide type, made the dtype that was asked for. Any thread may call.
#pragma once

#include "tensor/tensor.h"

namespace tracefn::bind {

// Integers wrap and floats round, as TensorFlow's casts do. Undefined where TensorFlow makes no such conversion: float
// to int, complex to float, number to string. `wide` is of int64, uint64, double, complex128, bool or string.
Tensor narrow(const Tensor& wide, DType dtype);

}  // namespace tracefn::bind
