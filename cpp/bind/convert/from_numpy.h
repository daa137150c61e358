// Converts numpy values to tensors through numpy's C API. All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include <string>

#include "tensor/tensor.h"

namespace tracefn::bind {

// TensorFlow's rules for eager constants and graph constants: a graph accepts mixed number types and names the element
// that it rejects.
enum class Rules { kEager, kGraph };

// A view of an ndarray's content, valid while the array lives unchanged.
struct NumpyArray {
  explicit NumpyArray(PyObject* array);
  Shape shape;
  DType dtype;  // kInvalid if there is none
};
// kInvalid if there is none.
DType dtype_of_numpy_scalar(PyObject* value);

// A copy of the elements of an ndarray or numpy scalar, of any strides and byte order. Another `wanted` dtype is
// numpy's own astype, as in TensorFlow.
Tensor from_numpy(PyObject* value, DType wanted, Rules rules);

// The UTF-8 bytes of a str, or the bytes of a bytes object.
std::string bytes_of_text(PyObject* text);

}  // namespace tracefn::bind
