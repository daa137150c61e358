// Takes numpy's functions from the capsule numpy._core.multiarray._ARRAY_API, whose layout is stable.
#include "bind/convert/numpy_array.h"

#include <array>

#include "bind/errors.h"

namespace tracefn::bind {
namespace {

struct NumpyFunctions {
  PyTypeObject* array_type;
  // (type, descr, which is stolen, rank, dims, strides or null, data or null, flags, object or null)
  PyObject* (*new_from_descr)(PyTypeObject*, PyObject*, int, const Py_ssize_t*, const Py_ssize_t*, void*, int,
                              PyObject*);
  int (*set_base_object)(PyObject* array, PyObject* base);  // steals the base
};

const NumpyFunctions& numpy_functions() {
  // Not a guarded static: an import may release the GIL, and another thread may get here meanwhile.
  static const NumpyFunctions* functions = nullptr;
  if (functions) return *functions;
  PyRef module = owned(PyImport_ImportModule("numpy._core.multiarray"));
  PyRef capsule = owned(PyObject_GetAttrString(module.get(), "_ARRAY_API"));
  auto** table = static_cast<void**>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (!table) throw_python_error();
  static NumpyFunctions found;
  found.array_type = static_cast<PyTypeObject*>(table[2]);
  found.new_from_descr = reinterpret_cast<decltype(found.new_from_descr)>(table[94]);
  found.set_base_object = reinterpret_cast<decltype(found.set_base_object)>(table[282]);
  return *(functions = &found);
}

PyRef make(PyObject* descr, const Shape& shape, void* data) {
  constexpr int kMostOfNumpy = 64;
  if (shape.rank() > kMostOfNumpy)
    invalid_argument("Cannot convert tensor with ", shape.rank(),
                     " dimensions to NumPy array. NumPy arrays can have at most ", kMostOfNumpy, " dimensions");
  std::array<Py_ssize_t, kMaxRank> dims;
  std::copy(shape.dims().begin(), shape.dims().end(), dims.begin());
  const NumpyFunctions& numpy = numpy_functions();
  return owned(
      numpy.new_from_descr(numpy.array_type, Py_NewRef(descr), shape.rank(), dims.data(), nullptr, data, 0, nullptr));
}

}  // namespace

std::size_t bytes_of_array(PyObject* array) {
  PyRef size = owned(PyObject_GetAttrString(array, "nbytes"));
  std::size_t n = PyLong_AsSize_t(size.get());
  if (n == static_cast<std::size_t>(-1) && PyErr_Occurred()) throw_python_error();
  return n;
}

PyRef new_array(PyObject* descr, const Shape& shape) { return make(descr, shape, nullptr); }

PyRef read_only_array(PyObject* descr, const Tensor& tensor) {
  auto kept = std::make_unique<Tensor>(tensor);
  PyRef base = owned(PyCapsule_New(kept.get(), nullptr, [](PyObject* capsule) {
    delete static_cast<Tensor*>(PyCapsule_GetPointer(capsule, nullptr));
  }));
  static_cast<void>(kept.release());
  PyRef array = make(descr, tensor.shape(), const_cast<void*>(static_cast<const void*>(tensor.raw())));
  checked(numpy_functions().set_base_object(array.get(), base.release()));
  return array;
}

}  // namespace tracefn::bind
