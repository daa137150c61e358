// The Python values that TensorFlow's native path accepts.
#include "bind/call/unnamed_errors.h"

#include "bind/convert/numpy_types.h"
#include "bind/errors.h"
#include "bind/tensor/tensor_object.h"

namespace tracefn::bind {

bool is_taken_natively(PyObject* value) {
  if (is_tensor(value) || PyFloat_Check(value) || PyLong_Check(value) || is_numpy_array(value)) return true;
  if (PyUnicode_Check(value) || PyBytes_Check(value) || PyList_Check(value) || PyTuple_Check(value)) return false;
  PyObject* handle = PyObject_GetAttrString(value, "handle");
  if (!handle) drop_ordinary_error();
  Py_XDECREF(handle);
  return handle != nullptr;
}

Error without_node_name(const Error& error) {
  std::size_t at = error.message().rfind("] name: ");
  if (at == std::string::npos) return error;
  Error unnamed(error.kind(), error.message().substr(0, at + 1));
  unnamed.set_cause(error.cause());
  unnamed.set_node_name(error.node_name());
  return unnamed;
}

}  // namespace tracefn::bind
