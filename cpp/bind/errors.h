// Errors across the border: a core Error becomes a Python exception, and a Python exception travels through C++ frames
// inside an Error. All functions need the GIL, but an Error may be dropped on any thread.
#pragma once

#include <Python.h>

#include <exception>
#include <memory>
#include <utility>

#include "base/error.h"
#include "bind/py_ref.h"

namespace tracefn::bind {

// Sets the Python exception that belongs to `error`: tf.errors classes for status codes, Python's own for the rest. A
// cause is chained as __cause__, or raised itself when the error says so. Never throws.
void set_python_error(const std::exception& error) noexcept;
// The exception that is being handled (inside a catch block), in the same way.
void set_python_error_from_current() noexcept;

// Takes the current Python exception, which must be set, and throws it wrapped in an Error that re-raises it unchanged.
[[noreturn]] void throw_python_error();
// The same for what a signal's handler raised: whatever it is, nothing takes it for an error of an op or a conversion.
[[noreturn]] void throw_interrupt();
// Drops the current Python exception, which must be set, when it is an ordinary one, as looking for an attribute may
// raise. What else came (a handler's KeyboardInterrupt, SystemExit) is thrown as by throw_python_error().
void drop_ordinary_error();
// A held Python object whose last owner may be on any thread, for Error::set_cause. Steals nothing.
std::shared_ptr<void> hold(PyObject* object);
// The Error that re-raises the given exception object; for keeping one without throwing it.
Error error_of(PyObject* exception);

// Passes a new reference on; throws the Python exception when it is null.
inline PyObject* checked(PyObject* object) {
  if (!object) throw_python_error();
  return object;
}
// The same, owned.
inline PyRef owned(PyObject* object) { return PyRef::steal(checked(object)); }
// The same for C functions that return -1 on failure.
inline int checked(int result) {
  if (result < 0) throw_python_error();
  return result;
}

// Runs the body of a C slot or method: `failure` is returned with a Python exception set when it throws.
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

// What makes Python exceptions of exceptions of another library: false for those that are not its own. Called once, when
// the module is made.
void set_foreign_errors(bool (*set_python_error)(const std::exception&));

}  // namespace tracefn::bind
