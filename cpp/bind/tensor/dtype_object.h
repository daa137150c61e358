// Converts between DType, Python's tracefn.dtypes.DType and numpy's dtypes. All functions need the GIL.
#pragma once

#include <Python.h>

#include "tensor/dtype.h"

namespace tracefn::bind {

// The one Python instance: a borrowed reference that lives as long as the process. Throws.
PyObject* dtype_object(DType dtype);
// The DType of anything tf.as_dtype accepts; throws its TypeError.
DType parse_dtype(PyObject* value);
// The same, with None (or a null pointer) as kInvalid.
DType parse_optional_dtype(PyObject* value);

// The numpy dtype of numpy()'s elements (object for strings), a borrowed reference. Throws ImportError for bfloat16
// without ml_dtypes, TypeError for resources and variants.
PyObject* numpy_dtype(DType dtype);
// The DType of a numpy dtype object, of any byte order; kString for object, bytes and str dtypes, kInvalid if there is
// none. bfloat16 is recognized by name, so ml_dtypes need not be imported.
DType dtype_of_numpy(PyObject* numpy_dtype);

}  // namespace tracefn::bind
