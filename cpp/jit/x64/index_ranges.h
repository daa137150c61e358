// Range analysis: checks of indices that are within their limits anyway go, in lists, too, and loads that may run
// before a branch are marked, so that the branch can become a select.
#pragma once

#include "jit/x64/branches.h"

namespace tracefn::machine_code {

// The interval analysis of Cousot and Cousot, Static Determination of Dynamic Properties of Programs (1976): by
// instruction, an interval for each integer slot, with widening at loops and two rounds of narrowing.
void drop_known_checks(Code& code);

}  // namespace tracefn::machine_code
