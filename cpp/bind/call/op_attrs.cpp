// Attributes of ops from Python values, and back.
#include "bind/call/op_call.h"
#include "bind/convert/convert.h"
#include "bind/convert/from_python.h"
#include "bind/errors.h"
#include "bind/graph/graph_object.h"
#include "bind/py_ref.h"
#include "bind/tensor/dtype_object.h"
#include "bind/tensor/shape_object.h"
#include "bind/tensor/tensor_object.h"

namespace tracefn::bind {

std::string function_name_of(const OpDef& op) {
  const std::string& name = op.name();
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  std::string made;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins_word =
        i > 0 && is_upper(name[i]) && (is_lower(name[i - 1]) || (i + 1 < name.size() && is_lower(name[i + 1])));
    if (begins_word) made += '_';
    made += is_upper(name[i]) ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
  }
  return made;
}

namespace {

[[noreturn]] void bad_attr(const AttrDef& def, const char* expected, PyObject* value) {
  if (PyErr_Occurred()) PyErr_Clear();
  fail(ErrorKind::kType, "Expected ", expected, " for argument '", def.name, "' not ", repr_of(value), ".");
}

// Whatever int() takes but text: 2.7 is 2.
std::int64_t int_of(const AttrDef& def, PyObject* value) {
  bool is_text = PyUnicode_Check(value) || PyBytes_Check(value) || PyByteArray_Check(value);
  PyRef number = PyRef::steal(is_text ? nullptr : PyNumber_Long(value));
  if (!number) bad_attr(def, "int", value);
  long long result = PyLong_AsLongLong(number.get());
  if (result == -1 && PyErr_Occurred()) throw_python_error();
  return result;
}

float float_of(const AttrDef& def, PyObject* value) {
  if (is_tensor(value)) bad_attr(def, "float", value);
  double result = PyFloat_AsDouble(value);
  if (result == -1 && PyErr_Occurred()) bad_attr(def, "float", value);
  return static_cast<float>(result);
}

bool bool_of(const AttrDef& def, PyObject* value) {
  if (PyBool_Check(value)) return value == Py_True;
  bad_attr(def, "bool", value);
}

std::string string_of(const AttrDef& def, PyObject* value) {
  if (PyBytes_Check(value))
    return std::string(PyBytes_AS_STRING(value), static_cast<std::size_t>(PyBytes_GET_SIZE(value)));
  Py_ssize_t size = 0;
  const char* text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &size) : nullptr;
  if (!text) bad_attr(def, "string", value);
  return std::string(text, static_cast<std::size_t>(size));
}

DType type_of(const AttrDef& def, PyObject* value) {
  try {
    return parse_dtype(value);
  } catch (const Error& e) {
    if (!is_type_or_value_error(e)) throw;
    bad_attr(def, "DataType", value);
  }
}

Shape shape_of(const AttrDef& def, PyObject* value) {
  try {
    return parse_shape(value);
  } catch (const Error& e) {
    if (!is_type_or_value_error(e)) throw;
    auto* exception = static_cast<PyObject*>(e.cause().get());
    const bool is_value =
        exception ? PyErr_GivenExceptionMatches(exception, PyExc_ValueError) != 0 : e.kind() == ErrorKind::kValue;
    fail(is_value ? ErrorKind::kValue : ErrorKind::kType, "Error converting ", def.name,
         " to a TensorShape: ", exception ? str_of(exception) : e.message(), ".");
  }
}

template <typename T, typename Convert>
std::vector<T> list_of(const OpDef& op, const AttrDef& def, PyObject* value, Convert convert) {
  if (!PyList_Check(value) && !PyTuple_Check(value))
    fail(ErrorKind::kType, "Expected list for '", def.name, "' argument to '", function_name_of(op), "' Op, not ",
         repr_of(value), ".");
  std::vector<T> out;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
    out.push_back(convert(PySequence_Fast_GET_ITEM(value, i)));
  return out;
}

}  // namespace

Attr attr_of(const OpDef& op, const AttrDef& def, PyObject* value) {
  using Kind = Attr::Kind;
  auto as_int = [&](PyObject* v) { return int_of(def, v); };
  auto as_float = [&](PyObject* v) { return float_of(def, v); };
  auto as_bool = [&](PyObject* v) { return bool_of(def, v); };
  auto as_string = [&](PyObject* v) { return string_of(def, v); };
  auto as_type = [&](PyObject* v) { return type_of(def, v); };
  auto as_shape = [&](PyObject* v) { return shape_of(def, v); };
  switch (def.kind) {
    case Kind::kInt:
      return as_int(value);
    case Kind::kFloat:
      return as_float(value);
    case Kind::kBool:
      return as_bool(value);
    case Kind::kString:
      return as_string(value);
    case Kind::kType:
      return as_type(value);
    case Kind::kShape:
      return as_shape(value);
    case Kind::kTensor:
      return to_tensor(value);
    case Kind::kFunc:
      return func_ref_of(value);
    case Kind::kInts:
      return list_of<std::int64_t>(op, def, value, as_int);
    case Kind::kFloats:
      return list_of<float>(op, def, value, as_float);
    case Kind::kBools:
      return list_of<bool>(op, def, value, as_bool);
    case Kind::kStrings:
      return list_of<std::string>(op, def, value, as_string);
    case Kind::kTypes:
      return list_of<DType>(op, def, value, as_type);
    case Kind::kShapes:
      return list_of<Shape>(op, def, value, as_shape);
    case Kind::kFuncs:
      return list_of<FuncRef>(op, def, value, func_ref_of);
    case Kind::kHost:
    case Kind::kNone:
      break;
  }
  bad_attr(def, "a value of another kind", value);
}

namespace {

template <typename List, typename Convert>
PyObject* python_list(const List& values, Convert convert) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), convert(values[i]));
  return list;
}

PyObject* python_bytes(const std::string& s) {
  return PyBytes_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
}

}  // namespace

PyObject* python_of(const Attr& attr) {
  using Kind = Attr::Kind;
  switch (attr.kind()) {
    case Kind::kInt:
      return PyLong_FromLongLong(attr.i());
    case Kind::kFloat:
      return PyFloat_FromDouble(attr.f());
    case Kind::kBool:
      return PyBool_FromLong(attr.b());
    case Kind::kString:
      return python_bytes(attr.s());
    case Kind::kType:
      return Py_NewRef(dtype_object(attr.type()));
    case Kind::kShape:
      return shape_object(attr.shape());
    case Kind::kTensor:
      return wrap(Operand(attr.tensor()));
    case Kind::kFunc:
      return PyUnicode_FromString(attr.func().name.c_str());
    case Kind::kHost:
      return PyUnicode_FromString(attr.host()->text().c_str());
    case Kind::kInts:
      return python_list(attr.ints(), PyLong_FromLongLong);
    case Kind::kFloats:
      return python_list(attr.floats(), PyFloat_FromDouble);
    case Kind::kBools:
      return python_list(attr.bools(), PyBool_FromLong);
    case Kind::kStrings:
      return python_list(attr.strings(), python_bytes);
    case Kind::kTypes:
      return python_list(attr.types(), [](DType d) { return Py_NewRef(dtype_object(d)); });
    case Kind::kShapes:
      return python_list(attr.shapes(), shape_object);
    case Kind::kFuncs:
      return python_list(attr.funcs(), [](const FuncRef& f) { return PyUnicode_FromString(f.name.c_str()); });
    case Kind::kNone:
      break;
  }
  return Py_NewRef(Py_None);
}

}  // namespace tracefn::bind
