// Conditions of several parts, `a and b`, `a or b`, as jumps.
#pragma once

#include <span>
#include <vector>

#include "jit/scalar/bytecode.h"

namespace tracefn::scalar {

// Where a jump leads to a test whose outcome is known, it leads behind that test: a part of a condition that decides
// it jumps at once, and the condition itself is not computed. Slots that are tested so keep no value; `variables` are
// left alone. Precondition, as the compiler makes results of branches: every way to a test writes the slot that it
// reads since the test was there last.
void thread_jumps(std::vector<BytecodeInstruction>& instructions, std::size_t num_slots,
                  std::span<const Slot> variables);

}  // namespace tracefn::scalar
