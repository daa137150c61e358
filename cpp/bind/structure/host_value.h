// Python objects inside trace types: values held strongly, objects held weakly, and trace types written in Python.
#pragma once

#include <Python.h>

#include "bind/errors.h"
#include "spec/host_type.h"
#include "spec/host_value.h"

namespace tracefn::bind {

// The constructors need the GIL; all but hold_unhashed() throw the object's own error if it cannot be hashed.

// For literals, dict keys and classes.
HostValuePtr hold_strongly(PyObject* value);
// For metadata, which need not be hashable.
HostValuePtr hold_unhashed(PyObject* value);
// Null if the object's class does not support weak references.
HostValuePtr hold_weakly(PyObject* object);
// For a TypeSpec or another Python trace type.
Ref<const HostTypeValue> hold_type(PyObject* type);

// The object, a new reference; empty if it was held weakly and has died. Need the GIL.
PyRef object_of(const HostValue& value);
PyRef object_of(const HostTypeValue& type);

}  // namespace tracefn::bind
