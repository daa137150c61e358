// Elementwise functions as they are written down in a program: by BlockSpec and dtype, as kernels are.
#pragma once

#include "exec/vector_code/program.h"
#include "ops/block.h"

namespace tracefn::vector_code {

// Writes the function of the operands into the program that is being recorded (lane.h), and returns what it makes.
using Function = Id (*)(const Id* operands);

// Of operands of dtype `operand` (a selection's last two) with a result of dtype `result`; null for one that cannot be
// written down. Functions of booleans alone fit into programs of any width.
Function find_function(const BlockSpec& spec, DType operand, DType result);

}  // namespace tracefn::vector_code
