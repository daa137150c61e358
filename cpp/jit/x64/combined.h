// Peephole rules: two integer instructions become one: `n % 8 == 0`, `3 * n + 1`.
#pragma once

#include <vector>

#include "jit/x64/branches.h"

namespace tracefn::machine_code {

// Comparisons with 0 of a remainder by a power of two become kNoBits and kAnyBits of the dividend; sums and differences
// of a product by 2, 3, 5 or 9 and another constant become kScaledAdd of the factor. Adds slots; the remainder or
// product itself may become dead. `operations` are those of the code.
void combine_instructions(Code& code, std::vector<Operation>& operations);

}  // namespace tracefn::machine_code
