// Attributes that an object of ours lacks: the error says what to write instead.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// What a failed PyObject_GenericGetAttr gives: nullptr, with an AttributeError set. The error is that of
// tracefn._missing.member_error where the class has no such attribute; others, as those of a getter, stay.
PyObject* missing_member(PyObject* object, PyObject* name);

}  // namespace tracefn::bind
