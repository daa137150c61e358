// Recognizes numpy's types. Nothing here imports numpy: until it is imported, no value can have its types. All
// functions need the GIL and throw.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// References that live as long as the process; subclasses match, too.
struct NumpyTypes {
  PyTypeObject* array;   // numpy.ndarray
  PyTypeObject* scalar;  // numpy.generic
  PyTypeObject* text;    // numpy.str_
};
// Null if numpy has not been imported.
const NumpyTypes* numpy_types();

inline bool is_numpy_array(PyObject* value) {
  const NumpyTypes* types = numpy_types();
  return types && PyObject_TypeCheck(value, types->array);
}
// Of numpy's own class.
inline bool is_exact_numpy_array(PyObject* value) {
  const NumpyTypes* types = numpy_types();
  return types && Py_TYPE(value) == types->array;
}
inline bool is_numpy_scalar(PyObject* value) {
  const NumpyTypes* types = numpy_types();
  return types && PyObject_TypeCheck(value, types->scalar);
}
inline bool is_numpy_text(PyObject* value) {
  const NumpyTypes* types = numpy_types();
  return types && PyObject_TypeCheck(value, types->text);
}
// A numpy array or scalar: it has a dtype, but converts to the one asked for.
inline bool is_numpy(PyObject* value) { return is_numpy_array(value) || is_numpy_scalar(value); }

}  // namespace tracefn::bind
