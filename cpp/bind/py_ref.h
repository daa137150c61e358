// PyRef: an owned reference to a Python object. Needs the GIL to be copied or dropped.
#pragma once

#include <Python.h>

#include <utility>

namespace tracefn {

class PyRef {
 public:
  PyRef() = default;
  // Takes over a new reference (null: no object).
  static PyRef steal(PyObject* object) {
    PyRef ref;
    ref.object_ = object;
    return ref;
  }
  // Adds a reference to a borrowed one.
  static PyRef borrow(PyObject* object) {
    Py_XINCREF(object);
    return steal(object);
  }
  PyRef(const PyRef& other) : object_(other.object_) { Py_XINCREF(object_); }
  PyRef(PyRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PyRef& operator=(PyRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~PyRef() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  // Releases ownership of the reference.
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// The target of a weak reference; empty if it is dead.
inline PyRef weak_target(PyObject* reference) {
#if PY_VERSION_HEX >= 0x030d0000
  PyObject* target = nullptr;
  (void)PyWeakref_GetRef(reference, &target);
  return PyRef::steal(target);
#else
  PyObject* target = PyWeakref_GetObject(reference);
  return PyRef::borrow(target == Py_None ? nullptr : target);
#endif
}

}  // namespace tracefn
