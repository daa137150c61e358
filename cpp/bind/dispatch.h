// Dispatch: what a public function does with values that are not tensors, such as ragged tensors. Only a call that
// failed is looked at, so calls with tensors pay nothing: a TypeError or ValueError that leaves a public function makes
// the dispatcher, a Python callable, look for another implementation that takes these arguments. All functions need the
// GIL.
#pragma once

#include <Python.h>

#include "bind/py_ref.h"

namespace tracefn::bind {

// Whether any other implementation may exist.
bool has_dispatcher();

// The result of another implementation of the public function `path` for the arguments, a dict by name; null if there
// is none. Throws what the implementation raises. Precondition: has_dispatcher().
PyRef dispatched(PyObject* path, PyObject* arguments);

// The public path of the function with this code, as registered; null (borrowed) if there is none.
PyObject* public_path_of(PyCodeObject* code);

// Adds to the module: set_dispatcher(function), register_public(code, path).
void init_dispatch(PyObject* module);

}  // namespace tracefn::bind
