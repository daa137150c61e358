// Texts of tensors. All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include <string>

#include "ops/emit.h"

namespace tracefn::bind {

// repr(tensor), for messages.
std::string tensor_repr(const Operand& operand);
// "<dtype: 'float32'>", as str(tf.float32).
std::string dtype_text(DType dtype);

}  // namespace tracefn::bind
