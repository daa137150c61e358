// Permutes dimensions, for the op Transpose and for kernels that need their axes in another order.
#pragma once

#include <span>

#include "ops/kernel.h"
#include "tensor/tensor.h"

namespace tracefn {

// Output axis i is axis perm[i] of x. Precondition: perm is a permutation of x's axes.
Tensor transposed(const KernelContext& c, const Tensor& x, std::span<const int> perm);
// The same, into `out` of the permuted shape.
void transpose_into(const KernelContext& c, const Tensor& x, std::span<const int> perm, Tensor& out);

}  // namespace tracefn
