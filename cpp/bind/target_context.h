// TargetContext: the Python context manager that makes a graph, or eager execution, current on its thread.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds TargetContext to the module.
void init_target_context(PyObject* module);

}  // namespace tracefn::bind
