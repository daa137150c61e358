// The rule by element (ops/elements.h) of products of small matrices.
#pragma once

#include "ops/elements.h"

namespace tracefn {

// MatMul, or the batched op for matrices.
bool product_elements(ElementsContext& c, bool transpose_a, bool transpose_b);

}  // namespace tracefn
