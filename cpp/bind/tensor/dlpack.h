// DLPack (https://dmlc.github.io/dlpack): exchanges tensors with other libraries without a copy. All functions need the
// GIL and throw.
#pragma once

#include <Python.h>

#include "tensor/tensor.h"

namespace tracefn::bind {

// A "dltensor" capsule of a copy, which the consumer may write; or, with `versioned`, a "dltensor_versioned" capsule
// of the tensor's own memory, marked read-only (of a copy with `copy`).
PyObject* to_dlpack(const Tensor& tensor, bool versioned, bool copy);
// From a capsule, which is consumed, or from an object with __dlpack__. Shares the producer's memory if it is dense;
// the producer must not write it afterwards.
Tensor from_dlpack(PyObject* value);
// True for an object whose type has __dlpack__.
bool is_dlpack(PyObject* value);

// Adds to_dlpack and from_dlpack to the module.
void init_dlpack(PyObject* module);

}  // namespace tracefn::bind
