// Calling of ops from Python: argument binding, conversion of inputs and attributes, wrapping of outputs.
#include "bind/op_call.h"

#include <structmember.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bind/convert.h"
#include "bind/dtype_object.h"
#include "bind/errors.h"
#include "bind/graph_object.h"
#include "bind/name_scope.h"
#include "bind/py_ref.h"
#include "bind/shape_object.h"
#include "bind/tensor_object.h"
#include "ops/graph_target.h"
#include "ops/registry.h"

namespace tracefn::bind {
namespace {

// A parameter as the callable binds it; `input` and `attr` index the op's signature.
struct Parameter {
  PyObject* name;  // interned
  int input;
  int attr;
  bool has_default;
  PyObject* default_value;  // null: the attribute's own default
};

struct OpCallable {
  PyObject_HEAD vectorcallfunc vectorcall;
  const OpDef* op;
  std::string* path;
  std::vector<Parameter>* parameters;
  bool keyword_only;
  PyObject* dict;
};

PyTypeObject* op_callable_type = nullptr;
PyObject* name_string = nullptr;

// Python values that take the dtype of the tensors beside them; anything else has a dtype of its own.
bool is_weakly_typed(PyObject* value) {
  return PyBool_Check(value) || PyLong_Check(value) || PyFloat_Check(value) || PyComplex_Check(value) ||
         PyUnicode_Check(value) || PyBytes_Check(value) || PyList_Check(value) || PyTuple_Check(value) ||
         value == Py_None;
}

// A numpy array or scalar: it has a dtype, but converts to the one asked for.
bool is_numpy(PyObject* value) {
  static PyObject* types = [] {
    PyRef numpy = PyRef::steal(checked(PyImport_ImportModule("numpy")));
    PyRef array = PyRef::steal(checked(PyObject_GetAttrString(numpy.get(), "ndarray")));
    PyRef scalar = PyRef::steal(checked(PyObject_GetAttrString(numpy.get(), "generic")));
    return checked(PyTuple_Pack(2, array.get(), scalar.get()));
  }();
  return checked(PyObject_IsInstance(value, types)) != 0;
}

std::string text_of_object(PyObject* value) {
  PyRef text = PyRef::steal(PyObject_Str(value));
  const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (!utf8) throw_python_error();
  return utf8;
}

DType tensor_dtype(PyObject* value) {
  if (is_tensor(value)) return operand_of(value).dtype();
  if (is_weakly_typed(value) || is_numpy(value)) return DType::kInvalid;
  PyObject* dtype = nullptr;
  if (PyObject_HasAttrString(value, "__tf_tensor__")) dtype = PyObject_GetAttrString(value, "dtype");
  if (!dtype) {
    PyErr_Clear();
    return DType::kInvalid;
  }
  return parse_dtype(PyRef::steal(dtype).get());
}

// The items of a list input.
std::vector<PyObject*> items_of(const OpDef& op, const ArgDef& arg, PyObject* value) {
  if (!PyList_Check(value) && !PyTuple_Check(value))
    fail(ErrorKind::kType, "Expected list for '", arg.name, "' argument to '", op.name(), "' Op, not ",
         text_of_object(value), ".");
  PyObject** first = PySequence_Fast_ITEMS(value);
  return {first, first + PySequence_Fast_GET_SIZE(value)};
}

// Decides type attributes from the tensors among the inputs, wherever they stand: `1 + t` has t's type.
void types_from_tensors(const OpDef& op, std::span<PyObject* const> values, AttrList& attrs) {
  const OpSignature& s = op.signature;
  for (std::size_t a = 0; a < s.inputs.size(); ++a) {
    const ArgDef& arg = s.inputs[a];
    if (arg.type_attr.empty()) continue;
    Attr& attr = attrs[static_cast<std::size_t>(s.attr_index(arg.type_attr))];
    if (attr.has_value()) continue;
    DType dtype = DType::kInvalid;
    if (arg.number_attr.empty()) {
      dtype = tensor_dtype(values[a]);
    } else {
      for (PyObject* item : items_of(op, arg, values[a]))
        if ((dtype = tensor_dtype(item)) != DType::kInvalid) break;
    }
    if (dtype != DType::kInvalid) attr = dtype;
  }
}

Operand convert_one(const ArgDef& arg, PyObject* value, DType wanted, DType preferred) {
  // A tensor keeps its type: a mismatch is reported by emit, with both arguments named.
  if (!is_weakly_typed(value) && !is_numpy(value)) wanted = DType::kInvalid;
  return to_operand(value, wanted, preferred, arg.name.c_str());
}

}  // namespace

Operands convert_inputs(const OpDef& op, std::span<PyObject* const> values, AttrList& attrs) {
  const OpSignature& s = op.signature;
  attrs.resize(s.attrs.size());
  // With one input there is nothing to agree on.
  if (s.inputs.size() > 1 || (s.inputs.size() == 1 && s.inputs[0].is_list())) types_from_tensors(op, values, attrs);
  Operands operands;
  for (std::size_t a = 0; a < s.inputs.size(); ++a) {
    const ArgDef& arg = s.inputs[a];
    if (!arg.type_list_attr.empty()) {
      const Attr given = attrs[static_cast<std::size_t>(s.attr_index(arg.type_list_attr))];
      auto items = items_of(op, arg, values[a]);
      if (given.has_value() && given.types().size() != items.size())
        fail(ErrorKind::kValue, "List argument '", arg.name, "' to '", op.name(), "' Op with length ", items.size(),
             " must match length ", given.types().size(), " of attribute '", arg.type_list_attr, "'.");
      std::vector<DType> types;
      for (std::size_t i = 0; i < items.size(); ++i) {
        operands.push_back(
            convert_one(arg, items[i], given.has_value() ? given.types()[i] : DType::kInvalid, DType::kInvalid));
        types.push_back(operands.back().dtype());
      }
      if (!given.has_value())
        attrs[static_cast<std::size_t>(s.attr_index(arg.type_list_attr))] = Attr(std::move(types));
      continue;
    }
    int at = arg.type_attr.empty() ? -1 : s.attr_index(arg.type_attr);
    auto wanted = [&] {
      if (at < 0) return arg.type;
      const Attr& attr = attrs[static_cast<std::size_t>(at)];
      return attr.has_value() ? attr.type() : DType::kInvalid;
    };
    DType preferred = DType::kInvalid;
    if (at >= 0 && s.attrs[static_cast<std::size_t>(at)].default_value.has_value())
      preferred = s.attrs[static_cast<std::size_t>(at)].default_value.type();
    auto convert = [&](PyObject* value) {
      operands.push_back(convert_one(arg, value, wanted(), preferred));
      if (at >= 0 && !attrs[static_cast<std::size_t>(at)].has_value())
        attrs[static_cast<std::size_t>(at)] = operands.back().dtype();
    };
    if (arg.number_attr.empty()) {
      convert(values[a]);
    } else {
      auto items = items_of(op, arg, values[a]);
      Attr& number = attrs[static_cast<std::size_t>(s.attr_index(arg.number_attr))];
      auto n = static_cast<std::int64_t>(items.size());
      if (number.has_value() && number.i() != n)
        fail(ErrorKind::kValue, "List argument '", arg.name, "' to '", op.name(), "' Op with length ", n,
             " must match length ", number.i(), " of argument.");
      number = n;
      for (PyObject* item : items) convert(item);
    }
  }
  return operands;
}

namespace {

[[noreturn]] void bad_attr(const OpDef& op, const AttrDef& def, const char* expected, PyObject* value) {
  if (PyErr_Occurred()) PyErr_Clear();
  fail(ErrorKind::kType, "Expected ", expected, " for argument '", def.name, "' not ", text_of_object(value),
       " [Op:", op.name(), "].");
}

std::int64_t int_of(const OpDef& op, const AttrDef& def, PyObject* value) {
  PyObject* number = PyFloat_Check(value) ? nullptr : PyNumber_Index(value);
  if (!number) bad_attr(op, def, "int", value);
  long long result = PyLong_AsLongLong(number);
  Py_DECREF(number);
  if (result == -1 && PyErr_Occurred()) throw_python_error();
  return result;
}

float float_of(const OpDef& op, const AttrDef& def, PyObject* value) {
  double result = PyFloat_AsDouble(value);
  if (result == -1 && PyErr_Occurred()) bad_attr(op, def, "float", value);
  return static_cast<float>(result);
}

bool bool_of(const OpDef& op, const AttrDef& def, PyObject* value) {
  if (PyBool_Check(value)) return value == Py_True;
  if (PyLong_Check(value) || is_numpy(value)) {
    int truth = PyObject_IsTrue(value);
    if (truth < 0) throw_python_error();
    return truth != 0;
  }
  bad_attr(op, def, "bool", value);
}

std::string string_of(const OpDef& op, const AttrDef& def, PyObject* value) {
  if (PyBytes_Check(value))
    return std::string(PyBytes_AS_STRING(value), static_cast<std::size_t>(PyBytes_GET_SIZE(value)));
  Py_ssize_t size = 0;
  const char* text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &size) : nullptr;
  if (!text) bad_attr(op, def, "string", value);
  return std::string(text, static_cast<std::size_t>(size));
}

template <typename T, typename Convert>
std::vector<T> list_of(const OpDef& op, const AttrDef& def, PyObject* value, Convert convert) {
  if (!PyList_Check(value) && !PyTuple_Check(value)) bad_attr(op, def, "list", value);
  std::vector<T> out;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
    out.push_back(convert(PySequence_Fast_GET_ITEM(value, i)));
  return out;
}

}  // namespace

Attr attr_of(const OpDef& op, const AttrDef& def, PyObject* value) {
  using Kind = Attr::Kind;
  auto as_int = [&](PyObject* v) { return int_of(op, def, v); };
  auto as_float = [&](PyObject* v) { return float_of(op, def, v); };
  auto as_bool = [&](PyObject* v) { return bool_of(op, def, v); };
  auto as_string = [&](PyObject* v) { return string_of(op, def, v); };
  auto as_type = [&](PyObject* v) { return parse_dtype(v); };
  auto as_shape = [&](PyObject* v) { return parse_shape(v); };
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
  bad_attr(op, def, "a value of another kind", value);
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

namespace {

// The named tuple class for an op of several outputs, made once per op.
PyObject* output_class(const OpDef& op) {
  static auto* classes = new std::unordered_map<const OpDef*, PyObject*>();
  PyObject*& found = (*classes)[&op];
  if (found) return found;
  PyObject* collections = PyImport_ImportModule("collections");
  PyObject* fields = PyList_New(0);
  for (const ArgDef& arg : op.signature.outputs) {
    PyObject* field = PyUnicode_FromString(arg.name.c_str());
    PyList_Append(fields, field);
    Py_DECREF(field);
  }
  found = collections ? PyObject_CallMethod(collections, "namedtuple", "sO", op.name().c_str(), fields) : nullptr;
  Py_XDECREF(collections);
  Py_DECREF(fields);
  if (!found) throw_python_error();
  return found;
}

}  // namespace

PyObject* wrap_outputs(const OpDef& op, const AttrList& attrs, Operands outputs) {
  const OpSignature& s = op.signature;
  if (s.outputs.empty()) {
    auto* target = dynamic_cast<GraphTarget*>(&current_target());
    if (!target) return Py_NewRef(Py_None);
    return wrap_operation(target->shared_graph(), target->shared_graph()->size() - 1);
  }
  if (s.outputs.size() == 1 && !s.outputs[0].is_list()) return wrap(std::move(outputs[0]));
  std::size_t next = 0;
  auto wrap_arg = [&](const ArgDef& arg) -> PyObject* {
    if (!arg.is_list()) return wrap(std::move(outputs[next++]));
    const std::string& by = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
    const Attr& attr = attrs[static_cast<std::size_t>(s.attr_index(by))];
    std::size_t n = arg.number_attr.empty() ? attr.types().size() : static_cast<std::size_t>(attr.i());
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(n));
    for (std::size_t i = 0; i < n; ++i)
      PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), wrap(std::move(outputs[next++])));
    return list;
  };
  if (s.outputs.size() == 1) return wrap_arg(s.outputs[0]);
  PyObject* cls = output_class(op);
  PyObject* args = PyTuple_New(static_cast<Py_ssize_t>(s.outputs.size()));
  for (std::size_t i = 0; i < s.outputs.size(); ++i)
    PyTuple_SET_ITEM(args, static_cast<Py_ssize_t>(i), wrap_arg(s.outputs[i]));
  PyObject* result = PyObject_CallObject(cls, args);
  Py_DECREF(args);
  if (!result) throw_python_error();
  return result;
}

namespace {

std::string short_name(const OpCallable* self) { return self->path->substr(self->path->rfind('.') + 1); }

// Fills `slots` with borrowed references, one per parameter; returns the node's name or null.
PyObject* bind_arguments(OpCallable* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                         SmallVector<PyObject*, 8>& slots) {
  const auto& parameters = *self->parameters;
  slots.resize(parameters.size());
  for (PyObject*& slot : slots) slot = nullptr;
  PyObject* name = nullptr;
  if (self->keyword_only && nargs)
    fail(ErrorKind::kType, short_name(self),
         " only takes keyword args (possible keys: ...). Please pass these args as kwargs instead.");
  if (nargs > static_cast<Py_ssize_t>(parameters.size()) + 1)
    fail(ErrorKind::kType, short_name(self), "() takes from 0 to ", parameters.size() + 1, " positional arguments but ",
         nargs, " were given");
  for (Py_ssize_t i = 0; i < nargs; ++i)
    (i < static_cast<Py_ssize_t>(parameters.size()) ? slots[static_cast<std::size_t>(i)] : name) = args[i];
  Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject* key = PyTuple_GET_ITEM(kwnames, k);
    PyObject** slot = nullptr;
    for (std::size_t i = 0; i < parameters.size() && !slot; ++i)
      if (parameters[i].name == key) slot = &slots[i];
    for (std::size_t i = 0; i < parameters.size() && !slot; ++i)
      if (PyUnicode_Compare(parameters[i].name, key) == 0) slot = &slots[i];
    if (!slot && PyUnicode_Compare(name_string, key) == 0) slot = &name;
    if (!slot)
      fail(ErrorKind::kType, short_name(self), "() got an unexpected keyword argument '", PyUnicode_AsUTF8(key), "'");
    if (*slot)
      fail(ErrorKind::kType, short_name(self), "() got multiple values for argument '", PyUnicode_AsUTF8(key), "'");
    *slot = args[nargs + k];
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (slots[i]) continue;
    if (!parameters[i].has_default)
      fail(ErrorKind::kType, short_name(self), "() missing required argument: '", PyUnicode_AsUTF8(parameters[i].name),
           "'");
    slots[i] = parameters[i].default_value;
  }
  return name == Py_None ? nullptr : name;
}

PyObject* call(PyObject* object, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  auto* self = reinterpret_cast<OpCallable*>(object);
  return guarded([&]() -> PyObject* {
    SmallVector<PyObject*, 8> slots;
    PyObject* name = bind_arguments(self, args, PyVectorcall_NARGS(nargsf), kwnames, slots);
    const OpSignature& s = self->op->signature;
    AttrList attrs(s.attrs.size());
    SmallVector<PyObject*, 8> inputs(s.inputs.size(), nullptr);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Parameter& p = (*self->parameters)[i];
      if (p.input >= 0) {
        inputs[static_cast<std::size_t>(p.input)] = slots[i];
      } else if (slots[i] && slots[i] != Py_None) {
        attrs[static_cast<std::size_t>(p.attr)] =
            attr_of(*self->op, s.attrs[static_cast<std::size_t>(p.attr)], slots[i]);
      }
    }
    std::string node_name = self->keyword_only ? "" : self->op->public_node_name;
    if (name) {
      const char* text = PyUnicode_AsUTF8(name);
      if (!text) throw_python_error();
      node_name = text;
    }
    std::span<PyObject* const> values(inputs.data(), inputs.size());
    Operands operands;
    if (!current_target().is_eager() && !std::all_of(values.begin(), values.end(), is_tensor)) {
      // Constants made of the arguments are named below the node: "Sum/reduction_indices".
      NameScope scope(node_name.empty() ? self->op->name() : node_name);
      operands = convert_inputs(*self->op, values, attrs);
      node_name = scope.node_name();
    } else {
      operands = convert_inputs(*self->op, values, attrs);
    }
    attrs = complete_attrs(*self->op, operands, std::move(attrs));
    Operands outputs;
    emit(*self->op, operands, attrs, outputs, node_name);
    return wrap_outputs(*self->op, attrs, std::move(outputs));
  });
}

PyObject* new_callable(const OpDef& op, const std::string& path, bool raw) {
  auto* self = PyObject_GC_New(OpCallable, op_callable_type);
  if (!self) throw_python_error();
  self->vectorcall = call;
  self->op = &op;
  self->path = new std::string(path);
  self->parameters = new std::vector<Parameter>();
  self->keyword_only = raw;
  self->dict = nullptr;
  const OpSignature& s = op.signature;
  auto add = [&](const std::string& name, int input, int attr, bool has_default, const Attr& value) {
    PyObject* text = PyUnicode_InternFromString(name.c_str());
    PyObject* initial = has_default && input >= 0 ? python_of(value) : nullptr;
    self->parameters->push_back({text, input, attr, has_default, initial});
  };
  if (raw) {
    for (std::size_t i = 0; i < s.inputs.size(); ++i) add(s.inputs[i].name, static_cast<int>(i), -1, false, {});
    for (std::size_t i = 0; i < s.attrs.size(); ++i) {
      bool inferred = s.attrs[i].default_value.has_value() || s.attrs[i].kind == Attr::Kind::kHost;
      for (const ArgDef& in : s.inputs)
        inferred |= in.type_attr == s.attrs[i].name || in.number_attr == s.attrs[i].name ||
                    in.type_list_attr == s.attrs[i].name;
      add(s.attrs[i].name, -1, static_cast<int>(i), inferred, {});
    }
  } else {
    for (const PublicParameter& p : op.parameters) add(p.name, p.input, p.attr, p.has_default, p.default_value);
  }
  PyObject_GC_Track(self);
  return reinterpret_cast<PyObject*>(self);
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  auto* self = reinterpret_cast<OpCallable*>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->dict);
  return 0;
}

int clear(PyObject* object) {
  Py_CLEAR(reinterpret_cast<OpCallable*>(object)->dict);
  return 0;
}

void dealloc(PyObject* object) {
  auto* self = reinterpret_cast<OpCallable*>(object);
  PyObject_GC_UnTrack(object);
  clear(object);
  for (Parameter& p : *self->parameters) {
    Py_DECREF(p.name);
    Py_XDECREF(p.default_value);
  }
  delete self->parameters;
  delete self->path;
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject* repr(PyObject* object) {
  auto* self = reinterpret_cast<OpCallable*>(object);
  return PyUnicode_FromFormat("<op %s>", self->path->c_str());
}

PyObject* get_name(PyObject* object, void*) {
  return PyUnicode_FromString(short_name(reinterpret_cast<OpCallable*>(object)).c_str());
}

PyObject* get_doc(PyObject* object, void*) {
  return PyUnicode_FromString(reinterpret_cast<OpCallable*>(object)->op->doc.c_str());
}

PyObject* get_module(PyObject* object, void*) {
  auto* self = reinterpret_cast<OpCallable*>(object);
  std::size_t dot = self->path->rfind('.');
  std::string module = dot == std::string::npos ? "tracefn" : "tracefn." + self->path->substr(0, dot);
  return PyUnicode_FromString(module.c_str());
}

PyObject* get_signature(PyObject* object, void*) {
  auto* self = reinterpret_cast<OpCallable*>(object);
  return guarded([&]() -> PyObject* {
    PyObject* rows = PyList_New(0);
    const OpSignature& s = self->op->signature;
    for (const Parameter& p : *self->parameters) {
      PyObject* initial = p.default_value ? Py_NewRef(p.default_value)
                          : p.attr >= 0   ? python_of(s.attrs[static_cast<std::size_t>(p.attr)].default_value)
                                          : Py_NewRef(Py_None);
      PyObject* row = Py_BuildValue("(ONN)", p.name, PyBool_FromLong(p.has_default), initial);
      PyList_Append(rows, row);
      Py_XDECREF(row);
    }
    PyObject* module = PyImport_ImportModule("tracefn._op_signature");
    PyObject* result =
        module ? PyObject_CallMethod(module, "signature", "NO", rows, self->keyword_only ? Py_True : Py_False)
               : nullptr;
    Py_XDECREF(module);
    if (!result) throw_python_error();
    return result;
  });
}

PyObject* reduce(PyObject* object, PyObject*) {
  auto* self = reinterpret_cast<OpCallable*>(object);
  return guarded([&]() -> PyObject* {
    PyObject* core = PyImport_ImportModule("tracefn._core");
    if (!core) throw_python_error();
    PyObject* result =
        Py_BuildValue("(N(s))", PyObject_GetAttrString(core, self->keyword_only ? "raw_op" : "public_op"),
                      self->keyword_only ? self->op->name().c_str() : self->path->c_str());
    Py_DECREF(core);
    return result;
  });
}

PyGetSetDef getset[] = {{"__name__", get_name, nullptr, nullptr, nullptr},
                        {"__qualname__", get_name, nullptr, nullptr, nullptr},
                        {"__doc__", get_doc, nullptr, nullptr, nullptr},
                        {"__module__", get_module, nullptr, nullptr, nullptr},
                        {"__signature__", get_signature, nullptr, nullptr, nullptr},
                        {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(OpCallable, vectorcall), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET, offsetof(OpCallable, dict), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_getset, getset},
                       {Py_tp_methods, methods},
                       {Py_tp_members, members},
                       {0, nullptr}};
PyType_Spec spec = {
    "tracefn._core.OpCallable", sizeof(OpCallable), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

const char* text_argument(PyObject* value) {
  const char* text = PyUnicode_AsUTF8(value);
  if (!text) throw_python_error();
  return text;
}

PyObject* raw_op(PyObject*, PyObject* name) {
  return guarded([&] {
    const OpDef& op = Registry::get().at(text_argument(name));
    return new_callable(op, "raw_ops." + op.name(), true);
  });
}

PyObject* public_op(PyObject*, PyObject* path) {
  return guarded([&]() -> PyObject* {
    std::string wanted = text_argument(path);
    for (const OpDef* op : Registry::get().all())
      for (const std::string& p : op->python_paths)
        if (p == wanted) return new_callable(*op, op->python_paths[0], false);
    fail(ErrorKind::kKey, "tracefn has no op ", wanted);
  });
}

PyObject* public_ops(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    PyObject* table = PyDict_New();
    for (const OpDef* op : Registry::get().all()) {
      if (op->python_paths.empty()) continue;
      PyObject* callable = new_callable(*op, op->python_paths[0], false);
      for (const std::string& path : op->python_paths) PyDict_SetItemString(table, path.c_str(), callable);
      Py_DECREF(callable);
    }
    return table;
  });
}

PyObject* op_names(PyObject*, PyObject*) {
  PyObject* names = PyList_New(0);
  for (const OpDef* op : Registry::get().all()) {
    PyObject* text = PyUnicode_FromString(op->name().c_str());
    PyList_Append(names, text);
    Py_DECREF(text);
  }
  return names;
}

PyMethodDef functions[] = {
    {"raw_op", raw_op, METH_O, "The callable of an op by its registered name; keyword arguments only."},
    {"public_op", public_op, METH_O, "The callable of an op by its public path, e.g. 'math.exp'."},
    {"public_ops", public_ops, METH_NOARGS, "Public path -> callable, for all ops with a public spelling."},
    {"op_names", op_names, METH_NOARGS, "The registered names of all ops."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_op_call(PyObject* module) {
  name_string = PyUnicode_InternFromString("name");
  op_callable_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!op_callable_type ||
      PyModule_AddObjectRef(module, "OpCallable", reinterpret_cast<PyObject*>(op_callable_type)) < 0 ||
      PyModule_AddFunctions(module, functions) < 0)
    throw_python_error();
}

}  // namespace tracefn::bind
