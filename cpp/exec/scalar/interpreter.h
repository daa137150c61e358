// The bytecode interpreter.
#pragma once

#include <span>

#include "jit/scalar/bytecode.h"
#include "jit/scalar/scalar_list.h"

namespace tracefn::scalar {

// Runs the code to its end. On an Error, `failed` is the node of the instruction that threw.
void run(std::span<const BytecodeInstruction> instructions, Register* registers, ScalarList* lists,
         const Node*& failed);

}  // namespace tracefn::scalar
