// Tensors as numpy arrays, numpy scalars and Python values.
#include "bind/to_numpy.h"

#include <pybind11/numpy.h>

#include <memory>

#include "base/poll.h"
#include "bind/dtype_object.h"
#include "bind/errors.h"

namespace tracefn::bind {
namespace {

namespace py = pybind11;

py::array::ShapeContainer extents(const Tensor& tensor) {
  return {tensor.shape().dims().begin(), tensor.shape().dims().end()};
}

py::dtype descr_of(DType dtype) { return py::reinterpret_borrow<py::dtype>(numpy_dtype(dtype)); }

PyObject* bytes_object(const std::string& s) {
  return checked(PyBytes_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size())));
}

py::array array_of_bytes(const Tensor& tensor) {
  py::array array(descr_of(DType::kString), extents(tensor));
  auto** out = static_cast<PyObject**>(array.mutable_data());
  const auto* from = tensor.data<std::string>();
  PolledSteps polled(1024);
  for (std::int64_t i = 0, n = tensor.num_elements(); i < n; ++i, polled.step()) {
    PyObject* before = out[i];
    out[i] = bytes_object(from[i]);
    Py_XDECREF(before);
  }
  return array;
}

py::array copied(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return array_of_bytes(tensor);
  py::array array(descr_of(tensor.dtype()), extents(tensor));
  copy_elements(tensor.dtype(), tensor.raw(), array.mutable_data(), tensor.num_elements());
  return array;
}

// Shares the buffer, which the array's base keeps alive.
py::array read_only_view(const Tensor& tensor) {
  auto kept = std::make_unique<Tensor>(tensor);
  py::capsule base(kept.get(), [](void* held) { delete static_cast<Tensor*>(held); });
  static_cast<void>(kept.release());
  py::array array(descr_of(tensor.dtype()), extents(tensor), tensor.raw(), base);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

template <typename T, typename Make>
PyObject* nested(const T* data, const Shape& shape, int depth, std::int64_t stride, const Make& make) {
  if (depth == shape.rank()) return make(*data);
  std::int64_t n = shape[depth];
  std::int64_t inner = n ? stride / n : 0;
  PyRef list = owned(PyList_New(n));
  PolledSteps polled(1024);
  for (std::int64_t i = 0; i < n; ++i, polled.step())
    PyList_SET_ITEM(list.get(), i, nested(data + i * inner, shape, depth + 1, inner, make));
  return list.release();
}

template <typename T, typename Make>
PyObject* nested(const Tensor& tensor, const Make& make) {
  return nested(tensor.data<T>(), tensor.shape(), 0, tensor.num_elements(), make);
}

template <typename T>
PyObject* signed_list(const Tensor& tensor) {
  return nested<T>(tensor, [](T v) { return checked(PyLong_FromLongLong(v)); });
}
template <typename T>
PyObject* unsigned_list(const Tensor& tensor) {
  return nested<T>(tensor, [](T v) { return checked(PyLong_FromUnsignedLongLong(v)); });
}
template <typename T>
PyObject* float_list(const Tensor& tensor) {
  return nested<T>(tensor, [](T v) { return checked(PyFloat_FromDouble(static_cast<double>(static_cast<float>(v)))); });
}
template <typename T>
PyObject* complex_list(const Tensor& tensor) {
  return nested<T>(tensor, [](const T& v) { return checked(PyComplex_FromDoubles(v.real(), v.imag())); });
}

}  // namespace

PyObject* to_numpy(const Tensor& tensor) {
  if (tensor.rank() > 0) return copied(tensor).release().ptr();
  if (tensor.dtype() == DType::kString) return bytes_object(tensor.item<std::string>());
  return copied(tensor)[py::tuple()].cast<py::object>().release().ptr();
}

PyObject* to_numpy_array(const Tensor& tensor, bool copy) {
  bool shareable = !copy && is_plain(tensor.dtype());
  return (shareable ? read_only_view(tensor) : copied(tensor)).release().ptr();
}

PyObject* to_python(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kBool:
      return nested<bool>(tensor, [](bool v) { return PyBool_FromLong(v); });
    case DType::kInt8:
      return signed_list<std::int8_t>(tensor);
    case DType::kInt16:
      return signed_list<std::int16_t>(tensor);
    case DType::kInt32:
      return signed_list<std::int32_t>(tensor);
    case DType::kInt64:
      return signed_list<std::int64_t>(tensor);
    case DType::kUInt8:
      return unsigned_list<std::uint8_t>(tensor);
    case DType::kUInt16:
      return unsigned_list<std::uint16_t>(tensor);
    case DType::kUInt32:
      return unsigned_list<std::uint32_t>(tensor);
    case DType::kUInt64:
      return unsigned_list<std::uint64_t>(tensor);
    case DType::kHalf:
      return float_list<Half>(tensor);
    case DType::kBFloat16:
      return float_list<BFloat16>(tensor);
    case DType::kFloat:
      return float_list<float>(tensor);
    case DType::kDouble:
      return nested<double>(tensor, [](double v) { return checked(PyFloat_FromDouble(v)); });
    case DType::kComplex64:
      return complex_list<std::complex<float>>(tensor);
    case DType::kComplex128:
      return complex_list<std::complex<double>>(tensor);
    case DType::kString:
      return nested<std::string>(tensor, bytes_object);
    default:
      fail(ErrorKind::kType, "Tensors of type ", name(tensor.dtype()), " have no NumPy equivalent.");
  }
}

}  // namespace tracefn::bind
