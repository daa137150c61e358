// Two steps of integers that are one instruction: `n % 8 == 0`, `3 * n + 1`.
#pragma once

#include <vector>

#include "exec/machine_code/branches.h"

namespace tracefn::machine_code {

// Comparisons with 0 of a remainder by a power of two become kNoBits and kAnyBits of what was divided; sums and
// differences of a product by 2, 3, 5 or 9 and another constant become kScaledAdd of what was multiplied. Adds slots;
// the remainder or product itself may then be needed by nothing. `operations` are those of the code.
void combine_steps(Code& code, std::vector<Operation>& operations);

}  // namespace tracefn::machine_code
