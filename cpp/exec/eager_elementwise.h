// The fast path for small elementwise ops on eager tensors: one block kernel, without attributes, contexts or plans.
// Thread-safe.
#pragma once

#include "ops/op_def.h"
#include "tensor/tensor.h"

namespace tracefn {

// The result of `op`, a unary or binary elementwise op. Undefined if the slow path (emit) must handle it: unequal
// dtypes, shapes that differ other than by a scalar, no kernel for the dtype, big tensors, a kernel error.
// Precondition: the current target is the eager one and no listener is installed.
Tensor try_eager_binary(const OpDef& op, const Tensor& x, const Tensor& y);
Tensor try_eager_unary(const OpDef& op, const Tensor& x);

}  // namespace tracefn
