// The core's side of tracefn/function.py: Binder, Bound, CallKey, DispatchTable.
#include "bind/call/tracing.h"

#include <memory>
#include <string>
#include <vector>

#include "bind/call/concrete_object.h"
#include "bind/class_table.h"
#include "bind/context/open_contexts.h"
#include "bind/convert/convert.h"
#include "bind/convert/from_numpy.h"
#include "bind/errors.h"
#include "bind/graph/graph_object.h"
#include "bind/py_list.h"
#include "bind/structure/binder.h"
#include "bind/structure/cast.h"
#include "bind/structure/function_type.h"
#include "bind/structure/input_signature.h"
#include "bind/structure/modified.h"
#include "bind/structure/structure.h"
#include "bind/structure/trace_type_of.h"
#include "bind/structure/types.h"
#include "bind/tensor/dtype_object.h"
#include "bind/tensor/shape_object.h"
#include "bind/tensor/tensor_object.h"
#include "spec/dispatch.h"
#include "spec/placeholder_order.h"
#include "spec/tensor_type.h"
#include "spec/variable_type.h"

namespace tracefn::bind {

template <>
struct Reader<CallKey> {
  static const CallKey& read(const Argument& argument) { return boxed_argument<CallKey>(argument); }
};

namespace {

// A key.

bool equal(const CallKey& key, PyObject* other) {
  return is_boxed<CallKey>(other) && key.equals(unboxed<CallKey>(other));
}
std::size_t hash(const CallKey& key) { return key.hash(); }
bool is_supertype_of(const CallKey& key, const CallKey& call) { return key.is_supertype_of(call); }

PyRef placeholder_order(const CallKey& key) {
  std::vector<std::size_t> order;
  std::size_t first = 0;
  for (const TraceTypePtr& type : key.types()) {
    append_placeholder_order(*type, first, order);
    first += type->num_leaves();
  }
  return list_of(order, PyLong_FromSize_t);
}

// One input of the graph to be traced: the description of its placeholder.
PyObject* describe_leaf(const TraceType& type, const std::string& parameter) {
  if (type.kind() == TypeKind::kVariable) {
    const auto& v = static_cast<const VariableType&>(type);
    return Py_BuildValue("(ssONOL)", "variable", parameter.c_str(), dtype_object(v.dtype()), shape_object(v.shape()),
                         v.trainable() ? Py_True : Py_False, static_cast<long long>(v.alias()));
  }
  const auto& t = static_cast<const TensorType&>(type);
  const std::string& name = t.name().empty() ? parameter : t.name();
  return Py_BuildValue("(ssONOi)", "tensor", name.c_str(), dtype_object(t.dtype()), shape_object(t.shape()), Py_False,
                       0);
}

PyRef describe_leaves(const CallKey& key) {
  PyRef list = owned(PyList_New(0));
  for (std::size_t i = 0; i < key.types().size(); ++i) {
    std::vector<const TraceType*> leaves;
    key.types()[i]->append_leaves(leaves);
    for (const TraceType* leaf : leaves) append(list, describe_leaf(*leaf, (*key.parameters())[i].name));
  }
  return list;
}

PyRef parameters_of(const CallKey& key) {
  return list_of_size(key.types().size(), [&](std::size_t i) {
    const ParameterName& p = (*key.parameters())[i];
    return Py_BuildValue("(siN)", p.name.c_str(), static_cast<int>(p.kind),
                         trace_type_to_python(key.types()[i]).release());
  });
}

// As the FunctionType of a trace with this key, without captures and result.
std::string key_text(const CallKey& key) {
  return make_ref<FunctionType>(key, std::vector<Capture>(), TraceTypePtr())->text();
}

PyRef texts(const CallKey& key) {
  return list_of_size(key.types().size(), [&](std::size_t i) {
    return Py_BuildValue("(sN)", (*key.parameters())[i].name.c_str(), text(key.types()[i]->text()));
  });
}

void init_call_key(PyObject* module) {
  static PyMethodDef methods[] = {
      member<is_supertype_of>("is_supertype_of", "call", ""),
      member<describe_leaves>("describe_leaves", "", "One (kind, name, dtype, shape, trainable, alias) per tensor."),
      {}};
  static PyGetSetDef attributes[] = {attribute<placeholder_order>("placeholder_order"),
                                     attribute<parameters_of>("parameters"),
                                     attribute<texts>("texts"),
                                     {}};
  add_class<CallKey>(module, "tracefn._core.CallKey", "The key of a trace: the trace type of each bound argument.",
                     {{Py_tp_methods, methods},
                      {Py_tp_getset, attributes},
                      equality_slot<equal>(),
                      hash_slot<hash>(),
                      text_slot<key_text>(Py_tp_repr)});
}

// Turns calls of one function into keys: its parameters, and the types of an input_signature.
struct Binder {
  CallBinder binder;
  FunctionTypePtr type;
  bool has_signature;
};

// The arguments of one call, one value per parameter, and the key that they make.
struct Bound {
  CallKey key;
  std::vector<PyRef> values;
};

PyRef list_of_refs(const std::vector<PyRef>& refs) {
  return list_of(refs, [](const PyRef& ref) { return Py_NewRef(ref.get()); });
}

// A copy: a reference would keep the call's arguments alive with it (rule 40).
PyRef key_of_bound(const Bound& bound) { return box(CallKey(bound.key)); }

// The tensors (and variables) of the call, in the order of the key's inputs.
PyRef leaves(const Bound& bound) {
  std::vector<PyRef> found;
  for (std::size_t i = 0; i < bound.values.size(); ++i)
    append_leaves(bound.values[i].get(), *bound.key.types()[i], found);
  return list_of_refs(found);
}

PyRef values(const Bound& bound) { return list_of_refs(bound.values); }

void init_bound(PyObject* module) {
  static PyMethodDef methods[] = {member<leaves>("leaves", "", ""), {}};
  static PyGetSetDef attributes[] = {attribute<key_of_bound>("key"), attribute<values>("values"), {}};
  add_class<Bound>(module, "tracefn._core.Bound", "The arguments of a call, bound to parameters.",
                   {{Py_tp_methods, methods}, {Py_tp_getset, attributes}});
}

Binder make_binder(PyObject* function, PyObject* input_signature, std::optional<bool> is_method) {
  CallBinder plain = CallBinder::of_callable(function, is_method.value_or(false));
  if (input_signature == Py_None) {
    FunctionTypePtr type = plain.function_type();
    return {std::move(plain), std::move(type), false};
  }
  SignedFunction with_types = apply_input_signature(plain, input_signature);
  return {std::move(with_types.binder), std::move(with_types.type), true};
}

void check_call(PyObject* args, PyObject* kwargs) {
  if (!PyTuple_Check(args) || !PyDict_Check(kwargs)) fail(ErrorKind::kType, "Expected a tuple and a dict.");
}

Bound bound_call(const Binder& binder, PyObject* args, PyObject* kwargs) {
  check_call(args, kwargs);
  PackedArguments packed(args, kwargs);
  if (binder.has_signature)
    return {key_of(*binder.type), bind_and_cast(binder.binder, *binder.type, packed.view()).values};
  BoundArguments bound = binder.binder.bind(packed.view(), *binder.type);
  TracingContext context;
  Bound result{key_of(bound, context), {}};
  for (PyObject* value : bound.values) result.values.push_back(PyRef::borrow(value));
  return result;
}

PyRef bind(const Binder& binder, PyObject* args, PyObject* kwargs) { return box(bound_call(binder, args, kwargs)); }
PyRef signature_key(const Binder& binder) { return box(key_of(*binder.type)); }
bool has_signature(const Binder& binder) { return binder.has_signature; }
PyRef function_type(const Binder& binder) { return function_type_to_python(binder.type); }

void init_binder(PyObject* module) {
  static PyMethodDef methods[] = {
      member<bind>("bind", "args, kwargs", ""),
      member<signature_key>("signature_key", "", "The key of the one trace that an input_signature allows."),
      {}};
  static PyGetSetDef attributes[] = {
      attribute<has_signature>("has_signature"), attribute<function_type>("function_type"), {}};
  constexpr const char* kParameters = "function, input_signature=None, is_method=False";
  add_class<Binder>(
      module, "tracefn._core.Binder",
      signature_and_doc("Binder", kParameters, "Binds calls of a function to its parameters."),
      {{Py_tp_methods, methods}, {Py_tp_getset, attributes}, constructor<make_binder>("Binder", kParameters)});
}

// Tables are neither copied nor moved.
using Table = std::unique_ptr<DispatchTable>;
using Payload = DispatchTable::Payload;

PyObject* payload_or_none(std::optional<Payload> payload) {
  return payload ? PyLong_FromSize_t(*payload) : Py_NewRef(Py_None);
}

Table make_table() { return std::make_unique<DispatchTable>(); }
void add(const Table& table, const CallKey& key, Payload payload) { table->add(key, payload); }
bool erase(const Table& table, Payload payload) { return table->erase(payload); }
void tracing_clear(const Table& table) { table->clear(); }
PyObject* lookup(const Table& table, const CallKey& key) { return payload_or_none(table->lookup(key)); }
PyRef generalize(const Table& table, const CallKey& key) { return box(table->generalize(key)); }
PyRef payloads(const Table& table) { return list_of(table->payloads(), PyLong_FromSize_t); }
PyObject* least_recently_used(const Table& table) { return payload_or_none(table->least_recently_used()); }
void touch(const Table& table, Payload payload) { table->touch(payload); }
Py_ssize_t length(PyObject* table) { return static_cast<Py_ssize_t>(unboxed<Table>(table)->size()); }

void init_dispatch_table(PyObject* module) {
  static PyMethodDef methods[] = {
      member<add>("add", "key, payload", "Adds a trace."),
      member<erase>("erase", "payload", "Forgets a trace; whether it was there."),
      member<tracing_clear>("clear", "", "Forgets all traces."),
      member<lookup>("lookup", "key", "The trace that serves a call, or None."),
      member<generalize>("generalize", "key",
                         "The key with every earlier one that it has a common supertype "
                         "with."),
      member<payloads>("payloads", "", "All traces, in the order of adding."),
      member<least_recently_used>("least_recently_used", "", "The trace whose last use is longest ago, or None."),
      member<touch>("touch", "payload", "Counts a use that lookup() did not see."),
      {}};
  add_class<Table>(module, "tracefn._core.DispatchTable",
                   signature_and_doc("DispatchTable", "", "The traces of one Function by key."),
                   {{Py_tp_methods, methods},
                    {Py_mp_length, reinterpret_cast<void*>(length)},
                    constructor<make_table>("DispatchTable", "")});
}

Concrete& checked_concrete(PyObject* object) {
  if (!PyObject_TypeCheck(object, concrete_type)) fail(ErrorKind::kType, "Expected a ConcreteFunction.");
  return concrete_of(object);
}

// The tensors of a call of a concrete function by its structured signature, cast to its types. Python values are fixed:
// they may be omitted, unless `strict`.
PyRef structured_leaves(PyObject* concrete, PyObject* args, PyObject* kwargs, bool strict) {
  check_call(args, kwargs);
  const CallKey& key = checked_concrete(concrete).key();
  std::vector<ParameterName> names = key.parameters()->names();
  std::vector<PyRef> defaults(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (strict || key.types()[i]->num_leaves() != 0) continue;
    std::size_t next = 0;
    defaults[i] = build_value(*key.types()[i], {}, next);
    names[i].optional = true;
  }
  CallBinder binder(std::move(names), std::move(defaults));
  PackedArguments packed(args, kwargs);
  CastArguments values = bind_and_cast(binder, *concrete_of(concrete).type(), packed.view());
  std::vector<PyRef> leaves;
  for (std::size_t i = 0; i < values.values.size(); ++i) append_leaves(values.values[i].get(), *key.types()[i], leaves);
  return list_of_refs(leaves);
}

// Runs the Python function with `leaves` in place of the tensors, and checks that it did not modify its arguments.
// Contexts that it leaves open end with it.
PyRef call_with_placeholders(PyObject* target, PyObject* python_function, const CallKey& key, PyObject* leaves) {
  ContextScope scope;
  PythonCall call = build_call(key, refs_in(leaves));
  ArgumentSnapshot snapshot(call, key);
  PyRef result = owned(PyObject_Call(target, call.args.get(), call.kwargs.get()));
  snapshot.check(call, python_function);
  return result;
}

PyObject* make_concrete(PyObject* graph, const std::string& name, const CallKey& key, PyObject* output) {
  return new_concrete(std::make_shared<Concrete>(name, func_graph_of(graph), key, trace_type_from_python(output)));
}

void run_nodes(PyObject* concrete, PyObject* operations, PyObject* leaves) {
  Concrete& c = checked_concrete(concrete);
  std::vector<NodeId> nodes;
  for_each(operations, [&](PyObject* op) {
    PyRef name = owned(PyObject_GetAttrString(op, "name"));
    nodes.push_back(c.graph()->graph()->find(bytes_of_text(name.get())));
  });
  std::vector<Tensor> args;
  if (leaves != Py_None) {
    std::vector<const TraceType*> types = c.key().leaves();
    std::size_t i = 0;
    for_each(leaves, [&](PyObject* leaf) { args.push_back(leaf_operand(leaf, *types.at(i++)).tensor); });
  }
  c.run_only(std::move(nodes), args, leaves != Py_None);
}

PyRef concrete_function_type(PyObject* concrete) { return function_type_to_python(checked_concrete(concrete).type()); }

}  // namespace

const DispatchTable* dispatch_table_of(PyObject* table) {
  if (!is_boxed<Table>(table)) fail(ErrorKind::kType, "Expected a DispatchTable.");
  return unboxed<Table>(table).get();
}

void init_tracing(PyObject* module) {
  init_call_key(module);
  init_bound(module);
  init_binder(module);
  init_dispatch_table(module);
  static PyMethodDef functions[] = {
      function<structured_leaves>("structured_leaves", "concrete, args, kwargs, strict", ""),
      function<call_with_placeholders>("call_with_placeholders", "target, python_function, key, leaves", ""),
      function<make_concrete>("make_concrete", "graph, name, key, output", ""),
      function<run_nodes>("run_nodes", "concrete, operations, leaves",
                          "Runs only the given operations of a trace and what they need."),
      function<concrete_function_type>("concrete_function_type", "concrete", ""),
      {}};
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace tracefn::bind
