// Casts arguments to the types of an input_signature or of a concrete function (tracing rules 59-64, 70, 71). All
// functions need the GIL and throw.
#pragma once

#include <Python.h>

#include <vector>

#include "bind/errors.h"
#include "bind/structure/binder.h"
#include "spec/trace_type.h"

namespace tracefn::bind {

// `value` as a value of `type`: numbers, lists, arrays and Variables become tensors by tf.convert_to_tensor; tensors
// are never converted; a TensorSpec stands for a tensor. Error(kType) "Can not cast ... to ...", or the conversion's
// exception.
PyRef cast(PyObject* value, const TraceType& type);

struct CastArguments {
  ParameterListPtr parameters;
  std::vector<PyRef> values;  // one per parameter
};
// Binds a call and casts each argument to its parameter's type. Failures become tracing rule 194's TypeError.
CastArguments bind_and_cast(const CallBinder& binder, const FunctionType& type, const Arguments& call);

}  // namespace tracefn::bind
