// Attributes of a native class that lookups find and its slots do not: libraries give `Tensor.__add__` to classes of
// their own, as a function that takes any object, while `x + y` goes on to call the slot. Needs the GIL.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds to the module: show_attribute(class, name, value).
void init_shown_attributes(PyObject* module);

}  // namespace tracefn::bind
