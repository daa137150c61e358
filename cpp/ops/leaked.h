// The error for a symbolic tensor that is used where its graph is not being traced.
#pragma once

#include "ops/emit.h"

namespace tracefn {

// "<tf.Tensor 'add:0' shape=() dtype=int32>"
std::string describe(const Operand& operand);

// Throws Error(kType) when used eagerly (`user` null), Error(kInaccessibleTensor) when used in another graph. The message
// names where the tensor was made.
[[noreturn]] void leaked_tensor(const Operand& operand, const Graph* user);

}  // namespace tracefn
