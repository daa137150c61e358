// 16-bit floats computed as floats.
#pragma once

#include "tensor/tensor.h"

namespace tracefn {

// x as floats if it is half or bfloat16, else x itself.
Tensor as_float(const Tensor& x);
// Rounds the floats of `wide` into `out`, a half or bfloat16 of the same shape.
void from_float(const Tensor& wide, Tensor& out);

// Where to compute `out`: floats of its shape if it is half or bfloat16, else `out` itself.
Tensor wide_output(const Tensor& out);
// Rounds what was computed there into `out`.
void round_output(const Tensor& wide, Tensor& out);

}  // namespace tracefn
