// Gradient rules written in Python, and Python's notifications to tapes.
#include "bind/tape/tape.h"

#include <string>
#include <vector>

#include "autodiff/graph_gradients.h"
#include "autodiff/tape.h"
#include "bind/call/op_call.h"
#include "bind/context/open_contexts.h"
#include "bind/convert/convert.h"
#include "bind/function_table.h"
#include "bind/garbage.h"
#include "bind/graph/graph_object.h"
#include "bind/py_list.h"
#include "bind/tape/tape_object.h"
#include "bind/tape/tape_recorder.h"
#include "bind/tensor/tensor_object.h"
#include "ir/function_library.h"
#include "ir/named_gradient.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"
#include "trace/func_graph.h"

namespace tracefn::bind {
namespace {

// The gradient of an output, zeros for an integer; None if it cannot be added. New reference.
PyObject* dy_or_none(GradContext& context, std::size_t j) {
  bool has_zero = is_differentiable(context.output(j)) || is_plain(context.output(j).dtype());
  return has_zero ? wrap(context.dy(j)) : Py_NewRef(Py_None);
}

class PythonRule final : public GradientRule, public NamedGradient {
 public:
  PythonRule(PyObject* function, std::size_t num_dys, std::string name)
      : function_(function), num_dys_(num_dys), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  const HostCallable& function() const { return function_; }
  std::size_t num_dys() const { return num_dys_; }

  void visit_owned(OwnedVisitor& visitor) const override { visitor.host(&function_); }
  void differentiate(GradContext& context) override {
    ContextScope scope;
    PyRef args = owned(PyTuple_New(static_cast<Py_ssize_t>(num_dys_)));
    for (std::size_t j = 0; j < num_dys_; ++j)
      PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(j), dy_or_none(context, j));
    PyRef function = function_.get();
    PyRef result = owned(PyObject_CallObject(function.get(), args.get()));
    PyRef items = owned(PySequence_Fast(result.get(), "a gradient function must return a sequence"));
    for (std::size_t i = 0; i < context.num_inputs(); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i));
      if (item != Py_None) context.to_input(i, gradient_from_python(item));
    }
  }

 private:
  HostCallable function_;
  std::size_t num_dys_;
  std::string name_;
};

// This thread's tapes that have recorded a rule, or what leads to one.
void watch_tapes() {
  for (const std::shared_ptr<Tape>& tape : ActiveTapes::of_thread().tapes()) watch_tape(tape);
}

// Differentiates an op by the function registered with tf.RegisterGradient under that name.
void call_registered(const std::string& name, GradContext& c) {
  ContextScope scope;
  PyRef module = owned(PyImport_ImportModule("tracefn.ops.gradient_registry"));
  PyRef inputs = list_of_size(c.num_inputs(), [&](std::size_t i) { return wrap(c.input(i)); });
  PyRef outputs = list_of_size(c.num_outputs(), [&](std::size_t j) { return wrap(c.output(j)); });
  PyRef dys = list_of_size(c.num_outputs(), [&](std::size_t j) { return dy_or_none(c, j); });
  PyRef attrs = owned(PyDict_New());
  for (std::size_t i = 0; i < c.attrs().size(); ++i) {
    PyRef value = PyRef::steal(python_of(c.attrs()[i]));
    checked(PyDict_SetItemString(attrs.get(), c.op().signature.attrs[i].name.c_str(), value.get()));
  }
  PyRef found = owned(PyObject_CallMethod(module.get(), "registered_gradients", "ssOOOO", name.c_str(),
                                          c.op().name().c_str(), inputs.get(), outputs.get(), attrs.get(), dys.get()));
  for (std::size_t i = 0; i < c.num_inputs(); ++i) {
    PyObject* gradient = PyList_GET_ITEM(found.get(), static_cast<Py_ssize_t>(i));
    if (gradient != Py_None) c.to_input(i, gradient_from_python(gradient));
  }
}

// For nodes made in Graph.gradient_override_map.
class NamedRule final : public GraphRule, public NamedGradient {
 public:
  explicit NamedRule(std::string name) : name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  void differentiate(GradContext& context) override { call_registered(name_, context); }

 private:
  std::string name_;
};

}  // namespace

void registered_gradient(GradContext& c) { call_registered(c.op().name(), c); }

Ref<RefCounted> named_gradient(const std::string& name) { return make_ref<NamedRule>(name); }

Ref<GradientRule> python_rule(PyObject* function, std::size_t num_dys, std::string name) {
  return make_ref<PythonRule>(function, num_dys, std::move(name));
}

PyObject* gradient_to_python(const Gradient& gradient) {
  if (!gradient.defined()) return Py_NewRef(Py_None);
  if (!gradient.is_indexed_slices()) return wrap(gradient.values);
  PyRef module = owned(PyImport_ImportModule("tracefn.indexed_slices"));
  PyRef values = PyRef::steal(wrap(gradient.values)), indices = PyRef::steal(wrap(gradient.indices));
  PyRef shape = PyRef::steal(wrap(gradient.dense_shape));
  return checked(PyObject_CallMethod(module.get(), "IndexedSlices", "OOO", values.get(), indices.get(), shape.get()));
}

Operand tensor_operand_of(PyObject* object) {
  if (!is_tensor(object)) fail(ErrorKind::kType, "Expected a tensor.");
  return operand_of(object);
}

std::vector<Operand> tensor_operands(PyObject* tensors) {
  PyRef items = owned(PySequence_Fast(tensors, "Expected a sequence of tensors."));
  std::vector<Operand> operands;
  operands.reserve(static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items.get())));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
    operands.push_back(item == Py_None ? Operand() : tensor_operand_of(item));
  }
  return operands;
}

PyObject* gradients_to_python(const std::vector<Gradient>& gradients) {
  PyRef list = owned(PyList_New(static_cast<Py_ssize_t>(gradients.size())));
  for (std::size_t i = 0; i < gradients.size(); ++i)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), gradient_to_python(gradients[i]));
  return list.release();
}

Gradient gradient_from_python(PyObject* object) {
  if (object == Py_None) return {};
  if (!is_tensor(object) && PyObject_HasAttrString(object, "indices") &&
      PyObject_HasAttrString(object, "dense_shape")) {
    PyRef shape = owned(PyObject_GetAttrString(object, "dense_shape"));
    if (shape.get() != Py_None) {
      PyRef values = owned(PyObject_GetAttrString(object, "values"));
      PyRef indices = owned(PyObject_GetAttrString(object, "indices"));
      Operand dense_shape = build::cast(to_operand(shape.get()), DType::kInt32);
      return Gradient(to_operand(values.get()), to_operand(indices.get()), dense_shape);
    }
  }
  return to_operand(object);
}

namespace {

bool same_memory(PyObject* a, PyObject* b) {
  Tensor x = tensor_operand_of(a).tensor, y = tensor_operand_of(b).tensor;
  return x.raw() == y.raw() && x.dtype() == y.dtype() && x.shape() == y.shape();
}

bool tapes_listen() { return ActiveTapes::of_thread().listening(); }

bool tapes_track(PyObject* tensors) {
  if (!tapes_listen()) return false;
  const ActiveTapes& here = ActiveTapes::of_thread();
  for (const Operand& x : tensor_operands(tensors)) {
    if (!x.defined() || !is_differentiable(x)) continue;
    for (const auto& tape : here.tapes())
      if (tape->recorder() == &here && !tape->forward() && tape->tracks(x)) return true;
  }
  return false;
}

void variable_accessed(PyObject* handle) {
  if (!tapes_listen()) return;
  for (const auto& tape : ActiveTapes::of_thread().tapes())
    if (tape->watches_variables()) tape->watch_variable(tensor_operand_of(handle));
}

bool tensor_is_differentiable(PyObject* tensor) { return is_differentiable(tensor_operand_of(tensor)); }

void record_gradient(PyObject* inputs, PyObject* results, PyObject* outputs, PyObject* function) {
  if (!tapes_listen()) return;
  std::vector<Operand> from = tensor_operands(inputs), to = tensor_operands(outputs);
  ActiveTapes::of_thread().record_custom(from, tensor_operands(results), to, python_rule(function, to.size()));
  watch_tapes();
}

void set_node_gradient(PyObject* output, PyObject* function, std::size_t num_dys, const std::string& name) {
  Operand x = tensor_operand_of(output);
  if (x.is_eager()) fail(ErrorKind::kType, "Only a node of a graph has a gradient rule of its own.");
  x.graph->node(x.value.node).gradient = python_rule(function, num_dys, name);
  watch_graph(x.graph);
}

void append_named_gradients(PyObject* list, const FuncRef& function) {
  // Operands refer to graphs that may change; this one does not.
  const std::shared_ptr<Graph> body = std::const_pointer_cast<Graph>(function.body);
  for (NodeId id = 0; id < body->size(); ++id) {
    const Node& node = body->node(id);
    const auto* named = dynamic_cast<const NamedGradient*>(node.gradient.get());
    if (!named || named->name().empty()) continue;
    PyRef outputs = list_of_size(node.outputs.size(), [&](std::size_t j) {
      return wrap(Operand(body, Value{id, static_cast<std::int32_t>(j)}));
    });
    const auto* rule = dynamic_cast<const PythonRule*>(node.gradient.get());
    PyRef callable = rule ? rule->function().get() : PyRef::borrow(Py_None);
    PyRef count = rule ? owned(PyLong_FromSize_t(rule->num_dys())) : PyRef::borrow(Py_None);
    PyRef found = owned(Py_BuildValue("(ssOOO)", function.name.c_str(), named->name().c_str(), outputs.get(),
                                      callable.get(), count.get()));
    checked(PyList_Append(list, found.get()));
  }
}

PyObject* named_gradients(PyObject* graph) {
  const FunctionLibrary library(*func_graph_of(graph)->graph());
  PyRef list = owned(PyList_New(0));
  for (const FuncRef& function : library.functions()) append_named_gradients(list.get(), function);
  return list.release();
}

PyObject* detached(PyObject* tensor) {
  Operand x = tensor_operand_of(tensor);
  if (x.is_eager()) x.id = 0;
  return wrap(std::move(x));
}

void record_node(PyObject* inputs, PyObject* outputs, std::size_t num_results) {
  if (!tapes_listen()) return;
  std::vector<Operand> from = tensor_operands(inputs), to = tensor_operands(outputs);
  const Node& node = to.at(0).graph->node(to[0].value.node);
  ActiveTapes::of_thread().record_custom_node(op_def(*node.op), node.attrs, from, to, num_results);
  watch_tapes();
}

void python_replace_gradient(const std::string& op_type, bool replaced) {
  replace_gradient(Registry::get().at(op_type), replaced);
}

// How many tensors an input or output of an op with these attributes is.
std::size_t count_of(const OpSignature& signature, const ArgDef& arg, const AttrList& attrs) {
  if (!arg.is_list()) return 1;
  const bool by_number = !arg.number_attr.empty();
  const Attr& attr =
      attrs[static_cast<std::size_t>(signature.attr_index(by_number ? arg.number_attr : arg.type_list_attr))];
  if (!attr.has_value()) return 0;
  return by_number ? static_cast<std::size_t>(attr.i()) : attr.types().size();
}

void check_count(const OpDef& op, const std::vector<ArgDef>& args, const AttrList& attrs, std::string_view what,
                 std::size_t given) {
  std::size_t expected = 0;
  for (const ArgDef& arg : args) expected += count_of(op.signature, arg, attrs);
  if (given != expected)
    fail(ErrorKind::kValue, "The gradient of ", op.name(), " takes ", expected, " ", what, ", got ", given, ".");
}

// The attributes of the node that made an output, or those of a dict; those that are missing follow from the inputs or
// have their defaults.
AttrList attrs_for_rule(const OpDef& op, PyObject* attrs, const std::vector<Operand>& inputs,
                        const std::vector<Operand>& outputs) {
  if (!outputs.empty() && outputs[0].graph) {
    const Node& node = outputs[0].graph->node(outputs[0].value.node);
    if (node.op == &op.signature) return node.attrs;
  }
  AttrList values(op.signature.attrs.size());
  for (std::size_t i = 0; attrs != Py_None && i < values.size(); ++i) {
    PyObject* value = PyDict_GetItemString(attrs, op.signature.attrs[i].name.c_str());
    if (value) values[i] = attr_of(op, op.signature.attrs[i], value);
  }
  check_count(op, op.signature.inputs, values, "inputs", inputs.size());
  return complete_attrs(op, inputs, std::move(values));
}

PyObject* rule_gradients(const std::string& op_type, PyObject* inputs, PyObject* outputs, PyObject* attrs,
                         PyObject* dys) {
  const OpDef& op = Registry::get().at(op_type);
  const std::vector<Operand> from = tensor_operands(inputs), to = tensor_operands(outputs);
  for (const Operand& x : from)
    if (!x.defined()) fail(ErrorKind::kType, "Expected a tensor.");
  const AttrList values = attrs_for_rule(op, attrs, from, to);
  check_count(op, op.signature.inputs, values, "inputs", from.size());
  check_count(op, op.signature.outputs, values, "outputs", to.size());
  PyRef items = owned(PySequence_Fast(dys, "Expected a sequence of gradients."));
  check_count(op, op.signature.outputs, values, "gradients",
              static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items.get())));
  std::vector<Gradient> given;
  for (std::size_t j = 0; j < to.size(); ++j)
    given.push_back(gradient_from_python(PySequence_Fast_GET_ITEM(items.get(), static_cast<Py_ssize_t>(j))));
  GradContext context(op, values, from, to, given);
  op.grad(context);
  return gradients_to_python(context.results());
}

PyObject* dense_gradient(PyObject* gradient) { return wrap(gradient_from_python(gradient).dense()); }

PyObject* python_graph_gradients(PyObject* graph, PyObject* targets, PyObject* target_gradients, PyObject* sources,
                                 PyObject* stops) {
  return gradients_to_python(graph_gradients(*func_graph_of(graph), tensor_operands(targets),
                                             tensor_operands(target_gradients), tensor_operands(sources),
                                             tensor_operands(stops)));
}

}  // namespace

void init_tape(PyObject* module) {
  init_tape_object(module);
  init_tape_recorder(module);
  static PyMethodDef functions[] = {
      function<same_memory>("same_memory", "x, y", "Whether two eager tensors are one value in memory."),
      function<tapes_listen>("tapes_listen", "", "Whether a tape records on this thread."),
      function<tapes_track>("tapes_track", "tensors",
                            "Whether a gradient tape that records tracks one of the tensors."),
      function<variable_accessed>("variable_accessed", "handle", "Tells tapes that a trainable variable is read."),
      function<tensor_is_differentiable>("is_differentiable", "tensor",
                                         "Whether a gradient can flow through the tensor."),
      function<record_gradient>("record_gradient", "inputs, results, outputs, function",
                                "Records a call: `function(*dys)` gives the gradients of `inputs`; `outputs` are "
                                "`results` under new identities."),
      function<set_node_gradient>("set_node_gradient", "output, function, num_dys, name",
                                  "Replaces the gradient rule of the node that made `output`: (output, function, how "
                                  "many dys it takes, its name in files)."),
      function<named_gradients>("named_gradients", "graph",
                                "The nodes with gradient rules that have names, of the functions that the graph's "
                                "nodes call: tuples of the function's name, the rule's, the node's outputs, and the "
                                "rule's function with the number of its dys, both None for a registered one."),
      function<detached>("detached", "tensor", "An eager tensor of the same value that no tape knows."),
      function<record_node>("record_node", "inputs, outputs, num_results",
                            "Records a node with a rule of its own that was made while tapes were paused: (inputs, "
                            "outputs, how many of the inputs are the results of the call that it stands for)."),
      function<python_replace_gradient>(
          "replace_gradient", "op_type, replaced",
          "Makes the registered function give the gradient of ops of that type, or their own rule again."),
      function<rule_gradients>("rule_gradients", "op_type, inputs, outputs, attrs, dys",
                               "The gradients of the inputs of an op by its own rule; attrs is None for a node."),
      function<dense_gradient>("dense_gradient", "gradient", "A tensor or tf.IndexedSlices as one tensor."),
      function<python_graph_gradients>("graph_gradients", "graph, targets, target_gradients, sources, stops",
                                       "Gradients along the nodes of a graph."),
      {}};
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace tracefn::bind
