// Copying of numpy arrays into tensors.
#include "bind/from_numpy.h"

#include <pybind11/numpy.h>

#include "base/poll.h"
#include "bind/dtype_object.h"
#include "bind/errors.h"
#include "bind/from_python.h"
#include "bind/numpy_types.h"

namespace tracefn::bind {
namespace {

namespace py = pybind11;

[[noreturn]] void unsupported(const std::string& what) {
  fail(ErrorKind::kValue, "Failed to convert a NumPy array to a Tensor (", what, ").");
}

[[noreturn]] void unsupported_numpy_type(const py::dtype& descr, Rules rules) {
  if (rules == Rules::kGraph) parse_dtype(descr.ptr());  // throws: there is none
  switch (descr.normalized_num()) {
    case 13:
      unsupported("Unsupported numpy type: NPY_LONGDOUBLE");
    case 16:
      unsupported("Unsupported numpy type: NPY_CLONGDOUBLE");
    case 21:
      unsupported("Unsupported numpy type: NPY_DATETIME");
    case 22:
      unsupported("Unsupported numpy type: NPY_TIMEDELTA");
    default:
      unsupported("Unsupported numpy data type");
  }
}

py::object astype(const py::array& array, py::handle descr) { return array.attr("astype")(descr, "C"); }

[[noreturn]] void no_string(PyObject* item, Rules rules) {
  if (rules == Rules::kGraph) fail(ErrorKind::kType, "Expected binary or unicode string, got ", repr_of(item));
  unsupported(concat("Unsupported object type ", Py_TYPE(item)->tp_name));
}

Tensor strings_of(const py::array& array, const Shape& shape, Rules rules) {
  Tensor out(DType::kString, shape);
  // One list of Python objects: reads every kind of string array alike.
  py::object flat = array.attr("ravel")("C").attr("tolist")();
  auto* to = out.mutable_data<std::string>();
  Py_ssize_t n = PyList_GET_SIZE(flat.ptr());
  if (n != out.num_elements()) unsupported("Unsupported numpy data type");
  PolledSteps polled(1024);
  for (Py_ssize_t i = 0; i < n; ++i) {
    polled.step();
    PyObject* item = PyList_GET_ITEM(flat.ptr(), i);
    if (!PyUnicode_Check(item) && !PyBytes_Check(item)) no_string(item, rules);
    to[i] = bytes_of_text(item);
  }
  return out;
}

bool is_native(const py::dtype& descr) { return descr.byteorder() != (PY_LITTLE_ENDIAN ? '>' : '<'); }

Tensor copy_plain(const py::array& array, DType dtype, const Shape& shape) {
  py::array source = array;
  bool direct = (array.flags() & py::array::c_style) && is_native(array.dtype());
  if (!direct) {
    source = py::reinterpret_steal<py::array>(astype(array, array.dtype().attr("newbyteorder")("=")).release());
  }
  Tensor out(dtype, shape);
  if (source.nbytes() != static_cast<py::ssize_t>(out.bytes())) unsupported("Unsupported numpy data type");
  copy_elements(DType::kUInt8, source.data(), out.mutable_raw(), static_cast<std::int64_t>(out.bytes()));
  return out;
}

Tensor to_bfloat16(const Tensor& from) {
  Tensor out(DType::kBFloat16, from.shape());
  auto* to = out.mutable_data<BFloat16>();
  const float* values = from.data<float>();
  in_slices(from.num_elements(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to[i] = BFloat16(values[i]);
  });
  return out;
}

Shape shape_of(const py::array& array) {
  Shape shape;
  for (py::ssize_t i = 0; i < array.ndim(); ++i) shape.push_back(array.shape(i));
  return shape;
}

Tensor convert(const py::array& array, DType wanted, Rules rules) {
  DType dtype = dtype_of_numpy(array.dtype().ptr());
  Shape shape = shape_of(array);
  if (wanted == DType::kString && dtype != DType::kString) {
    py::object items = array.attr("ravel")("C").attr("tolist")();
    if (PyList_GET_SIZE(items.ptr()) == 0) return Tensor(DType::kString, shape);
    no_string(PyList_GET_ITEM(items.ptr(), 0), rules);
  }
  if (wanted != DType::kInvalid && wanted != dtype) {
    bool number = dtype != DType::kString && (dtype != DType::kInvalid || array.dtype().kind() == 'f');
    if (array.dtype().kind() == 'O') number = true;  // its elements decide
    if (wanted == DType::kBFloat16 && !number)
      fail(ErrorKind::kType, "Cannot cast ", array.ndim() ? "array data" : "scalar", " from ",
           repr_of(array.dtype().ptr()), " to dtype(bfloat16) according to the rule 'unsafe'");
    DType through = wanted == DType::kBFloat16 ? DType::kFloat : wanted;
    py::array cast = py::reinterpret_steal<py::array>(astype(array, numpy_dtype(through)).release());
    Tensor out = copy_plain(cast, through, shape);
    return wanted == DType::kBFloat16 ? to_bfloat16(out) : out;
  }
  if (dtype == DType::kInvalid) unsupported_numpy_type(array.dtype(), rules);
  return dtype == DType::kString ? strings_of(array, shape, rules) : copy_plain(array, dtype, shape);
}

}  // namespace

NumpyArray::NumpyArray(PyObject* array) {
  auto a = py::reinterpret_borrow<py::array>(array);
  shape = shape_of(a);
  dtype = dtype_of_numpy(a.dtype().ptr());
}

DType dtype_of_numpy_scalar(PyObject* value) {
  PyRef descr = owned(PyObject_GetAttrString(value, "dtype"));
  return dtype_of_numpy(descr.get());
}

std::string bytes_of_text(PyObject* text) {
  if (PyBytes_Check(text))
    return std::string(PyBytes_AS_STRING(text), static_cast<std::size_t>(PyBytes_GET_SIZE(text)));
  Py_ssize_t n = 0;
  const char* utf8 = PyUnicode_AsUTF8AndSize(text, &n);
  if (!utf8) throw_python_error();
  return std::string(utf8, static_cast<std::size_t>(n));
}

Tensor from_numpy(PyObject* value, DType wanted, Rules rules) {
  try {
    if (is_numpy_array(value)) return convert(py::reinterpret_borrow<py::array>(value), wanted, rules);
    // A scalar becomes an array of rank 0; the dtype of strings and objects is kept.
    py::object array = py::module_::import("numpy").attr("asarray")(py::handle(value));
    return convert(py::reinterpret_borrow<py::array>(array), wanted, rules);
  } catch (py::error_already_set& error) {
    error.restore();
    throw_python_error();
  }
}

}  // namespace tracefn::bind
