// Python's side of ops with side effects: callables that nodes run, tf.print's streams, variable handles.
#pragma once

#include <Python.h>

#include <string>

#include "ops/control/host_call.h"
#include "ops/debug/print_sink.h"

namespace tracefn::bind {

// Adds emit_host_call(op, function, inputs, Tout, name), make_variable(dtype, shape, name, trainable),
// assign_slice(handle, key, value), resource_key(handle) and reset_random_states() to the module. Needs the GIL;
// throws.
void init_effects(PyObject* module);

// Python's sys.stdout and sys.stderr, for a Runtime.
PrintSink& python_streams();

// Parts in other files: emit_host_call (host_call.cpp), assign_slice (tensor_index.cpp).
PyObject* emit_host_call(PyObject* self, PyObject* args);
// For set_host_call_finder.
Ref<HostCall> living_host_call(const std::string& token);
PyObject* assign_slice(PyObject* self, PyObject* args);

}  // namespace tracefn::bind
