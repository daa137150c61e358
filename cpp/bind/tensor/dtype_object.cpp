// The mapping between DType, tracefn.dtypes.DType and numpy's dtypes; filled on first use.
#include "bind/tensor/dtype_object.h"

#include <array>
#include <string>

#include "bind/convert/from_python.h"
#include "bind/convert/numpy_array.h"
#include "bind/errors.h"
#include "tensor/stored_types.h"

namespace tracefn::bind {
namespace {

using Table = std::array<PyObject*, kDTypeSlots>;

PyObject* dtypes_attribute(const char* name) {
  PyRef module = owned(PyImport_ImportModule("tracefn.dtypes"));
  return checked(PyObject_GetAttrString(module.get(), name));
}

// Kept for the process's lifetime, like the instances in tracefn.dtypes.
PyObject* as_dtype_function() {
  static PyObject* function = nullptr;
  if (!function) function = dtypes_attribute("as_dtype");
  return function;
}

PyTypeObject* dtype_type() {
  static PyTypeObject* type = nullptr;
  if (!type) type = reinterpret_cast<PyTypeObject*>(dtypes_attribute("DType"));
  return type;
}

// Numbers of numpy's types: the first 24 of NPY_TYPES, stable since numpy 1.0.
constexpr std::array<DType, 24> kOfNumpyNumber = [] {
  std::array<DType, 24> table{};
  table[0] = DType::kBool;
  table[1] = DType::kInt8;
  table[2] = DType::kUInt8;
  table[3] = DType::kInt16;
  table[4] = DType::kUInt16;
  table[5] = DType::kInt32;
  table[6] = DType::kUInt32;
  table[7] = sizeof(long) == 8 ? DType::kInt64 : DType::kInt32;
  table[8] = sizeof(long) == 8 ? DType::kUInt64 : DType::kUInt32;
  table[9] = DType::kInt64;
  table[10] = DType::kUInt64;
  table[11] = DType::kFloat;
  table[12] = DType::kDouble;
  table[14] = DType::kComplex64;
  table[15] = DType::kComplex128;
  table[17] = DType::kString;  // object
  table[18] = DType::kString;  // bytes
  table[19] = DType::kString;  // str
  table[23] = DType::kHalf;
  return table;
}();

// numpy.dtype(description).
PyObject* numpy_dtype_from(PyObject* description) {
  // Not a guarded static: an import may release the GIL, and another thread may get here meanwhile.
  static PyObject* make = nullptr;
  if (!make) make = checked(PyObject_GetAttrString(owned(PyImport_ImportModule("numpy")).get(), "dtype"));
  return checked(PyObject_CallOneArg(make, description));
}

PyObject* make_numpy_dtype(DType dtype) {
  if (is_quantized(dtype)) return make_numpy_dtype(number_dtype(dtype));
  if (dtype == DType::kBFloat16 || is_stored_only(dtype)) {
    PyRef type = owned(PyObject_GetAttrString(dtype_object(dtype), "as_numpy_dtype"));
    return numpy_dtype_from(type.get());
  }
  if (dtype == DType::kResource || dtype == DType::kVariant || dtype == DType::kInvalid)
    fail(ErrorKind::kType, "Tensors of type ", name(dtype), " have no NumPy equivalent.");
  std::string numpy_name(dtype == DType::kString ? "object" : name(dtype));
  return numpy_dtype_from(owned(PyUnicode_FromString(numpy_name.c_str())).get());
}

}  // namespace

PyObject* dtype_object(DType dtype) {
  static Table table{};
  PyObject*& entry = table[static_cast<std::size_t>(slot(dtype))];
  if (!entry) {
    PyRef number = owned(PyLong_FromLong(slot(dtype)));
    entry = checked(PyObject_CallOneArg(as_dtype_function(), number.get()));
  }
  return entry;
}

DType parse_dtype(PyObject* value) {
  PyRef found;
  if (Py_TYPE(value) != dtype_type()) {
    found = owned(PyObject_CallOneArg(as_dtype_function(), value));
    value = found.get();
  }
  static PyObject* attribute = checked(PyUnicode_InternFromString("_type_enum"));
  PyRef number = owned(PyObject_GetAttr(value, attribute));
  long n = PyLong_AsLong(number.get());
  if (n == -1 && PyErr_Occurred()) throw_python_error();
  if (!is_dtype(static_cast<int>(n)))
    fail(ErrorKind::kType, "Tensors of type ", str_of(value), " are not supported: no op has a kernel for it.");
  return static_cast<DType>(n);
}

DType parse_optional_dtype(PyObject* value) {
  return !value || value == Py_None ? DType::kInvalid : parse_dtype(value);
}

PyObject* numpy_dtype(DType dtype) {
  static Table table{};
  PyObject*& entry = table[static_cast<std::size_t>(slot(dtype))];
  if (!entry) entry = make_numpy_dtype(dtype);
  return entry;
}

DType dtype_of_numpy(PyObject* numpy_dtype) {
  int number = reinterpret_cast<const NumpyDescr*>(numpy_dtype)->type_num;
  constexpr int kRecord = 20;  // NPY_VOID
  if (number >= 0 && number < static_cast<int>(kOfNumpyNumber.size()) && number != kRecord)
    return kOfNumpyNumber[static_cast<std::size_t>(number)];
  // Types of ml_dtypes have names; a quantized type is a record with one field, named after it.
  PyRef fields = owned(PyObject_GetAttrString(numpy_dtype, "names"));
  const bool is_record = PyTuple_Check(fields.get()) && PyTuple_GET_SIZE(fields.get()) == 1;
  PyRef type_name =
      is_record ? PyRef::borrow(PyTuple_GET_ITEM(fields.get(), 0)) : owned(PyObject_GetAttrString(numpy_dtype, "name"));
  if (!PyUnicode_Check(type_name.get())) return DType::kInvalid;
  for (int i = 1; i < kDTypeSlots; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!is_dtype(i) || (is_record ? !is_quantized(dtype) : dtype != DType::kBFloat16 && !is_stored_only(dtype)))
      continue;
    if (PyUnicode_CompareWithASCIIString(type_name.get(), std::string(name(dtype)).c_str()) == 0) return dtype;
  }
  return DType::kInvalid;
}

}  // namespace tracefn::bind
