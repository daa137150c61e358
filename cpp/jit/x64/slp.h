// SLP, superword-level parallelism: the bytecode computes an op of a small tensor number by number; for four
// neighbours of 32 bits, or bools, that becomes one instruction (Larsen and Amarasinghe, "Exploiting Superword Level
// Parallelism with Multimedia Instruction Sets", 2000).
#pragma once

#include "jit/x64/branches.h"

namespace tracefn::machine_code {

// Where that takes fewer instructions. Adds slots, and initial values that the code needs.
void vectorize_small_tensors(Code& code);

}  // namespace tracefn::machine_code
