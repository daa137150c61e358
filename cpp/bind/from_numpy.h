// Numpy values as tensors, read through numpy's own C interface. All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include <string>

#include "tensor/tensor.h"

namespace tracefn::bind {

// The rules that differ between TensorFlow's eager constants and those of a graph: a graph accepts mixed number types
// and says which element it cannot take.
enum class Rules { kEager, kGraph };

// What an ndarray holds, for the time that the array lives and nobody changes it.
struct NumpyArray {
  explicit NumpyArray(PyObject* array);
  Shape shape;
  DType dtype;  // kInvalid where there is none
};
// kInvalid where there is none.
DType dtype_of_numpy_scalar(PyObject* value);

// The elements of an ndarray or numpy scalar, copied; of any strides and byte order. Another `wanted` dtype is numpy's
// own astype, as in TensorFlow.
Tensor from_numpy(PyObject* value, DType wanted, Rules rules);

// The UTF-8 bytes of a str, or the bytes of a bytes object.
std::string bytes_of_text(PyObject* text);

}  // namespace tracefn::bind
