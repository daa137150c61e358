// Converts Python values to tensors by TensorFlow's rules: int becomes int32, float float32, numpy keeps its dtype,
// nothing is promoted silently. All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include "bind/tensor/tensor_object.h"

namespace tracefn::bind {

// Implements tf.convert_to_tensor(value, dtype=wanted, dtype_hint=preferred, name=name) on the current target: a tensor
// of the `wanted` dtype if given; constants are nodes while tracing.
Operand to_operand(PyObject* value, DType wanted = DType::kInvalid, DType preferred = DType::kInvalid,
                   const char* name = "");

// The value itself, if it contains no symbolic tensor or Variable: numbers, strings, arrays, nests of them, eager
// tensors. Never aliases memory that Python code can write.
Tensor to_tensor(PyObject* value, DType wanted = DType::kInvalid, DType preferred = DType::kInvalid);

// Whether it is a Python value that takes the dtype of the tensors beside it; anything else has its own dtype.
bool is_weakly_typed(PyObject* value);

// Whether an integer in the value needs more than 32 bits.
bool exceeds_int32(PyObject* value, int depth = 0);

// Adds convert_to_tensor(value, dtype=None, dtype_hint=None, name=None) to the module.
void init_convert(PyObject* module);

}  // namespace tracefn::bind
