// The order of instructions: values are computed right before their first use, so that few are live at once. The
// bytecode computes an op for all elements of a small tensor before the next op begins.
#pragma once

#include <vector>

#include "jit/x64/branches.h"

namespace tracefn::machine_code {

// Reorders the instructions between jumps and jump targets. What may fail or has an effect keeps its order.
// `operations` are those of the code.
void schedule_instructions(Code& code, std::vector<Operation>& operations);

}  // namespace tracefn::machine_code
