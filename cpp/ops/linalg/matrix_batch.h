// Batches of matrices: shared by matrix products and solvers.
#pragma once

#include "ops/build.h"
#include "tensor/shape.h"

namespace tracefn {

// For each matrix of a result of shape `out`, the index of the operand's matrix.
SmallVector<std::int64_t, 4> batch_offsets(const Shape& operand, const Shape& out);

// The complex conjugate; x itself if it is real.
Tensor conjugate(const Tensor& x);

// The gradient of a batch, summed over the dimensions along which x was broadcast against `other`.
Operand unbroadcast_batch(const Operand& gradient, const Operand& x, const Operand& other);

}  // namespace tracefn
