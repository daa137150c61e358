// Converts between Shape and Python's tracefn.tensor_shape.TensorShape. All functions need the GIL.
#pragma once

#include <Python.h>

#include "tensor/shape.h"

namespace tracefn::bind {

// A new TensorShape. Throws.
PyObject* shape_object(const Shape& shape);
// A new tuple with None for unknown dimensions. Precondition: shape.has_rank().
PyObject* dims_tuple(const Shape& shape);
// Of a TensorShape, None, an int, or a sequence of ints, Nones, and Dimension-like objects; throws TypeError or
// ValueError as tf.TensorShape does.
Shape parse_shape(PyObject* value);
// True for a TensorShape.
bool is_shape(PyObject* value);

}  // namespace tracefn::bind
