// Decides which Python values AutoGraph stages. Needs the GIL.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds is_staged to the module.
void init_staged(PyObject* module);

}  // namespace tracefn::bind
