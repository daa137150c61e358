// Python values as constants of a graph, by the rules of TensorFlow's make_tensor_proto. Needs the GIL and throws.
#pragma once

#include "bind/convert/nest_values.h"

namespace tracefn::bind {

// The values of a nest that measure() described.
Tensor read_graph(PyObject* value, const Nest& nest, DType wanted);

// TypeError if a leaf does not convert to `wanted`; names it.
void report_misfit(PyObject* value, DType wanted);
// TypeError: Failed to convert elements of ...
[[noreturn]] void report_elements(PyObject* value);
// numpy's ValueError for a ragged nest.
[[noreturn]] void report_ragged(PyObject* value);
bool is_rectangular(PyObject* value, const Shape& shape);

}  // namespace tracefn::bind
