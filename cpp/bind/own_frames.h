// Tracebacks without frames of this package: every function of it is compiled with a handler around its body, which takes
// the function's own entry off the traceback as an exception leaves it. What does not fail pays nothing, since handlers
// are found by a table.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds to the module: hide_frames(code), traceback_filtering(), set_traceback_filtering(enabled), set_filtering_default.
void init_own_frames(PyObject* module);

}  // namespace tracefn::bind
