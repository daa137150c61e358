// What tracefn/function.py needs of the core to bind, look up and trace a call.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds Binder, Bound, CallKey, DispatchTable and the functions on them to the module.
void init_tracing(PyObject* module);

}  // namespace tracefn::bind
