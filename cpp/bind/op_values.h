// Questions about Python values that inputs and attributes of ops share. Need the GIL and throw.
#pragma once

#include <Python.h>

#include <string>

namespace tracefn::bind {

// str(value).
std::string text_of_object(PyObject* value);

}  // namespace tracefn::bind
