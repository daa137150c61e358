// A Python callback for every op of a thread.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds `set_op_callback(function)` to the module. Needs the GIL.
void init_op_callback(PyObject* module);

}  // namespace tracefn::bind
