// The type ConcreteFunction: runs a trace from Python.
#include "bind/call/concrete_object.h"

#include <structmember.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "autodiff/call_gradient.h"
#include "bind/call/collected_graphs.h"
#include "bind/call/fingerprint.h"
#include "bind/convert/convert.h"
#include "bind/errors.h"
#include "bind/garbage.h"
#include "bind/gil.h"
#include "bind/graph/graph_object.h"
#include "bind/py_ref.h"
#include "bind/structure/structure.h"
#include "bind/structure/trace_type_of.h"
#include "bind/structure/types.h"
#include "bind/tensor/tensor_object.h"
#include "exec/eager.h"
#include "exec/placement.h"
#include "ops/leaked.h"
#include "ops/registry.h"
#include "runtime/call_shapes.h"
#include "spec/tensor_type.h"

namespace tracefn::bind {

PyTypeObject* concrete_type = nullptr;

namespace {

PyObject* build_result(const Concrete& concrete, std::vector<PyRef>& tensors) {
  const TraceType& type = *concrete.output();
  if (type.kind() == TypeKind::kTensor) return tensors[0].release();
  std::size_t next = 0;
  return build_value(type, tensors, next).release();
}

PyObject* emit_call(Concrete& concrete, const Operands& args) {
  static const OpDef& stateless = Registry::get().at("PartitionedCall");
  static const OpDef& stateful = Registry::get().at("StatefulPartitionedCall");
  const OpDef& op = concrete.graph()->has_effects() ? stateful : stateless;
  Operands inputs = args;
  FuncGraph* current = current_func_graph();
  for (const FuncGraph::Capture& c : concrete.graph()->captures())
    inputs.push_back(current ? current->passed_for(c) : c.outer);
  const Concrete::Callee& callee = concrete.callee();
  for (const FuncGraph::Capture& c : callee.constants) inputs.push_back(c.outer);
  std::vector<DType> in_types, out_types;
  for (const Operand& in : inputs) in_types.push_back(in.dtype());
  const Graph& body = *concrete.graph()->graph();
  for (Value v : body.outputs) out_types.push_back(body.info(v).dtype);
  AttrList attrs(op.signature.attrs.size());
  auto set = [&](const char* name, Attr value) {
    attrs[static_cast<std::size_t>(op.signature.attr_index(name))] = std::move(value);
  };
  set("Tin", std::move(in_types));
  set("Tout", std::move(out_types));
  set("f", FuncRef{concrete.name(), callee.graph});
  Operands outputs;
  emit(op, inputs, std::move(attrs), outputs);
  if (!current_target().is_eager()) {
    std::vector<Shape> shapes = call_shapes(*callee.graph, std::span(inputs.data(), inputs.size()), current_target());
    for (std::size_t j = 0; j < shapes.size(); ++j) {
      OutputInfo& info = outputs[j].graph->info(outputs[j].value);
      if (info.shape.is_compatible_with(shapes[j])) info.shape = merge(info.shape, shapes[j]);
    }
  }
  std::vector<PyRef> tensors;
  for (Operand& out : outputs) tensors.push_back(PyRef::steal(wrap(std::move(out))));
  return build_result(concrete, tensors);
}

// Of tensors or operands.
template <typename T>
PyObject* wrap_results(const Concrete& concrete, std::span<T> results) {
  if (concrete.output()->kind() == TypeKind::kTensor) return wrap(Operand(std::move(results[0])));
  std::vector<PyRef> tensors;
  tensors.reserve(results.size());
  for (T& t : results) tensors.push_back(PyRef::steal(wrap(Operand(std::move(t)))));
  return build_result(concrete, tensors);
}

}  // namespace

namespace {

PyObject* run_recorded(Concrete& concrete, std::span<const ConcreteArgument> args) {
  std::vector<Operand> inputs;
  for (const ConcreteArgument& arg : args) inputs.push_back(*arg.operand);
  for (const FuncGraph::Capture& c : concrete.graph()->captures()) {
    if (!c.outer.is_eager()) leaked_tensor(c.outer, nullptr);
    inputs.push_back(c.outer);
  }
  std::vector<Operand> outputs =
      call_under_tapes(concrete.graph()->shared_graph(), concrete.graph()->name(), inputs,
                       concrete.graph()->constants(), [&]() -> const CompiledFunction& { return concrete.compiled(); });
  return wrap_results(concrete, std::span(outputs));
}

}  // namespace

PyObject* run_concrete(Concrete& concrete, std::span<const ConcreteArgument> args) {
  if (collects_graphs) [[unlikely]]
    collect_graph(concrete.graph());
  if (current_listener()) return run_recorded(concrete, args);
  const CompiledFunction& function = concrete.compiled();
  SmallVector<TensorRef, 8> refs;
  refs.reserve(args.size());
  for (const ConcreteArgument& arg : args) refs.push_back({&arg.operand->tensor, arg.last_use});
  SmallVector<Tensor, 2> results(function.num_results());
  std::span<Tensor> made(results.data(), results.size());
  function.run(std::span<const TensorRef>(refs.data(), refs.size()), made);
  return wrap_results(concrete, made);
}

Operand leaf_operand(PyObject* leaf, const TraceType& type) {
  if (is_tensor(leaf)) return operand_of(leaf);
  if (type.kind() == TypeKind::kVariable) {
    PyRef handle = PyRef::steal(checked(PyObject_GetAttrString(leaf, "handle")));
    return operand_of(handle.get());
  }
  return to_operand(leaf, static_cast<const TensorType&>(type).dtype());
}

PyObject* call_concrete(Concrete& concrete, std::span<PyObject* const> leaves) {
  std::vector<const TraceType*> types = concrete.key().leaves();
  if (leaves.size() != types.size())
    fail(ErrorKind::kType, concrete.name(), " takes ", types.size(), " tensors, got ", leaves.size(), ".");
  bool tracing = !current_target().is_eager();
  Operands operands;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    operands.push_back(leaf_operand(leaves[i], *types[i]));
    DType wanted =
        types[i]->kind() == TypeKind::kVariable ? DType::kResource : static_cast<const TensorType*>(types[i])->dtype();
    DType got = operands.back().dtype();
    if (got != wanted)
      invalid_argument("cannot compute ", concrete.name(), " as input #", i, "(zero-based) was expected to be a ",
                       runtime_name(wanted), " tensor but is a ", runtime_name(got), " tensor [Op:", concrete.name(),
                       "]");
  }
  if (tracing) return emit_call(concrete, operands);
  // A symbolic tensor here has leaked out of its graph: emitting the call reports it.
  for (const Operand& operand : operands)
    if (!operand.is_eager()) return emit_call(concrete, operands);
  refuse_missing_device(concrete.name());
  SmallVector<ConcreteArgument, 8> args;
  for (Operand& operand : operands) args.push_back({&operand, true});
  return run_concrete(concrete, std::span(args.data(), args.size()));
}

namespace {

// Positional eager tensors of exactly the trace's types need no binding.
bool matches(Concrete& concrete, PyObject* const* args, std::size_t n) {
  const TraceTypes& types = concrete.key().types();
  if (n != types.size() || n != concrete.num_args()) return false;
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_eager(args[i]) || types[i]->kind() != TypeKind::kTensor) return false;
    const auto& type = static_cast<const TensorType&>(*types[i]);
    const Tensor& t = operand_of(args[i]).tensor;
    if (t.dtype() != type.dtype() || !type.shape().is_supertype_of(t.shape())) return false;
  }
  return true;
}

PyObject* concrete_call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return guarded([&]() -> PyObject* {
    auto n = static_cast<std::size_t>(PyVectorcall_NARGS(nargsf));
    const auto* object = reinterpret_cast<ConcreteObject*>(self);
    if (!kwnames && n <= object->most_positional && runs_eagerly() && matches(*object->concrete, args, n)) {
      std::shared_ptr<Concrete> concrete = object->concrete;
      SmallVector<ConcreteArgument, 8> tensors;
      for (std::size_t i = 0; i < n; ++i) tensors.push_back({&mutable_operand_of(args[i]), false});
      return run_concrete(*concrete, std::span(tensors.data(), tensors.size()));
    }
    PyRef method = PyRef::steal(checked(PyObject_GetAttrString(self, "_call_structured")));
    return PyObject_Vectorcall(method.get(), args, nargsf, kwnames);
  });
}

PyObject* call_flat(PyObject* self, PyObject* leaves) {
  return guarded([&]() -> PyObject* {
    PyRef items = PyRef::steal(checked(PySequence_Fast(leaves, "leaves must be a sequence")));
    std::shared_ptr<Concrete> concrete = reinterpret_cast<ConcreteObject*>(self)->concrete;
    return call_concrete(*concrete,
                         std::span<PyObject* const>(PySequence_Fast_ITEMS(items.get()),
                                                    static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items.get()))));
  });
}

PyObject* loops(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    std::shared_ptr<Concrete> concrete = reinterpret_cast<ConcreteObject*>(self)->concrete;
    PyRef all = PyRef::steal(checked(PyList_New(0)));
    for (const Program::LoopReport& loop : concrete->compiled().loops()) {
      const std::string code = loop.runner ? loop.runner->text() : "";
      PyRef entry = PyRef::steal(checked(Py_BuildValue("(sss)", loop.name.c_str(), loop.reason.c_str(), code.c_str())));
      if (PyList_Append(all.get(), entry.get()) < 0) throw_python_error();
    }
    return all.release();
  });
}

PyObject* get_graph(PyObject* self, void*) {
  return guarded([&] { return wrap_graph(concrete_of(self).graph()); });
}

PyObject* concrete_get_name(PyObject* self, void*) { return PyBytes_FromString(concrete_of(self).name().c_str()); }

PyObject* get_num_args(PyObject* self, void*) { return PyLong_FromSize_t(concrete_of(self).num_args()); }

PyObject* get_num_positional(PyObject* self, void*) {
  const auto* object = reinterpret_cast<ConcreteObject*>(self);
  return PyLong_FromSize_t(std::min(object->most_positional, object->concrete->num_args()));
}

int set_num_positional(PyObject* self, PyObject* value, void*) {
  if (!value) {
    PyErr_SetString(PyExc_AttributeError, "_num_positional_args cannot be deleted");
    return -1;
  }
  const std::size_t number = PyLong_AsSize_t(value);
  if (number == static_cast<std::size_t>(-1) && PyErr_Occurred()) return -1;
  reinterpret_cast<ConcreteObject*>(self)->most_positional = number;
  return 0;
}

PyObject* get_output_type(PyObject* self, void*) {
  return guarded([&] { return trace_type_to_python(concrete_of(self).output()).release(); });
}

int concrete_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<ConcreteObject*>(self)->dict);
  return visit_owned(reinterpret_cast<ConcreteObject*>(self)->concrete.get(), visit, arg);
}

int concrete_clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<ConcreteObject*>(self)->dict);
  return 0;
}

void concrete_dealloc(PyObject* object) {
  auto* self = reinterpret_cast<ConcreteObject*>(object);
  PyObject_GC_UnTrack(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  concrete_clear(object);
  self->concrete.~shared_ptr();
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyGetSetDef concrete_getset[] = {
    {"graph", get_graph, nullptr, "The traced graph.", nullptr},
    {"name", concrete_get_name, nullptr, "Unique name of the function, as bytes.", nullptr},
    {"_num_args", get_num_args, nullptr, "Tensors of the arguments, captures not counted.", nullptr},
    {"_num_positional_args", get_num_positional, set_num_positional,
     "The most tensors that a call may give by position.", nullptr},
    {"_output_type", get_output_type, nullptr, "Trace type of the result.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
// Whether a call node may call this function instead of its own: it takes what the node gives and gives what it says.
bool can_take(const Graph& graph, const Node& node, const Graph& callee) {
  auto same = [](const OutputInfo& given, const OutputInfo& wanted) {
    if (given.dtype != wanted.dtype) return false;
    if (!wanted.shape.has_rank()) return true;
    if (!given.shape.has_rank() || given.shape.rank() != wanted.shape.rank()) return false;
    for (int i = 0; i < wanted.shape.rank(); ++i)
      if (wanted.shape[i] >= 0 && wanted.shape[i] != given.shape[i]) return false;
    return true;
  };
  if (node.inputs.size() != callee.inputs.size() || node.outputs.size() != callee.outputs.size()) return false;
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (!same(graph.info(node.inputs[i]), callee.info(callee.inputs[i]))) return false;
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (!same(callee.info(callee.outputs[i]), node.outputs[i])) return false;
  return true;
}

// The nodes of a graph that call another function of the same arguments and results call this one from now on.
PyObject* take_calls(PyObject* self, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* graph_object = nullptr;
    const char* name = nullptr;
    if (!PyArg_ParseTuple(args, "Os:_take_calls", &graph_object, &name)) return nullptr;
    Concrete& concrete = concrete_of(self);
    const Concrete::Callee& callee = concrete.callee();
    Graph& graph = *func_graph_of(graph_object)->graph();
    bool captures = !concrete.graph()->captures().empty() || !callee.constants.empty();
    long taken = 0;
    for (NodeId id = 0; !captures && id < graph.size(); ++id) {
      Node& node = graph.node(id);
      if (!node.is(OpKind::kCall) || (!node.op->stateful && concrete.graph()->has_effects())) continue;
      auto place = static_cast<std::size_t>(node.op->attr_index("f"));
      const FuncRef& called = node.attrs[place].func();
      if (called.name != name || !can_take(graph, node, *callee.graph)) continue;
      node.attrs[place] = FuncRef{concrete.name(), callee.graph};
      ++taken;
    }
    return PyLong_FromLong(taken);
  });
}

PyMethodDef concrete_methods[] = {
    {"_call_flat", call_flat, METH_O, "Calls with the tensors of the arguments in order."},
    {"_take_calls", take_calls, METH_VARARGS,
     "Nodes of a graph that call the function of a name call this one: (graph, name)."},
    {"_loops", loops, METH_NOARGS, "(name, why it is not compiled as a whole or '', code) of its loops."},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef concrete_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(ConcreteObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(ConcreteObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ConcreteObject, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot concrete_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(concrete_dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(concrete_traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(concrete_clear)},
                                {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_getset, concrete_getset},
                                {Py_tp_methods, concrete_methods},
                                {Py_tp_members, concrete_members},
                                {0, nullptr}};
PyType_Spec concrete_spec = {
    "tracefn._core.ConcreteFunction", sizeof(ConcreteObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    concrete_slots};

}  // namespace

PyObject* new_concrete(std::shared_ptr<Concrete> concrete) {
  watch_trace(concrete);
  auto* self = PyObject_GC_New(ConcreteObject, concrete_type);
  if (!self) throw_python_error();
  self->vectorcall = concrete_call;
  new (&self->concrete) std::shared_ptr<Concrete>(std::move(concrete));
  self->dict = nullptr;
  self->weakrefs = nullptr;
  self->most_positional = SIZE_MAX;
  PyObject_GC_Track(self);
  return reinterpret_cast<PyObject*>(self);
}

void init_concrete_object(PyObject* module) {
  concrete_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&concrete_spec)));
  checked(PyModule_AddObjectRef(module, "ConcreteFunction", reinterpret_cast<PyObject*>(concrete_type)));
}

}  // namespace tracefn::bind
