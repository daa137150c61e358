// Results of traced functions (tracing rules 93-97, Y5): flattens one. build_value() is the inverse. All functions need
// the GIL and throw.
#pragma once

#include <Python.h>

#include <functional>
#include <vector>

#include "bind/errors.h"
#include "spec/trace_type.h"

namespace tracefn::bind {

struct FlatResult {
  std::vector<PyRef> tensors;  // Tensors, in the order of type->append_leaves()
  TraceTypePtr type;           // None is a literal; leaves have the dtypes and shapes of `tensors`
};

// The Tensor for a leaf of a result (a tensor, a Variable, a number, a string, an array, a TensorShape), or an empty
// PyRef, with no exception set, if it is not one.
using ToTensor = std::function<PyRef(PyObject* leaf)>;

// The TypeError of tracing rule 97, which names `function` (the Python function, for its repr), for anything that is
// not a tensor.
FlatResult flatten_result(PyObject* result, PyObject* function, const ToTensor& to_tensor);

}  // namespace tracefn::bind
