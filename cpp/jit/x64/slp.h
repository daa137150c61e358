// SLP, superword-level parallelism: the bytecode computes an op of a small tensor number by number; four neighbouring
// floats become one instruction on four numbers (Larsen and Amarasinghe, "Exploiting Superword Level Parallelism with
// Multimedia Instruction Sets", 2000).
#pragma once

#include "jit/x64/branches.h"

namespace tracefn::machine_code {

// Where that takes fewer instructions. Adds slots, and initial values that the code needs.
void vectorize_small_tensors(Code& code);

}  // namespace tracefn::machine_code
