// Shared by from_python.cpp and graph_constants.cpp: values in their natural dtype, and values of a requested dtype.
// All functions need the GIL and throw.
#pragma once

#include <string>

#include "bind/convert/from_numpy.h"
#include "bind/convert/nest_values.h"

namespace tracefn::bind {

// Values in their natural dtype: all leaves in their widest type, and the dtype they would get.
struct Natural {
  Tensor wide;
  DType dtype = DType::kInvalid;
};

Natural read_natural(PyObject* value, const Nest& nest, Rules rules);

// The dtypes that TensorFlow reads directly, so that a bool or an integer past int64 fits them too.
bool reads_directly(DType wanted);
// Undefined if the values do not fit, or `wanted` is not such a dtype.
Tensor read_directly(PyObject* value, const Shape& shape, DType wanted);

bool all_fit_int32(const Tensor& wide);
// ValueError: Can't convert ... Python sequence ...
[[noreturn]] void report(Outcome outcome);

}  // namespace tracefn::bind
