// Helpers for Python methods and attributes implemented by C++ functions that may throw.
#pragma once

#include <Python.h>

#include <string_view>

#include "bind/errors.h"

namespace tracefn::bind {

// The device of all tensors.
inline constexpr const char* kDevice = "/job:localhost/replica:0/task:0/device:CPU:0";

// A new str; invalid UTF-8 is escaped.
inline PyObject* text(std::string_view s) {
  return checked(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "backslashreplace"));
}

template <PyObject* (*function)(PyObject*)>
PyObject* getter(PyObject* self, void*) {
  return guarded([&] { return function(self); });
}
template <PyObject* (*function)(PyObject*)>
PyObject* method(PyObject* self, PyObject*) {
  return guarded([&] { return function(self); });
}
template <PyObject* (*function)(PyObject*, PyObject*)>
PyObject* method1(PyObject* self, PyObject* argument) {
  return guarded([&] { return function(self, argument); });
}

inline PyCFunction with_keywords(PyObject* (*function)(PyObject*, PyObject*, PyObject*)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

}  // namespace tracefn::bind
