// NameScope, the base of tf.name_scope, and the current name scope of a thread's eager ops.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds NameScope, OpScope, ScopeOf and eager_scope() to the module. Needs the GIL.
void init_scope_object(PyObject* module);

}  // namespace tracefn::bind
