// Creates and reads TensorShape through its attribute `_dims`: None, or a tuple of int and None.
#include "bind/tensor/shape_object.h"

#include "bind/errors.h"

namespace tracefn::bind {
namespace {

PyTypeObject* shape_type() {
  static PyTypeObject* type = nullptr;
  if (!type) {
    PyRef module = owned(PyImport_ImportModule("tracefn.tensor_shape"));
    type = reinterpret_cast<PyTypeObject*>(checked(PyObject_GetAttrString(module.get(), "TensorShape")));
  }
  return type;
}

Shape shape_of_dims(PyObject* dims) {
  if (dims == Py_None) return Shape::unknown();
  if (!PyTuple_Check(dims)) fail(ErrorKind::kInternal, "TensorShape._dims is no tuple");
  Shape shape;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(dims); ++i) {
    PyObject* dim = PyTuple_GET_ITEM(dims, i);
    if (dim == Py_None) {
      shape.push_back(kUnknownDim);
      continue;
    }
    long long n = PyLong_AsLongLong(dim);
    if (n == -1 && PyErr_Occurred()) throw_python_error();
    shape.push_back(n);
  }
  if (shape.rank() > kMaxRank)
    fail(ErrorKind::kValue, "A shape of rank ", shape.rank(), " exceeds the largest rank, ", kMaxRank, ".");
  return shape;
}

}  // namespace

PyObject* dims_tuple(const Shape& shape) {
  PyRef tuple = owned(PyTuple_New(shape.rank()));
  for (int i = 0; i < shape.rank(); ++i) {
    PyObject* dim = shape[i] == kUnknownDim ? Py_NewRef(Py_None) : checked(PyLong_FromLongLong(shape[i]));
    PyTuple_SET_ITEM(tuple.get(), i, dim);
  }
  return tuple.release();
}

PyObject* shape_object(const Shape& shape) {
  static PyObject* from_dims = nullptr;
  if (!from_dims) from_dims = checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(shape_type()), "_from_dims"));
  if (!shape.has_rank()) return checked(PyObject_CallOneArg(from_dims, Py_None));
  PyRef dims = PyRef::steal(dims_tuple(shape));
  return checked(PyObject_CallOneArg(from_dims, dims.get()));
}

bool is_shape(PyObject* value) { return PyObject_TypeCheck(value, shape_type()); }

Shape parse_shape(PyObject* value) {
  if (value == Py_None) return Shape::unknown();
  PyRef made;
  if (!is_shape(value)) {
    made = owned(PyObject_CallOneArg(reinterpret_cast<PyObject*>(shape_type()), value));
    value = made.get();
  }
  PyRef dims = owned(PyObject_GetAttrString(value, "_dims"));
  return shape_of_dims(dims.get());
}

}  // namespace tracefn::bind
