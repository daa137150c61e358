// numpy's arrays through its C interface, whose layouts and table of functions are the same in every version of numpy
// that can be installed; so numpy's headers are not needed to build. All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include <memory>

#include "bind/py_ref.h"
#include "tensor/tensor.h"

namespace tracefn::bind {

// How a numpy.dtype begins (PyArray_Descr). Reading it is quicker than an attribute.
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

// How a numpy.ndarray begins (PyArrayObject).
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
// Of what it holds, whatever its strides.
std::size_t bytes_of_array(PyObject* array);

// A new array in C order; its elements are undefined, those of an object array null.
PyRef new_array(PyObject* descr, const Shape& shape);
// A read-only array of a tensor's buffer, which it keeps alive.
PyRef read_only_array(PyObject* descr, const Tensor& tensor);

}  // namespace tracefn::bind
