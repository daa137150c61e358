// LICM: what no iteration of an innermost loop changes is computed once, before the loop: values, loads, the checks in
// front of them, and the addresses of arrays that stay where they are.
#pragma once

#include "jit/x64/branches.h"

namespace tracefn::machine_code {

// Adds slots.
void hoist_invariants(Code& code);

}  // namespace tracefn::machine_code
