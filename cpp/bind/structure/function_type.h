// FunctionType and its parameters as Python objects (tracing rules 7, 8), and structured_input_signature (tracing rule
// 77). All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include "bind/errors.h"
#include "spec/function_type.h"

namespace tracefn::bind {

// New reference to a tracefn._core.FunctionType.
PyRef function_type_to_python(FunctionTypePtr type);
// TypeError for another class.
FunctionTypePtr function_type_from_python(PyObject* object);

// (args, kwargs) with TensorSpecs named after their position, VariableSpecs, and Python values as themselves; a weakly
// held object is an UnknownArgument. Precondition: every parameter has a type.
PyRef structured_input_signature(const FunctionType& type);

void init_function_type(PyObject* module);

}  // namespace tracefn::bind
