// The error is created in Python, which adds advice when its text is read.
#include "bind/missing_member.h"

#include "bind/errors.h"
#include "bind/py_ref.h"

namespace tracefn::bind {
namespace {

// Programs test for protocols by attribute: `__array_interface__`, `_repr_html_`.
bool is_private(PyObject* name) { return PyUnicode_GET_LENGTH(name) == 0 || PyUnicode_READ_CHAR(name, 0) == '_'; }

}  // namespace

PyObject* missing_member(PyObject* object, PyObject* name) {
  if (!PyErr_ExceptionMatches(PyExc_AttributeError) || !PyUnicode_Check(name) || is_private(name)) return nullptr;
  if (_PyType_Lookup(Py_TYPE(object), name)) return nullptr;
  PyErr_Clear();
  return guarded([&]() -> PyObject* {
    PyRef module = owned(PyImport_ImportModule("tracefn._missing.members"));
    PyRef error = owned(PyObject_CallMethod(module.get(), "member_error", "OO", object, name));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
    return nullptr;
  });
}

}  // namespace tracefn::bind
