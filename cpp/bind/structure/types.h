// Trace types as Python objects: TensorSpec, VariableSpec, TypeSpecs and users' own types as themselves, the others as
// tracefn._core.TraceType. All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include <string>

#include "bind/errors.h"
#include "spec/trace_type.h"

namespace tracefn::bind {

bool is_trace_type(PyObject* object);
// TypeError if it is not a trace type.
TraceTypePtr trace_type_from_python(PyObject* object);
// New references. The second gives an unnamed TensorType this name.
PyRef trace_type_to_python(const TraceTypePtr& type);
PyRef tensor_spec_named(const TraceType& tensor_type, const std::string& name);

void init_types(PyObject* module);

}  // namespace tracefn::bind
