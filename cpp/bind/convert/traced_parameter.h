// The argument of a traced op, converted with the errors of TensorFlow's op library, which name op and parameter. Needs
// the GIL.
#pragma once

#include <Python.h>

#include <string_view>

#include "bind/tensor/tensor_object.h"

namespace tracefn::bind {

// to_operand() of a value that must have the dtype of the argument `earlier`; of the parameter alone if that is empty.
// Without `wanted` the value has a dtype of its own, `preferred` if that fits.
Operand traced_parameter(PyObject* value, DType wanted, std::string_view op, const char* parameter,
                         std::string_view earlier, DType preferred = DType::kInvalid);

// The dtype that a value gets if it may choose; kInvalid if it does not convert at all.
DType own_dtype(PyObject* value);

}  // namespace tracefn::bind
