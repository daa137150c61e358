// Dtypes at the border: DType, Python's tracefn.dtypes.DType and numpy's dtypes. All functions need the GIL.
#pragma once

#include <Python.h>

#include "tensor/dtype.h"

namespace tracefn::bind {

// The one Python instance: a borrowed reference that lives as long as the process. Throws.
PyObject* dtype_object(DType dtype);
// The DType of whatever tf.as_dtype takes; throws its TypeError.
DType parse_dtype(PyObject* value);
// The same, with None (and a null pointer) as kInvalid.
DType parse_optional_dtype(PyObject* value);

// The numpy dtype of elements as numpy() gives them (object for strings), a borrowed reference. Throws ImportError for
// bfloat16 without ml_dtypes, TypeError for resources and variants.
PyObject* numpy_dtype(DType dtype);
// Of a numpy dtype object, whatever its byte order; kString for object, bytes and str dtypes, kInvalid where there is
// none. bfloat16 is known by its name, so ml_dtypes need not be imported.
DType dtype_of_numpy(PyObject* numpy_dtype);

}  // namespace tracefn::bind
