// Questions about Python values that inputs and attributes of ops share. Need the GIL and throw.
#pragma once

#include <Python.h>

#include <string>

namespace tracefn::bind {

// A numpy array or scalar: it has a dtype, but converts to the one asked for.
bool is_numpy(PyObject* value);
// str(value).
std::string text_of_object(PyObject* value);

}  // namespace tracefn::bind
