// Tracebacks without frames of this package: every function is compiled with a handler around its body, which removes
// the function's own entry; the success path costs nothing, since handlers are found by a table.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds to the module: hide_frames(code), traceback_filtering(), set_traceback_filtering(enabled),
// set_filtering_default.
void init_own_frames(PyObject* module);

}  // namespace tracefn::bind
