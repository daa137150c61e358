// The type Tape: the native half of tf.GradientTape and tf.autodiff.ForwardAccumulator.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds Tape to the module. Needs the GIL.
void init_tape_object(PyObject* module);

}  // namespace tracefn::bind
