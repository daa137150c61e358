// Elementwise functions that can be recorded in a program: by BlockSpec and dtype, as for kernels.
#pragma once

#include "jit/vector/program.h"
#include "ops/elementwise/block.h"

namespace tracefn::vector_code {

// Records the function of the operands in the current program (lane.h), and returns its result.
using Function = Id (*)(const Id* operands);

// For operands of dtype `operand` (a select's last two) with a result of dtype `result`; null if it cannot be recorded.
// Functions of booleans alone fit into programs of any width.
Function find_function(const BlockSpec& spec, DType operand, DType result);

}  // namespace tracefn::vector_code
