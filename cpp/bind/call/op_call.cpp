// The type OpCallable: argument binding, the call, and Python's function protocol.
#include "bind/call/op_call.h"

#include <structmember.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bind/call/prepared_call.h"
#include "bind/call/unnamed_errors.h"
#include "bind/convert/convert.h"
#include "bind/dispatch.h"
#include "bind/errors.h"
#include "bind/graph/graph_of_inputs.h"
#include "bind/graph/name_scope.h"
#include "bind/graph/node_name.h"
#include "bind/py_ref.h"
#include "bind/tensor/tensor_object.h"
#include "exec/eager.h"
#include "ops/registry.h"

namespace tracefn::bind {
namespace {

// A parameter of the callable; `input` and `attr` index the op's signature.
struct Parameter {
  PyObject* name;  // interned
  int input;
  int attr;
  bool has_default;
  PyObject* default_value;  // null: the attribute's own default
};

struct OpCallable {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  const OpDef* op;
  std::string* path;
  std::vector<Parameter>* parameters;
  bool keyword_only;
  bool converts;                 // TensorFlow's function of this name converts its arguments before it calls the op
  std::uint64_t unread_outputs;  // bit j: the caller does not look at output j
  PyObject* dict;
  PyObject* weakrefs;
};

PyTypeObject* op_callable_type = nullptr;
PyObject* name_string = nullptr;

// An op's name as that of a function: BatchMatMulV2 is batch_mat_mul_v2, and RGBToHSV rgb_to_hsv.
std::string function_name(std::string_view op) {
  const auto is_lower = [&](std::size_t i) { return i < op.size() && op[i] >= 'a' && op[i] <= 'z'; };
  std::string name;
  for (std::size_t i = 0; i < op.size(); ++i) {
    const bool is_upper = op[i] >= 'A' && op[i] <= 'Z';
    if (is_upper && i > 0 && (is_lower(i - 1) || is_lower(i + 1))) name += '_';
    name += is_upper ? static_cast<char>(op[i] - 'A' + 'a') : op[i];
  }
  return name;
}

// The function's name in errors.
std::string short_name(const OpCallable* self) {
  return self->keyword_only ? function_name(self->op->name()) : self->path->substr(self->path->rfind('.') + 1);
}

// 'a', 'b', and 'c'
std::string listed(std::span<const std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : names.size() > 2 ? ", and " : " and ";
    text += concat("'", names[i], "'");
  }
  return text;
}

// The op record's name of a parameter; a raw op accepts both names.
const std::string& declared_name(const OpDef& op, const Parameter& p) {
  return p.input >= 0 ? op.signature.inputs[static_cast<std::size_t>(p.input)].name
                      : op.signature.attrs[static_cast<std::size_t>(p.attr)].name;
}

// Whether the inputs tell an attribute's value.
bool is_told_by_inputs(const OpSignature& s, const std::string& attr) {
  return std::ranges::any_of(s.inputs, [&](const ArgDef& arg) {
    return arg.type_attr == attr || arg.number_attr == attr || arg.type_list_attr == attr;
  });
}

// The parameters that a caller gives: those without a default come first.
std::string possible_keys(const OpCallable* self) {
  std::string needed, others;
  for (const Parameter& p : *self->parameters) {
    if (p.input < 0 && is_told_by_inputs(self->op->signature, declared_name(*self->op, p))) continue;
    (p.has_default ? others : needed) += concat("'", PyUnicode_AsUTF8(p.name), "', ");
  }
  return needed + others + "'name'";
}

// The error of a call that leaves out parameters which have no default.
[[noreturn]] void fail_for_missing(const OpCallable* self, std::span<PyObject* const> slots) {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Parameter& p = (*self->parameters)[i];
    if (!slots[i] && !p.has_default) missing.emplace_back(PyUnicode_AsUTF8(p.name));
  }
  fail(ErrorKind::kType, short_name(self), "() missing ", missing.size(), " required positional argument",
       missing.size() == 1 ? "" : "s", ": ", listed(missing));
}

// Fills `slots` with borrowed references, one per parameter; returns the node's name or null.
PyObject* bind_arguments(OpCallable* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                         SmallVector<PyObject*, 8>& slots) {
  const auto& parameters = *self->parameters;
  slots.resize(parameters.size());
  for (PyObject*& slot : slots) slot = nullptr;
  PyObject* name = nullptr;
  if (self->keyword_only && nargs)
    fail(ErrorKind::kType, short_name(self), " only takes keyword args (possible keys: [", possible_keys(self),
         "]). Please pass these args as kwargs instead.");
  if (nargs > static_cast<Py_ssize_t>(parameters.size()) + 1)
    fail(ErrorKind::kType, short_name(self), "() takes from ",
         std::ranges::count(parameters, false, &Parameter::has_default), " to ", parameters.size() + 1,
         " positional arguments but ", nargs, " were given");
  for (Py_ssize_t i = 0; i < nargs; ++i)
    (i < static_cast<Py_ssize_t>(parameters.size()) ? slots[static_cast<std::size_t>(i)] : name) = args[i];
  Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject* key = PyTuple_GET_ITEM(kwnames, k);
    PyObject** slot = nullptr;
    for (std::size_t i = 0; i < parameters.size() && !slot; ++i)
      if (parameters[i].name == key) slot = &slots[i];
    if (!slot && key == name_string) slot = &name;
    for (std::size_t i = 0; i < parameters.size() && !slot; ++i)
      if (PyUnicode_Compare(parameters[i].name, key) == 0) slot = &slots[i];
    if (!slot && PyUnicode_Compare(name_string, key) == 0) slot = &name;
    for (std::size_t i = 0; i < parameters.size() && !slot && self->keyword_only; ++i)
      if (PyUnicode_CompareWithASCIIString(key, declared_name(*self->op, parameters[i]).c_str()) == 0) slot = &slots[i];
    if (!slot)
      fail(ErrorKind::kType, short_name(self), "() got an unexpected keyword argument '", PyUnicode_AsUTF8(key), "'");
    if (*slot)
      fail(ErrorKind::kType, short_name(self), "() got multiple values for argument '", PyUnicode_AsUTF8(key), "'");
    *slot = args[nargs + k];
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (slots[i]) continue;
    if (!parameters[i].has_default) fail_for_missing(self, {slots.data(), slots.size()});
    slots[i] = parameters[i].default_value;
  }
  return name == Py_None ? nullptr : name;
}

bool are_taken_natively(const OpDef& op, std::span<PyObject* const> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!op.signature.inputs[i].is_list()) {
      if (!is_taken_natively(values[i])) return false;
      continue;
    }
    if (!PyList_Check(values[i]) && !PyTuple_Check(values[i])) continue;  // an eager tensor
    PyObject** items = PySequence_Fast_ITEMS(values[i]);
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(values[i]); ++k)
      if (!is_taken_natively(items[k])) return false;
  }
  return true;
}

// None is converted as any value where nothing else gives one: the unknown shape, or an error. Otherwise it means that
// there is none.
bool must_be_given(const OpDef& op, const AttrDef& attr) {
  if (attr.default_value.has_value() || attr.kind == Attr::Kind::kHost) return false;
  return std::none_of(op.signature.inputs.begin(), op.signature.inputs.end(), [&](const ArgDef& arg) {
    return arg.type_attr == attr.name || arg.type_list_attr == attr.name || arg.number_attr == attr.name;
  });
}

// The values of bound arguments, one per input of the op, and its attributes.
struct Arguments {
  SmallVector<PyObject*, 8> inputs;
  AttrList attrs;
};
Arguments arguments_of(const OpCallable* self, std::span<PyObject* const> slots) {
  const OpSignature& s = self->op->signature;
  Arguments found{SmallVector<PyObject*, 8>(s.inputs.size(), nullptr), AttrList(s.attrs.size())};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Parameter& p = (*self->parameters)[i];
    if (p.input >= 0) {
      found.inputs[static_cast<std::size_t>(p.input)] = slots[i];
    } else if (const auto at = static_cast<std::size_t>(p.attr);
               slots[i] && (slots[i] != Py_None || must_be_given(*self->op, s.attrs[at]))) {
      found.attrs[at] = attr_of(*self->op, s.attrs[at], slots[i]);
    }
  }
  return found;
}

PyObject* run_op(OpCallable* self, std::span<PyObject* const> slots, PyObject* name) {
  const GraphOfInputs graph(slots);
  Arguments given = arguments_of(self, slots);
  SmallVector<PyObject*, 8>& inputs = given.inputs;
  AttrList& attrs = given.attrs;
  std::string node_name = self->keyword_only ? "" : self->op->public_node_name;
  if (name) node_name = node_name_of(name);
  std::span<PyObject* const> values(inputs.data(), inputs.size());
  Operands operands;
  if (!current_target().is_eager() && !std::all_of(values.begin(), values.end(), is_symbolic)) {
    // The placeholder of a captured argument is named below the node: "Sum/reduction_indices".
    NameScope scope(node_name.empty() ? self->op->name() : node_name);
    operands = convert_inputs(*self->op, values, attrs, current_func_graph());
    node_name = scope.node_name();
  } else {
    operands = convert_inputs(*self->op, values, attrs);
  }
  Operands outputs;
  auto run = [&] {
    attrs = complete_attrs(*self->op, operands, std::move(attrs));
    std::optional<UnreadOutputs> unread;
    if (self->unread_outputs) unread.emplace(self->unread_outputs);
    emit_completed(*self->op, operands, attrs, outputs, node_name);
  };
  if (current_target().is_eager()) {
    naming_node_if([&] { return self->converts || are_taken_natively(*self->op, values); }, run);
  } else {
    run();
  }
  return wrap_outputs(*self->op, attrs, std::move(outputs));
}

// What another implementation returns for the arguments of a call that failed; null if there is none.
PyRef dispatched_call(const OpCallable* self, std::span<PyObject* const> slots, PyObject* name) {
  PyRef arguments = owned(PyDict_New());
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i]) checked(PyDict_SetItem(arguments.get(), (*self->parameters)[i].name, slots[i]));
  if (name) checked(PyDict_SetItem(arguments.get(), name_string, name));
  PyRef path = owned(PyUnicode_FromString(self->path->c_str()));
  return dispatched(path.get(), arguments.get());
}

PyObject* op_call_call(PyObject* object, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  auto* self = reinterpret_cast<OpCallable*>(object);
  return guarded([&]() -> PyObject* {
    SmallVector<PyObject*, 8> slots;
    PyObject* name = bind_arguments(self, args, PyVectorcall_NARGS(nargsf), kwnames, slots);
    std::span<PyObject* const> given(slots.data(), slots.size());
    try {
      return run_op(self, given, name);
    } catch (const Error& e) {
      if (self->keyword_only || !has_dispatcher() || !is_type_or_value_error(e)) throw;
      PyRef result = dispatched_call(self, given, name);
      if (!result) throw;
      return result.release();
    }
  });
}

PyObject* prepare(PyObject* object, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto* self = reinterpret_cast<OpCallable*>(object);
  return guarded([&]() -> PyObject* {
    SmallVector<PyObject*, 8> slots;
    bind_arguments(self, args, nargs, kwnames, slots);
    Arguments given = arguments_of(self, {slots.data(), slots.size()});
    AttrList& attrs = given.attrs;
    const Operands operands = convert_inputs(*self->op, {given.inputs.data(), given.inputs.size()}, attrs);
    for (const Operand& operand : operands)
      if (!operand.is_eager()) fail(ErrorKind::kType, "Only a call with eager tensors can be prepared");
    attrs = complete_attrs(*self->op, {operands.data(), operands.size()}, std::move(attrs));
    return new_prepared_call(*self->op, operands, std::move(attrs));
  });
}

PyObject* new_callable(const OpDef& op, const std::string& path, bool raw) {
  auto* self = PyObject_GC_New(OpCallable, op_callable_type);
  if (!self) throw_python_error();
  self->vectorcall = op_call_call;
  self->op = &op;
  self->path = new std::string(path);
  self->parameters = new std::vector<Parameter>();
  self->keyword_only = raw;
  self->converts = !raw && op.facts.converts_inputs;
  self->unread_outputs = 0;
  self->dict = nullptr;
  self->weakrefs = nullptr;
  const OpSignature& s = op.signature;
  auto add = [&](std::string_view name, int input, int attr, bool has_default, const Attr& value) {
    PyObject* text = PyUnicode_InternFromString(std::string(raw ? op.raw_name(name) : name).c_str());
    PyObject* initial = has_default && input >= 0 ? python_of(value) : nullptr;
    self->parameters->push_back({text, input, attr, has_default, initial});
  };
  if (raw) {
    for (std::size_t i = 0; i < s.inputs.size(); ++i) add(s.inputs[i].name, static_cast<int>(i), -1, false, {});
    for (std::size_t i = 0; i < s.attrs.size(); ++i) {
      const bool inferred = s.attrs[i].default_value.has_value() || s.attrs[i].kind == Attr::Kind::kHost ||
                            is_told_by_inputs(s, s.attrs[i].name);
      add(s.attrs[i].name, -1, static_cast<int>(i), inferred, {});
    }
  } else {
    for (const PublicParameter& p : op.parameters) add(p.name, p.input, p.attr, p.has_default, p.default_value);
  }
  PyObject_GC_Track(self);
  return reinterpret_cast<PyObject*>(self);
}

int op_call_traverse(PyObject* object, visitproc visit, void* arg) {
  auto* self = reinterpret_cast<OpCallable*>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->dict);
  return 0;
}

int op_call_clear(PyObject* object) {
  Py_CLEAR(reinterpret_cast<OpCallable*>(object)->dict);
  return 0;
}

void op_call_dealloc(PyObject* object) {
  auto* self = reinterpret_cast<OpCallable*>(object);
  PyObject_GC_UnTrack(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  op_call_clear(object);
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

PyObject* op_call_get_name(PyObject* object, void*) {
  std::string name = short_name(reinterpret_cast<OpCallable*>(object));
  // As in TensorFlow, no function has the name of a statement.
  if (name == "assert" || name == "for" || name == "if" || name == "while") name.insert(0, 1, '_');
  return PyUnicode_FromString(name.c_str());
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

// A default as a signature shows it: text as text, and a float with the digits that it needs: 0.0001.
PyObject* shown_default(const Attr& attr) {
  if (attr.kind() == Attr::Kind::kString)
    return PyUnicode_DecodeUTF8(attr.s().data(), static_cast<Py_ssize_t>(attr.s().size()), "surrogateescape");
  if (attr.kind() != Attr::Kind::kFloat) return python_of(attr);
  char digits[32];
  *std::to_chars(digits, digits + sizeof(digits) - 1, attr.f()).ptr = '\0';
  return PyFloat_FromDouble(PyOS_string_to_double(digits, nullptr, nullptr));
}

PyObject* get_signature(PyObject* object, void*) {
  auto* self = reinterpret_cast<OpCallable*>(object);
  return guarded([&]() -> PyObject* {
    PyObject* rows = PyList_New(0);
    const OpSignature& s = self->op->signature;
    for (const Parameter& p : *self->parameters) {
      PyObject* initial = p.default_value ? Py_NewRef(p.default_value)
                          : p.attr >= 0   ? shown_default(s.attrs[static_cast<std::size_t>(p.attr)].default_value)
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

// As a getset, these would be attributes of the class, too, which has its own.
PyObject* op_call_get_attribute(PyObject* object, PyObject* name) {
  const auto is = [&](const char* text) {
    return PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, text) == 0;
  };
  if (is("__module__")) return get_module(object, nullptr);
  if (is("__doc__")) return get_doc(object, nullptr);
  return PyObject_GenericGetAttr(object, name);
}

// To isinstance a public op is a Python function, as in TensorFlow: Keras saves activations that are functions by name.
PyObject* op_call_get_class(PyObject*, void*) { return Py_NewRef(reinterpret_cast<PyObject*>(&PyFunction_Type)); }

PyGetSetDef op_call_getset[] = {{"__class__", op_call_get_class, nullptr, nullptr, nullptr},
                                {"__name__", op_call_get_name, nullptr, nullptr, nullptr},
                                {"__qualname__", op_call_get_name, nullptr, nullptr, nullptr},
                                {"__signature__", get_signature, nullptr, nullptr, nullptr},
                                {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                                {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef op_call_methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"prepare", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(prepare)), METH_FASTCALL | METH_KEYWORDS,
     "The call with these arguments, which are eager tensors: a callable that runs it each time."},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef op_call_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpCallable, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(OpCallable, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(OpCallable, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot op_call_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(op_call_dealloc)},
                               {Py_tp_traverse, reinterpret_cast<void*>(op_call_traverse)},
                               {Py_tp_clear, reinterpret_cast<void*>(op_call_clear)},
                               {Py_tp_repr, reinterpret_cast<void*>(repr)},
                               {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                               {Py_tp_getattro, reinterpret_cast<void*>(op_call_get_attribute)},
                               {Py_tp_getset, op_call_getset},
                               {Py_tp_methods, op_call_methods},
                               {Py_tp_members, op_call_members},
                               {0, nullptr}};
PyType_Spec op_call_spec = {
    "tracefn._core.OpCallable", sizeof(OpCallable), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    op_call_slots};

const char* text_argument(PyObject* value) {
  const char* text = PyUnicode_AsUTF8(value);
  if (!text) throw_python_error();
  return text;
}

// One object per op: composed functions look theirs up at each call.
PyObject* raw_op_reading(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* name = nullptr;
    int output = 0;
    if (!PyArg_ParseTuple(args, "Ui", &name, &output)) throw_python_error();
    const OpDef& op = Registry::get().at(text_argument(name));
    PyObject* callable = new_callable(op, "raw_ops." + op.name(), true);
    reinterpret_cast<OpCallable*>(callable)->unread_outputs = ~(std::uint64_t{1} << output);
    return callable;
  });
}

PyObject* raw_op(PyObject*, PyObject* name) {
  return guarded([&]() -> PyObject* {
    static PyObject* made = checked(PyDict_New());
    if (PyObject* found = PyDict_GetItemWithError(made, name)) return Py_NewRef(found);
    if (PyErr_Occurred()) throw_python_error();
    const OpDef& op = Registry::get().at(text_argument(name));
    PyObject* callable = new_callable(op, "raw_ops." + op.name(), true);
    if (PyDict_SetItem(made, name, callable) < 0) throw_python_error();
    return callable;
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

PyMethodDef op_call_functions[] = {
    {"raw_op_reading", raw_op_reading, METH_VARARGS,
     "The callable of an op by its registered name, and the number of the only output that its caller looks at: run "
     "eagerly, the others may be undefined."},
    {"raw_op", raw_op, METH_O, "The callable of an op by its registered name; keyword arguments only."},
    {"public_op", public_op, METH_O, "The callable of an op by its public path, e.g. 'math.exp'."},
    {"public_ops", public_ops, METH_NOARGS, "Public path -> callable, for all ops with a public spelling."},
    {"op_names", op_names, METH_NOARGS, "The registered names of all ops."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_op_call(PyObject* module) {
  name_string = PyUnicode_InternFromString("name");
  op_callable_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&op_call_spec));
  if (!op_callable_type ||
      PyModule_AddObjectRef(module, "OpCallable", reinterpret_cast<PyObject*>(op_callable_type)) < 0 ||
      PyModule_AddFunctions(module, op_call_functions) < 0)
    throw_python_error();
}

}  // namespace tracefn::bind
