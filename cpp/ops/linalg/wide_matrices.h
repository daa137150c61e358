// Matrices computed in double or complex128, whatever their own type.
#pragma once

#include "base/subnormals.h"
#include "ops/kernel_table.h"
#include "tensor/tensor.h"

namespace tracefn {

// x in double if it is real, and in complex128 otherwise or if `as_complex`.
Tensor in_double(const Tensor& x, bool as_complex = false);
// Where to compute `out`: a tensor of its shape of that type; `out` itself if it is of that type. And rounded from
// there.
Tensor double_output(const Tensor& out);
void round_doubles(const Tensor& wide, Tensor& out);

inline const DecompositionKernels& decompositions(DType dtype) { return kernel_table().decompositions.of[slot(dtype)]; }

}  // namespace tracefn
