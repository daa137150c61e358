// Tape, the native half of tf.GradientTape. All functions need the GIL; those that may fail throw.
#pragma once

#include <Python.h>

namespace tracefn::bind {

bool is_tape(PyObject* object);
// A new reference.
PyObject* new_tape(bool watches_variables, bool persistent);

// Of a Tape: whether it records, on whichever thread.
bool tape_records(PyObject* tape);
// Records on this thread from now on; an open context of this thread until it is stopped. Error(kValue) when it records.
void start_tape(PyObject* tape);
// Records no more; nothing when it did not.
void stop_tape(PyObject* tape);

// Adds Tape and MutedTape to the module.
void init_tape_object(PyObject* module);

}  // namespace tracefn::bind
