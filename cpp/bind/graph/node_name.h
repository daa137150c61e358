// The name that a call gives its node.
#pragma once

#include <Python.h>

#include <string>

namespace tracefn::bind {

// As TensorFlow takes it: anything while ops run eagerly, where it is only part of errors; in a graph a str or bytes,
// or a TypeError. Empty for None or null.
std::string node_name_of(PyObject* given);

}  // namespace tracefn::bind
