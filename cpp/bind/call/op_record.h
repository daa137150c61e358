// Op records as plain Python data: for the tests that compare them with TensorFlow's and for the generators of stubs
// and documentation.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds `op_record(name)` to the module. Needs the GIL.
void init_op_record(PyObject* module);

}  // namespace tracefn::bind
