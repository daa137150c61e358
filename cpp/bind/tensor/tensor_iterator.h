// Iteration over the rows of a tensor.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// iter(tensor): the slot tp_iter. OperatorNotAllowedInGraphError for symbolic tensors and while tracing.
PyObject* tensor_iterator(PyObject* tensor);

// Makes the iterator's type.
void init_tensor_iterator();

}  // namespace tracefn::bind
