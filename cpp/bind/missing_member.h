// Missing attributes of our objects: the error says what to write instead.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Called after a failed PyObject_GenericGetAttr: returns nullptr with an AttributeError set. The error is that of
// tracefn._missing.member_error if the class has no such attribute; others, as those of a getter, are kept.
PyObject* missing_member(PyObject* object, PyObject* name);

}  // namespace tracefn::bind
