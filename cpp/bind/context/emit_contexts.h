// Contexts around ops: graphs, paused tapes, control dependencies, and settings of any kind.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds TargetContext, MissingDevice, PausedTapes, ControlContext, Setting and Listed to the module.
void init_emit_contexts(PyObject* module);

}  // namespace tracefn::bind
