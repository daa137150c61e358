// ComposedContext: a Python context manager made of contexts of the core.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds ComposedContext to the module.
void init_composed_context(PyObject* module);

}  // namespace tracefn::bind
