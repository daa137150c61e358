// Tensors as numpy arrays, numpy scalars and Python values.
#include "bind/convert/to_numpy.h"

#include <utility>

#include "base/poll.h"
#include "bind/convert/numpy_array.h"
#include "bind/errors.h"
#include "bind/tensor/dtype_object.h"
#include "tensor/stored_types.h"

namespace tracefn::bind {
namespace {

PyObject* bytes_object(const std::string& s) {
  return checked(PyBytes_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size())));
}

PyRef array_of_bytes(const Tensor& tensor) {
  PyRef array = new_array(numpy_dtype(DType::kString), tensor.shape());
  auto** out = static_cast<PyObject**>(array_of(array.get()).data);
  const auto* from = tensor.data<std::string>();
  PolledSteps polled(1024);
  for (std::int64_t i = 0, n = tensor.num_elements(); i < n; ++i, polled.step())
    Py_XDECREF(std::exchange(out[i], bytes_object(from[i])));
  return array;
}

PyRef copied(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return array_of_bytes(tensor);
  PyRef array = new_array(numpy_dtype(tensor.dtype()), tensor.shape());
  copy_elements(tensor.dtype(), tensor.raw(), array_of(array.get()).data, tensor.num_elements());
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
  if (tensor.rank() > 0) return copied(tensor).release();
  if (tensor.dtype() == DType::kString) return bytes_object(tensor.item<std::string>());
  static PyObject* everything = checked(PyTuple_New(0));  // array[()] is a scalar
  return checked(PyObject_GetItem(copied(tensor).get(), everything));
}

PyObject* to_numpy_array(const Tensor& tensor, bool copy) {
  if (copy || !is_plain(tensor.dtype())) return copied(tensor).release();
  return read_only_array(numpy_dtype(tensor.dtype()), tensor).release();
}

PyObject* to_python(const Tensor& tensor) {
  if (is_stored_only(tensor.dtype())) return to_python(numbers_of(tensor));
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
