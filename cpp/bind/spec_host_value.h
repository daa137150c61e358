// Python objects inside trace types: values held strongly, objects held weakly, and trace types written in Python.
#pragma once

#include <Python.h>

#include "bind/errors.h"
#include "spec/host_type.h"
#include "spec/host_value.h"

namespace tracefn::bind {

// Those that make need the GIL; all but hold_unhashed() throw the object's own error when it cannot be hashed.

// For literals, keys of dicts and classes.
HostValuePtr hold_strongly(PyObject* value);
// For metadata, which need not be hashable.
HostValuePtr hold_unhashed(PyObject* value);
// Null when the object's class has no weak references.
HostValuePtr hold_weakly(PyObject* object);
// For a TypeSpec or another trace type of Python.
Ref<const HostTypeValue> hold_type(PyObject* type);

// The object again, a new reference; empty when it was held weakly and has died. Need the GIL.
PyRef object_of(const HostValue& value);
PyRef object_of(const HostTypeValue& type);

}  // namespace tracefn::bind
