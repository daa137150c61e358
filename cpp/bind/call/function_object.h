// Function in Python: what tf.function returns. The fast path of repeated calls is here; binding, tracing and
// everything else that may run Python code is in tracefn/function.py, on the types of bind/call/tracing.cpp.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds Function to the module.
void init_function_object(PyObject* module);

}  // namespace tracefn::bind
