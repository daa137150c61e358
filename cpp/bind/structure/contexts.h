// The context objects passed to trace types written in Python: for tracing, for placeholders, for casts. All functions
// need the GIL and throw.
#pragma once

#include <Python.h>

#include <vector>

#include "bind/errors.h"
#include "bind/structure/trace_type_of.h"

namespace tracefn::bind {

// value.METHOD(context) with a Python view of `context`, which is invalid after the call. METHOD is looked up in the
// class.
PyRef call_with_context(PyObject* value, PyObject* method, TracingContext& context);
// type.placeholder_value(context), where context.placeholder(spec) gives the next of `leaves`.
PyRef placeholder_value(PyObject* type, const std::vector<PyRef>& leaves, std::size_t& next);
// type.cast(value, context).
PyRef cast_by_type(PyObject* type, PyObject* value);

// The placeholder for an object in a structured signature.
PyRef unknown_argument();

void init_contexts(PyObject* module);

}  // namespace tracefn::bind
