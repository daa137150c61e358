// Profiles for Python's side of tf.profiler.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds to the module: note_profile_event, profile_clock, profiling, start_profile, stop_profile.
void init_profile(PyObject* module);

}  // namespace tracefn::bind
