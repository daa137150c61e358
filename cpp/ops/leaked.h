// The error for a symbolic tensor used outside the trace of its graph.
#pragma once

#include "ops/emit.h"

namespace tracefn {

// "<tf.Tensor 'add:0' shape=() dtype=int32>"
std::string describe(const Operand& operand);

// Throws Error(kInaccessibleTensor) if `user` belongs to the same outermost trace as the tensor (it left a branch, a
// loop or an inner function); otherwise, and when used eagerly (`user` null), Error(kType). The message says where the
// tensor was created.
[[noreturn]] void leaked_tensor(const Operand& operand, const Graph* user);

}  // namespace tracefn
