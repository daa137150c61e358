// The error for a symbolic tensor that is used where its graph is not being traced.
#pragma once

#include "ops/emit.h"

namespace tracefn {

// "<tf.Tensor 'add:0' shape=() dtype=int32>"
std::string describe(const Operand& operand);

// Throws Error(kInaccessibleTensor) when `user` belongs to the same outermost trace as the tensor (it left a branch, a
// loop or an inner function), else, and when used eagerly (`user` null), Error(kType). The message names where the
// tensor was made.
[[noreturn]] void leaked_tensor(const Operand& operand, const Graph* user);

}  // namespace tracefn
