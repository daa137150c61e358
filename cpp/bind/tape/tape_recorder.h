// TapeRecorder: the base of tf.GradientTape and tf.autodiff.ForwardAccumulator, which start and stop a Tape.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds TapeRecorder to the module.
void init_tape_recorder(PyObject* module);

}  // namespace tracefn::bind
