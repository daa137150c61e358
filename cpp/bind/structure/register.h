// Adds the binding of trace types to the module.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// TraceType, FunctionType, FunctionSpec and their helpers; register_variable_class, register_opaque_class.
void init_spec(PyObject* module);

}  // namespace tracefn::bind
