// Error translation: a core Error becomes a Python exception, and a Python exception travels through C++ frames inside
// an Error. All functions need the GIL, but an Error may be dropped on any thread.
#pragma once

#include <Python.h>

#include <exception>
#include <memory>
#include <utility>

#include "base/error.h"
#include "bind/py_ref.h"

namespace tracefn::bind {

// Sets the Python exception for `error`: tf.errors classes for status codes, Python's own for the rest. A cause is
// chained as __cause__, or raised itself if the error says so. Never throws.
void set_python_error(const std::exception& error) noexcept;
// The same for the exception being handled (inside a catch block).
void set_python_error_from_current() noexcept;

// Takes the current Python exception, which must be set, and throws it wrapped in an Error that re-raises it unchanged.
[[noreturn]] void throw_python_error();
// The same for an exception from a signal handler: it is never treated as an error of an op or a conversion.
[[noreturn]] void throw_interrupt();
// Drops the current Python exception, which must be set, if it is an ordinary one, as an attribute lookup may raise.
// Anything else (a handler's KeyboardInterrupt, SystemExit) is thrown as by throw_python_error().
void drop_ordinary_error();
// Whether the Python exception for `error` is a TypeError or a ValueError.
bool is_type_or_value_error(const Error& error);
// Holds a Python object whose last owner may be on any thread, for Error::set_cause. Steals nothing.
std::shared_ptr<void> hold(PyObject* object);
// The Error that re-raises the given exception object; for storing one without throwing it.
Error error_of(PyObject* exception);

// Returns a new reference unchanged; throws the Python exception if it is null.
inline PyObject* checked(PyObject* object) {
  if (!object) throw_python_error();
  return object;
}
// The same, owned.
inline PyRef owned(PyObject* object) { return PyRef::steal(checked(object)); }
// The text of a str; throws what Python raised, as the next do.
inline std::string utf8(PyObject* text) {
  const char* chars = PyUnicode_AsUTF8(text);
  if (!chars) throw_python_error();
  return chars;
}
// An attribute.
inline PyRef get_attribute(PyObject* object, const char* name) { return owned(PyObject_GetAttrString(object, name)); }
// The same for C functions that return -1 on failure.
inline int checked(int result) {
  if (result < 0) throw_python_error();
  return result;
}

// Runs the body of a C slot or method: returns `failure` with a Python exception set if it throws.
template <typename F>
auto guarded(F&& body, decltype(body()) failure) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    set_python_error_from_current();
    return failure;
  }
}
template <typename F>
PyObject* guarded(F&& body) noexcept {
  return guarded(std::forward<F>(body), static_cast<PyObject*>(nullptr));
}

// Translates another library's exceptions to Python exceptions: false for foreign ones. Called once, when the module is
// created.
void set_foreign_errors(bool (*set_python_error)(const std::exception&));

}  // namespace tracefn::bind
