// The short way for small elementwise ops on eager tensors: one block kernel, without attributes, contexts or plans.
// Thread-safe.
#pragma once

#include "ops/op_def.h"
#include "tensor/tensor.h"

namespace tracefn {

// The result of `op`, an elementwise op of two operands, or of one. Undefined when the general way (emit) has to take
// it: unequal dtypes, shapes that differ other than by a scalar, no kernel for the dtype, big tensors, an error of the
// kernel. Precondition: the current target is the eager one and nobody listens.
Tensor try_eager_binary(const OpDef& op, const Tensor& x, const Tensor& y);
Tensor try_eager_unary(const OpDef& op, const Tensor& x);

}  // namespace tracefn
