// numpy's arrays through its C API, whose layouts and function table are the same in every supported version of numpy;
// so numpy's headers are not needed to build. All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include <memory>

#include "bind/py_ref.h"
#include "tensor/tensor.h"

namespace tracefn::bind {

// The head of a numpy.dtype (PyArray_Descr). Reading it is faster than an attribute.
struct NumpyDescr {
  PyObject_HEAD
  PyObject* typeobj;
  char kind;
  char type;
  char byteorder;
  char former_flags;
  int type_num;

  bool is_native() const { return byteorder != (PY_LITTLE_ENDIAN ? '>' : '<'); }
};

// The head of a numpy.ndarray (PyArrayObject).
struct NumpyArrayObject {
  PyObject_HEAD
  void* data;
  int rank;
  Py_ssize_t* dims;
  Py_ssize_t* strides;  // in bytes
  PyObject* base;
  NumpyDescr* descr;
  int flags;

  bool is_c_contiguous() const { return flags & 1; }
};

// Precondition: is_numpy_array(object).
inline const NumpyArrayObject& array_of(PyObject* object) { return *reinterpret_cast<NumpyArrayObject*>(object); }
// The size of its elements, whatever its strides.
std::size_t bytes_of_array(PyObject* array);

// A new array in C order; its elements are uninitialized, those of an object array null.
PyRef new_array(PyObject* descr, const Shape& shape);
// A read-only array of a tensor's buffer, which it keeps alive.
PyRef read_only_array(PyObject* descr, const Tensor& tensor);

}  // namespace tracefn::bind
