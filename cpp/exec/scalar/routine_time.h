// What a routine is expected to take: for the choice between two that compute the same. Pure functions; any thread may
// call.
#pragma once

#include "exec/scalar/scalar_routine.h"

namespace tracefn {

// Nanoseconds, roughly, if each loop runs several times.
double expected_time(const ScalarRoutine& routine);

}  // namespace tracefn
