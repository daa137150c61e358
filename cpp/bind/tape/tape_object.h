// Tape, the native half of tf.GradientTape. All functions need the GIL; those that may fail throw.
#pragma once

#include <Python.h>

namespace tracefn::bind {

bool is_tape(PyObject* object);
// A new reference.
PyObject* new_tape(bool watches_variables, bool persistent);

// Whether a Tape records, on any thread.
bool tape_records(PyObject* tape);
// Starts recording on this thread; an open context of this thread until it is stopped. Error(kValue) if it records
// already.
void start_tape(PyObject* tape);
// Stops recording; does nothing if it was not.
void stop_tape(PyObject* tape);

// Adds Tape and MutedTape to the module.
void init_tape_object(PyObject* module);

}  // namespace tracefn::bind
