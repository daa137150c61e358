// Converts Python scalars and nests of them to tensor values: the part of convert.h without numpy arrays at the top.
// All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include "bind/convert/from_numpy.h"
#include "tensor/tensor.h"

namespace tracefn::bind {

// One of Python's own bool, int, float, complex, str or bytes objects. Undefined if it is none of these or does not
// convert to `wanted`; throws nothing but memory errors.
Tensor scalar_from_python(PyObject* value, DType wanted);

// A Python scalar, a numpy scalar, or a sequence of those nested to any depth; arrays inside count as sequences.
Tensor from_python(PyObject* value, DType wanted, Rules rules);

// True for objects that from_python iterates over: sequences that are not strings.
bool is_sequence(PyObject* value);

// ValueError: Attempt to convert a value ... with an unsupported type ...
[[noreturn]] void unsupported_value(PyObject* value);
// A value in a message, in UTF-8: its repr, or its str, on one line, shortened if long, without the elements of a large
// array (tracefn._value_text). Throw.
std::string repr_of(PyObject* value);
std::string str_of(PyObject* value);
// The name of a value's class, without its module.
std::string short_type_name(PyObject* value);
// One of this package's own texts that may contain user values, such as a type's: with the middle elided if long.
std::string shortened(std::string text);

}  // namespace tracefn::bind
