// The core's side of tracefn/function.py: binds, looks up and traces a call.
#pragma once

#include <Python.h>

#include "spec/dispatch.h"

namespace tracefn::bind {

// The table of a Python DispatchTable, which owns it. Throws for anything else.
const DispatchTable* dispatch_table_of(PyObject* table);

// Adds Binder, Bound, CallKey, DispatchTable and the functions on them to the module.
void init_tracing(PyObject* module);

}  // namespace tracefn::bind
