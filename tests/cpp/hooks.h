// The hooks that a test program's Runtime has; each program defines it.
#pragma once

#include "runtime/runtime.h"

namespace tracefn::test {

RuntimeHooks hooks();

}  // namespace tracefn::test
