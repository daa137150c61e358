// Converts tensors to numpy values. All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include "tensor/tensor.h"

namespace tracefn::bind {

// As tensor.numpy(): a writable copy; numpy scalars for rank 0; bytes, or object arrays of bytes, for strings.
PyObject* to_numpy(const Tensor& tensor);
// An array even for rank 0. `copy` false: a read-only view that holds the buffer, if the dtype allows one.
PyObject* to_numpy_array(const Tensor& tensor, bool copy);
// As tensor.numpy().tolist(): Python numbers, bytes, nested lists. Needs neither numpy nor ml_dtypes.
PyObject* to_python(const Tensor& tensor);

}  // namespace tracefn::bind
