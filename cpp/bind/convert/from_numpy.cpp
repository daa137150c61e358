// Copies numpy arrays into tensors.
#include "bind/convert/from_numpy.h"

#include "base/poll.h"
#include "bind/convert/from_python.h"
#include "bind/convert/numpy_array.h"
#include "bind/convert/numpy_types.h"
#include "bind/errors.h"
#include "bind/tensor/dtype_object.h"
#include "tensor/stored_types.h"

namespace tracefn::bind {
namespace {

[[noreturn]] void unsupported(const std::string& what) {
  fail(ErrorKind::kValue, "Failed to convert a NumPy array to a Tensor (", what, ").");
}

[[noreturn]] void unsupported_numpy_type(NumpyDescr* descr, Rules rules) {
  if (rules == Rules::kGraph) parse_dtype(reinterpret_cast<PyObject*>(descr));  // throws: there is none
  switch (descr->type_num) {
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

PyRef astype(PyObject* array, PyObject* descr) { return owned(PyObject_CallMethod(array, "astype", "Os", descr, "C")); }

// Reads arrays of every kind as one list of Python objects.
PyRef flat_list(PyObject* array) {
  PyRef flat = owned(PyObject_CallMethod(array, "ravel", "s", "C"));
  return owned(PyObject_CallMethod(flat.get(), "tolist", nullptr));
}

[[noreturn]] void no_string(PyObject* item, Rules rules) {
  if (rules == Rules::kGraph) fail(ErrorKind::kType, "Expected binary or unicode string, got ", repr_of(item));
  unsupported(concat("Unsupported object type ", Py_TYPE(item)->tp_name));
}

Tensor strings_of(PyObject* array, const Shape& shape, Rules rules) {
  Tensor out(DType::kString, shape);
  PyRef flat = flat_list(array);
  auto* to = out.mutable_data<std::string>();
  Py_ssize_t n = PyList_GET_SIZE(flat.get());
  if (n != out.num_elements()) unsupported("Unsupported numpy data type");
  PolledSteps polled(1024);
  for (Py_ssize_t i = 0; i < n; ++i) {
    polled.step();
    PyObject* item = PyList_GET_ITEM(flat.get(), i);
    if (!PyUnicode_Check(item) && !PyBytes_Check(item)) no_string(item, rules);
    to[i] = bytes_of_text(item);
  }
  return out;
}

Tensor copy_plain(PyObject* array, DType dtype, const Shape& shape) {
  PyRef source = PyRef::borrow(array);
  NumpyDescr* descr = array_of(array).descr;
  if (!array_of(array).is_c_contiguous() || !descr->is_native()) {
    PyRef native = owned(PyObject_CallMethod(reinterpret_cast<PyObject*>(descr), "newbyteorder", "s", "="));
    source = astype(array, native.get());
  }
  Tensor out(dtype, shape);
  if (bytes_of_array(source.get()) != out.bytes()) unsupported("Unsupported numpy data type");
  copy_elements(DType::kUInt8, array_of(source.get()).data, out.mutable_raw(), static_cast<std::int64_t>(out.bytes()));
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

// Whether NumPy has the type from ml_dtypes, which need not be there.
bool is_of_ml_dtypes(DType dtype) { return dtype == DType::kBFloat16 || is_float8(dtype) || is_four_bits(dtype); }

Shape shape_of(const NumpyArrayObject& array) {
  Shape shape;
  for (int i = 0; i < array.rank; ++i) shape.push_back(array.dims[i]);
  return shape;
}

Tensor convert(PyObject* array, DType wanted, Rules rules) {
  NumpyDescr* descr = array_of(array).descr;
  DType dtype = dtype_of_numpy(reinterpret_cast<PyObject*>(descr));
  Shape shape = shape_of(array_of(array));
  if (wanted == DType::kString && dtype != DType::kString) {
    PyRef items = flat_list(array);
    if (PyList_GET_SIZE(items.get()) == 0) return Tensor(DType::kString, shape);
    no_string(PyList_GET_ITEM(items.get(), 0), rules);
  }
  if (wanted != DType::kInvalid && wanted != dtype) {
    bool number = dtype != DType::kString && (dtype != DType::kInvalid || descr->kind == 'f');
    if (descr->kind == 'O') number = true;  // its elements decide
    if (is_of_ml_dtypes(wanted) && !number)
      fail(ErrorKind::kType, "Cannot cast ", shape.rank() ? "array data" : "scalar", " from ",
           repr_of(reinterpret_cast<PyObject*>(descr)), " to dtype(", name(wanted), ") according to the rule 'unsafe'");
    const DType through = wanted == DType::kBFloat16 ? DType::kFloat : dtype_before_storing(dtype, wanted);
    PyRef cast = astype(array, numpy_dtype(through));
    Tensor out = copy_plain(cast.get(), through, shape);
    return wanted == DType::kBFloat16 ? to_bfloat16(out) : stored_as(out, wanted);
  }
  if (dtype == DType::kInvalid) unsupported_numpy_type(descr, rules);
  return dtype == DType::kString ? strings_of(array, shape, rules) : copy_plain(array, dtype, shape);
}

}  // namespace

NumpyArray::NumpyArray(PyObject* array)
    : shape(shape_of(array_of(array))), dtype(dtype_of_numpy(reinterpret_cast<PyObject*>(array_of(array).descr))) {}

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
  if (is_numpy_array(value)) return convert(value, wanted, rules);
  // A scalar becomes an array of rank 0; the dtype of strings and objects is kept.
  PyRef numpy = owned(PyImport_ImportModule("numpy"));
  PyRef array = owned(PyObject_CallMethod(numpy.get(), "asarray", "(O)", value));
  return convert(array.get(), wanted, rules);
}

}  // namespace tracefn::bind
