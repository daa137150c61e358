// Boolean masking of tensors.
#pragma once

#include "ops/emit.h"

namespace tracefn::bind {

// tf.boolean_mask(tensor, mask): the parts of `tensor` along its first rank(mask) axes where `mask` is true, in order.
// Error(kValue) if the mask is a scalar, of unknown rank, or does not fit.
Operand boolean_mask(const Operand& tensor, const Operand& mask);

}  // namespace tracefn::bind
