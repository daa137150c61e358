// Batches of matrices that broadcast: shared by the products and the triangular solver.
#pragma once

#include "ops/build.h"
#include "tensor/shape.h"

namespace tracefn {

// For each matrix of a result of shape `out` the number of the operand's matrix that it comes from.
SmallVector<std::int64_t, 4> batch_offsets(const Shape& operand, const Shape& out);

// The gradient of a batch, summed over the dimensions along which x was repeated beside `other`.
Operand unbroadcast_batch(const Operand& gradient, const Operand& x, const Operand& other);

}  // namespace tracefn
