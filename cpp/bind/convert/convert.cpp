// Chooses how a Python value converts: tensors, Variables and other convertible objects, nests that hold tensors, numpy
// values, and plain Python values.
#include "bind/convert/convert.h"

#include "base/poll.h"
#include "bind/convert/from_numpy.h"
#include "bind/convert/from_python.h"
#include "bind/convert/narrow.h"
#include "bind/convert/natural_values.h"
#include "bind/convert/numpy_types.h"
#include "bind/errors.h"
#include "bind/graph/name_scope.h"
#include "bind/graph/node_name.h"
#include "bind/tensor/dlpack.h"
#include "bind/tensor/dtype_object.h"
#include "bind/tensor/shape_object.h"
#include "bind/tensor/tensor_text.h"
#include "exec/eager.h"
#include "exec/placement.h"
#include "ops/registry.h"

namespace tracefn::bind {
namespace {

// The attribute of the object's type, or nothing.
PyRef type_attribute(PyObject* value, PyObject* attribute) {
  PyObject* found = PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(value)), attribute);
  if (!found) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw_python_error();
    PyErr_Clear();
  }
  return PyRef::steal(found);
}

PyRef tensor_method(PyObject* value) {
  static PyObject* attribute = checked(PyUnicode_InternFromString("__tf_tensor__"));
  // Python's own types have none; a lookup would cost more than the conversion.
  if (PyType_Check(value) || !(Py_TYPE(value)->tp_flags & Py_TPFLAGS_HEAPTYPE)) return PyRef();
  return type_attribute(value, attribute);
}

bool is_array_like(PyObject* value) {
  static PyObject* attribute = checked(PyUnicode_InternFromString("__array__"));
  return !PyType_Check(value) && (type_attribute(value, attribute) ? true : false);
}

Rules current_rules() { return current_target().is_eager() ? Rules::kEager : Rules::kGraph; }

Operand constant(Tensor value, const char* node_name) {
  if (current_target().is_eager()) {
    refuse_missing_device();
    return Operand(std::move(value));
  }
  static const OpDef& op = Registry::get().at("Const");
  AttrList attrs(op.signature.attrs.size());
  attrs[static_cast<std::size_t>(op.signature.attr_index("dtype"))] = value.dtype();
  attrs[static_cast<std::size_t>(op.signature.attr_index("value"))] = std::move(value);
  Operands outputs;
  emit(op, {}, std::move(attrs), outputs, node_name);
  return std::move(outputs[0]);
}

// `role`: the name that the caller has given the value, or empty.
Operand check_dtype(const Operand& operand, DType wanted, std::string_view role = {}) {
  if (wanted != DType::kInvalid && operand.dtype() != wanted)
    fail(ErrorKind::kValue, role, role.empty() ? "" : ": ", "Tensor conversion requested dtype ", name(wanted),
         " for Tensor with dtype ", name(operand.dtype()), ": ", tensor_repr(operand));
  return operand;
}

Operand call_tensor_method(PyObject* value, PyObject* method, DType wanted, const char* node_name) {
  PyObject* dtype = wanted == DType::kInvalid ? Py_None : dtype_object(wanted);
  PyRef wanted_name = *node_name ? owned(PyUnicode_FromString(node_name)) : PyRef::borrow(Py_None);
  PyRef result = owned(PyObject_CallFunctionObjArgs(method, value, dtype, wanted_name.get(), nullptr));
  if (!is_tensor(result.get()))
    fail(ErrorKind::kRuntime, repr_of(value), ".__tf_tensor__ must return a Tensor, got ", repr_of(result.get()));
  return check_dtype(operand_of(result.get()), wanted);
}

// Nests that hold tensors. The depth is bounded: a list may contain itself.
constexpr int kDeepest = kMaxRank;

bool is_nest(PyObject* value) { return PyList_Check(value) || PyTuple_Check(value); }
bool is_plain_leaf(PyObject* o) {
  return PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) || PyUnicode_CheckExact(o) ||
         PyBytes_CheckExact(o) || o == Py_None;
}

// The dtype of the first tensor inside, kInvalid if there is none. Converts Variables only if nothing else determines
// it.
bool find_tensor(PyObject* nest, int depth, DType* dtype) {
  if (depth > kDeepest) return false;
  bool found = false;
  PolledSteps polled(4096);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(nest); ++i, polled.step()) {
    PyObject* item = PySequence_Fast_GET_ITEM(nest, i);
    if (is_plain_leaf(item)) continue;
    if (is_tensor(item)) {
      *dtype = operand_of(item).dtype();
      return true;
    }
    if (is_nest(item)) {
      if (find_tensor(item, depth + 1, dtype)) found = true;
    } else if (tensor_method(item)) {
      PyRef its_dtype = PyRef::steal(PyObject_GetAttrString(item, "dtype"));
      if (its_dtype) {
        *dtype = parse_dtype(its_dtype.get());
      } else {
        drop_ordinary_error();  // an object without a dtype: its conversion decides
        *dtype = to_operand(item).dtype();
      }
      found = true;
    }
    if (found) return true;
  }
  return false;
}

Operand cast_to(const Operand& operand, DType dtype) {
  return operand.dtype() == dtype ? operand : emit1("Cast", {operand}, {{"DstT", dtype}});
}

Operand pack(PyObject* nest, DType dtype, bool cast, int depth, std::string_view node_name) {
  NameScope scope(node_name);
  Operands parts;
  bool all_tensors = current_target().is_eager();
  for (Py_ssize_t i = 0; all_tensors && i < PySequence_Fast_GET_SIZE(nest); ++i)
    all_tensors = is_tensor(PySequence_Fast_GET_ITEM(nest, i));
  PolledSteps polled;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(nest); ++i, polled.step()) {
    PyRef item = PyRef::borrow(PySequence_Fast_GET_ITEM(nest, i));
    if (depth >= kDeepest && is_nest(item.get()))
      fail(ErrorKind::kValue, "Can't convert Python sequence with more than ", kMaxRank,
           " levels of nesting to Tensor.");
    DType inner = DType::kInvalid;
    if (is_nest(item.get()) && find_tensor(item.get(), depth + 1, &inner)) {
      parts.push_back(pack(item.get(), dtype, cast, depth + 1, std::to_string(i)));
    } else if (is_tensor(item.get()) || (!is_nest(item.get()) && tensor_method(item.get()))) {
      Operand part = to_operand(item.get());
      // Eagerly the op itself rejects tensors of several types.
      if (part.dtype() != dtype && !cast && !all_tensors)
        fail(ErrorKind::kType, "Cannot convert a list containing a tensor of dtype ", dtype_text(part.dtype()), " to ",
             dtype_text(dtype), " (Tensor is: ", tensor_repr(part), ")");
      parts.push_back(cast ? cast_to(part, dtype) : part);
    } else {
      parts.push_back(to_operand(item.get(), dtype, DType::kInvalid, std::to_string(i).c_str()));
    }
  }
  static const OpDef& op = Registry::get().at("Pack");
  Operands outputs;
  emit(op, parts, {}, outputs, current_target().is_eager() ? node_name : scope.node_name());
  return std::move(outputs[0]);
}

Tensor shape_value(PyObject* value, DType wanted) {
  Shape shape = parse_shape(value);
  if (!shape.is_fully_known())
    fail(ErrorKind::kValue, "Cannot convert a partially known TensorShape ", shape.python_text(), " to a Tensor.");
  bool wide = wanted == DType::kInt64;
  for (std::int64_t dim : shape.dims()) wide = wide || dim != static_cast<std::int32_t>(dim);
  if ((wanted != DType::kInvalid && wanted != DType::kInt32 && wanted != DType::kInt64))
    fail(ErrorKind::kType, "Cannot convert TensorShape ", shape.python_text(), " to dtype <dtype: '", name(wanted),
         "'>. Allowed dtypes are tf.int32 and tf.int64.");
  if (wide && wanted == DType::kInt32)
    fail(ErrorKind::kValue, "Cannot convert TensorShape ", shape.python_text(),
         " to a Tensor of dtype int32: a dimension is too large.");
  if (wide) return Tensor::vector(std::span<const std::int64_t>(shape.dims().data(), shape.dims().size()));
  Tensor out(DType::kInt32, Shape({shape.rank()}));
  for (int i = 0; i < shape.rank(); ++i) out.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(shape[i]);
  return out;
}

// A range without its numbers: its length may be anything.
Tensor range_value(PyObject* value, DType wanted, Rules rules) {
  PyRef start = owned(PyObject_GetAttrString(value, "start"));
  PyRef step = owned(PyObject_GetAttrString(value, "step"));
  Py_ssize_t n = PyObject_Size(value);
  int overflow = 0;
  long long first = PyLong_AsLongLongAndOverflow(start.get(), &overflow);
  long long by = overflow ? 0 : PyLong_AsLongLongAndOverflow(step.get(), &overflow);
  if (n < 0 || overflow) {
    PyErr_Clear();
    fail(ErrorKind::kValue, "Can't convert Python sequence with out-of-range integer to Tensor.");
  }
  bool allowed = wanted == DType::kInvalid || is_integer(wanted) || is_floating(wanted);
  if (!allowed) from_python(start.get(), wanted, rules);  // reports the error
  if (n == 0) return Tensor(wanted == DType::kInvalid ? DType::kInt32 : wanted, Shape({0}));
  long long last = 0, distance = 0;
  if (__builtin_mul_overflow(by, static_cast<long long>(n - 1), &distance) ||
      __builtin_add_overflow(first, distance, &last))
    fail(ErrorKind::kValue, "Can't convert Python sequence with out-of-range integer to Tensor.");
  auto is_small = [](long long v) { return v == static_cast<std::int32_t>(v); };
  Tensor wide(DType::kInt64, Shape({n}));
  in_slices(n, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) wide.mutable_data<std::int64_t>()[i] = first + i * by;
  });
  DType dtype = wanted != DType::kInvalid ? wanted : is_small(first) && is_small(last) ? DType::kInt32 : DType::kInt64;
  return narrow(wide, dtype);
}

Tensor array_like_value(PyObject* value, DType wanted, Rules rules) {
  PyRef numpy = owned(PyImport_ImportModule("numpy"));
  PyRef array = owned(PyObject_CallMethod(numpy.get(), "asarray", "(O)", value));
  return from_numpy(array.get(), wanted, rules);
}

Tensor constant_value(PyObject* value, DType wanted, Rules rules) {
  if (PyRange_Check(value)) return range_value(value, wanted, rules);
  if (is_numpy(value)) return from_numpy(value, wanted, rules);
  if (is_shape(value)) return shape_value(value, wanted);
  if (!is_nest(value) && !is_plain_leaf(value)) {
    if (rules == Rules::kGraph && PyObject_CheckBuffer(value)) return array_like_value(value, wanted, rules);
    if (is_array_like(value)) return array_like_value(value, wanted, rules);
    if (is_dlpack(value)) return check_dtype(Operand(from_dlpack(value).copy()), wanted).tensor;
  }
  return from_python(value, wanted, rules);
}

Operand convert(PyObject* value, DType wanted, const char* node_name) {
  if (!is_plain_leaf(value)) {
    if (PyRef method = tensor_method(value)) return call_tensor_method(value, method.get(), wanted, node_name);
    DType inner = DType::kInvalid;
    if (is_nest(value) && find_tensor(value, 0, &inner)) {
      bool cast = wanted != DType::kInvalid && wanted != inner;
      return pack(value, wanted == DType::kInvalid ? inner : wanted, cast, 0, *node_name ? node_name : "packed");
    }
  }
  return constant(constant_value(value, wanted, current_rules()), node_name);
}

// The first symbolic tensor in a nest; null if there is none.
PyRef symbolic_inside(PyObject* value, int depth) {
  if (is_tensor(value) && !operand_of(value).is_eager()) return PyRef::borrow(value);
  if (depth > kDeepest || !is_nest(value)) return PyRef();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(value, i);
    if (is_plain_leaf(item)) continue;
    if (PyRef found = symbolic_inside(item, depth + 1)) return found;
  }
  return PyRef();
}

PyObject* find_symbolic(PyObject*, PyObject* value) {
  return guarded([&] {
    PyRef found = symbolic_inside(value, 0);
    return Py_NewRef(found ? found.get() : Py_None);
  });
}

constexpr const char* kParameters[] = {"value", "dtype", "dtype_hint", "name"};

void read_arguments(PyObject* const* args, Py_ssize_t positional, PyObject* keywords, PyObject* (&out)[4]) {
  if (positional > 4) fail(ErrorKind::kType, "convert_to_tensor() takes at most 4 arguments (", positional, " given)");
  for (Py_ssize_t i = 0; i < positional; ++i) out[i] = args[i];
  for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); ++k) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, k);
    int at = 0;
    while (at < 4 && PyUnicode_CompareWithASCIIString(keyword, kParameters[at]) != 0) ++at;
    if (at == 4) fail(ErrorKind::kType, "convert_to_tensor() got an unexpected keyword argument ", repr_of(keyword));
    if (out[at]) fail(ErrorKind::kType, "convert_to_tensor() got multiple values for argument ", repr_of(keyword));
    out[at] = args[positional + k];
  }
  if (!out[0]) fail(ErrorKind::kType, "Missing required positional argument");
}

PyObject* convert_to_tensor(PyObject*, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
  return guarded([&] {
    PyObject* given[4] = {};
    read_arguments(args, positional, keywords, given);
    DType wanted = parse_optional_dtype(given[1]);
    DType preferred = parse_optional_dtype(given[2]);
    const std::string node_name = node_name_of(given[3]);
    if (is_tensor(given[0])) {
      check_dtype(operand_of(given[0]), wanted, node_name);
      return Py_NewRef(given[0]);  // the same object, as in TensorFlow
    }
    return wrap(to_operand(given[0], wanted, preferred, node_name.c_str()));
  });
}

PyMethodDef convert_functions[] = {
    {"convert_to_tensor", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(convert_to_tensor)),
     METH_FASTCALL | METH_KEYWORDS,
     "convert_to_tensor(value, dtype=None, dtype_hint=None, name=None)\n--\n\n"
     "Converts `value` to a tensor.\n\n"
     "Args:\n"
     "  value: a tensor, a Variable, a number, a string, a NumPy value, or a nest of these.\n"
     "  dtype: the dtype of the result; by default int32, float32 or what NumPy says.\n"
     "  dtype_hint: a dtype to be used if `value` converts to it and `dtype` is None.\n"
     "  name: name of the node while tracing.\n\n"
     "Raises:\n"
     "  TypeError: no conversion to `dtype`.\n"
     "  ValueError: ragged nests, unsupported types, a tensor of another dtype.\n\n"
     ">>> tf.convert_to_tensor([1, 2])\n"
     "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"},
    {"find_symbolic", find_symbolic, METH_O, "The first symbolic tensor in a nest of lists and tuples, or None."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool exceeds_int32(PyObject* value, int depth) {
  if (PyLong_Check(value)) {
    int overflow = 0;
    long long v = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow || v != static_cast<std::int32_t>(v);
  }
  if (is_numpy(value)) {
    DType dtype = is_numpy_array(value) ? NumpyArray(value).dtype : dtype_of_numpy_scalar(value);
    return dtype == DType::kInt64 && !all_fit_int32(from_numpy(value, dtype, Rules::kEager));
  }
  if (depth > kDeepest || is_plain_leaf(value) || !is_nest(value)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
    if (exceeds_int32(PySequence_Fast_GET_ITEM(value, i), depth + 1)) return true;
  return false;
}

bool is_weakly_typed(PyObject* value) {
  return PyBool_Check(value) || PyLong_Check(value) || PyFloat_Check(value) || PyComplex_Check(value) ||
         PyUnicode_Check(value) || PyBytes_Check(value) || PyList_Check(value) || PyTuple_Check(value) ||
         value == Py_None || is_shape(value);
}

Operand to_operand(PyObject* value, DType wanted, DType preferred, const char* node_name) {
  if (is_tensor(value)) return check_dtype(operand_of(value), wanted);
  Tensor scalar = scalar_from_python(value, wanted != DType::kInvalid ? wanted : preferred);
  if (!scalar.defined() && wanted == DType::kInvalid && preferred != DType::kInvalid)
    scalar = scalar_from_python(value, DType::kInvalid);
  if (scalar.defined()) return constant(std::move(scalar), node_name);
  if (wanted == DType::kInvalid && preferred != DType::kInvalid) {
    try {
      return convert(value, preferred, node_name);
    } catch (const Error& e) {
      if (!is_type_or_value_error(e)) throw;
    }
  }
  return convert(value, wanted, node_name);
}

Tensor to_tensor(PyObject* value, DType wanted, DType preferred) {
  TargetScope eager(EagerTarget::get());  // a value is wanted, even while tracing
  Operand operand = to_operand(value, wanted, preferred);
  if (!operand.is_eager()) fail(ErrorKind::kType, "A symbolic tensor has no value: ", tensor_repr(operand), ".");
  return operand.tensor;
}

void init_convert(PyObject* module) { checked(PyModule_AddFunctions(module, convert_functions)); }

}  // namespace tracefn::bind
