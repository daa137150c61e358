// Flattens a call's arguments into tensors, and builds their placeholders for a trace (tracing rules 16, 34-38). All
// functions need the GIL and throw.
#pragma once

#include <Python.h>

#include <vector>

#include "bind/errors.h"
#include "spec/call_key.h"
#include "spec/trace_type.h"

namespace tracefn::bind {

// Appends the tensors of `value`, an argument of the type `type` or of a subtype of it, in the order of
// type.append_leaves(): a Tensor, a numpy array or scalar as it is, and for a Variable the Variable itself.
void append_leaves(PyObject* value, const TraceType& type, std::vector<PyRef>& leaves);

// The structure of `type` with the next of `leaves` (in that same order) in place of each tensor and variable; advances
// `next`. Literals are the first value seen, ranges are lists. ReferenceError if an object has died.
PyRef build_value(const TraceType& type, const std::vector<PyRef>& leaves, std::size_t& next);

// The arguments of the Python function.
struct PythonCall {
  PyRef args;    // tuple
  PyRef kwargs;  // dict, empty if there are none
};
PythonCall build_call(const CallKey& key, const std::vector<PyRef>& leaves);
// The same from values, one per parameter.
PythonCall arrange_call(const ParameterList& parameters, std::vector<PyRef> values);

}  // namespace tracefn::bind
