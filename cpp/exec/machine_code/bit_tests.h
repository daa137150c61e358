// Bit tests: `n % 8 == 0` is one instruction.
#pragma once

#include <vector>

#include "exec/machine_code/branches.h"

namespace tracefn::machine_code {

// Comparisons with 0 of a remainder by a power of two become kNoBits and kAnyBits of what was divided. Adds slots; the
// remainder itself may then be needed by nothing. `operations` are those of the code.
void test_bits(Code& code, std::vector<Operation>& operations);

}  // namespace tracefn::machine_code
