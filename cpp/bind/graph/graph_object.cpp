// Graphs and operations in Python.
#include "bind/graph/graph_object.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bind/call/op_call.h"
#include "bind/convert/convert.h"
#include "bind/convert/from_python.h"
#include "bind/errors.h"
#include "bind/garbage.h"
#include "bind/gil.h"
#include "bind/living_objects.h"
#include "bind/tensor/dtype_object.h"
#include "bind/tensor/shape_object.h"
#include "bind/tensor/tensor_object.h"
#include "ir/named_gradient.h"
#include "ops/registry.h"
#include "trace/graph_part.h"

namespace py = pybind11;

namespace tracefn::bind {
namespace {

py::object steal(PyObject* object) { return py::reinterpret_steal<py::object>(checked(object)); }

py::object operation_of(const std::shared_ptr<Graph>& graph, NodeId id);

// The tf.Graph around a graph; null for one of a function, which does not need it to be used.
py::object owner_of(const std::shared_ptr<Graph>& graph) {
  std::shared_ptr<FuncGraph> owner = FuncGraph::of(graph.get());
  return owner && !owner->is_function() ? py::cast(std::move(owner)) : py::object();
}

std::shared_ptr<FuncGraph> builder_of(const std::shared_ptr<Graph>& graph) {
  std::shared_ptr<FuncGraph> owner = FuncGraph::of(graph.get());
  if (!owner) fail(ErrorKind::kRuntime, "The graph ", graph->name(), " is no longer alive.");
  return owner;
}

// A function of Operations, which places them.
class PythonDeviceFunction : public FuncGraph::DeviceFunction {
 public:
  explicit PythonDeviceFunction(py::object function) : function_(std::move(function)) {}
  ~PythonDeviceFunction() override {
    const EnsuredGil gil;
    function_ = py::object();
  }
  const py::object& function() const { return function_; }
  void place(FuncGraph& graph, NodeId node) override {
    const EnsuredGil gil;
    const py::object op = operation_of(graph.shared_graph(), node);
    steal(PyObject_CallOneArg(function_.ptr(), op.ptr()));
  }

 private:
  py::object function_;
};

// The device of nodes to come: its name, or the function that places them.
py::object placement(const FuncGraph& g) {
  if (const auto* own = dynamic_cast<const PythonDeviceFunction*>(g.device_function().get())) return own->function();
  return py::str(g.device());
}

void set_placement(FuncGraph& g, const py::object& to) {
  const bool is_name = py::isinstance<py::str>(to);
  g.set_device(is_name ? to.cast<std::string>() : std::string());
  g.set_device_function(is_name ? nullptr : std::make_shared<PythonDeviceFunction>(to));
}

// One node, with its graph kept alive. Made by operation_of() only.
struct Operation {
  std::shared_ptr<Graph> graph;
  NodeId id;
  py::object owner = owner_of(graph);
  PyObject* self = nullptr;  // the object that holds it

  Operation(std::shared_ptr<Graph> g, NodeId node) : graph(std::move(g)), id(node) {}
  Operation(Operation&&) = default;
  ~Operation() {
    if (self) remove_living({graph.get(), id}, self);
  }

  const Node& node() const { return graph->node(id); }
  py::object output(std::int32_t i) const { return steal(wrap(Operand(graph, Value{id, i}))); }
  py::list outputs() const {
    py::list list;
    for (std::size_t i = 0; i < node().outputs.size(); ++i) list.append(output(static_cast<std::int32_t>(i)));
    return list;
  }
  py::list inputs() const {
    py::list list;
    for (Value v : SmallVector(node().inputs)) list.append(steal(wrap(Operand(graph, v))));
    return list;
  }
  py::list control_inputs() const {
    py::list list;
    for (NodeId c : SmallVector(node().control_inputs)) list.append(operation_of(graph, c));
    return list;
  }
  std::shared_ptr<FuncGraph> builder() const { return builder_of(graph); }
  void run_after(py::handle before) const {
    if (!py::isinstance<Operation>(before))
      fail(ErrorKind::kRuntime, "Expected a PyOperation got ", str_of(before.ptr()));
    const auto& other = before.cast<const Operation&>();
    if (other.graph != graph) fail(ErrorKind::kValue, other.text(), " must be from the same graph as ", text(), ".");
    builder()->add_control_input(id, other.id);
  }
  py::object attr(const std::string& name) const {
    if (name == kGradientName)
      if (const auto* gradient = dynamic_cast<const NamedGradient*>(node().gradient.get());
          gradient && !gradient->name().empty())
        return py::bytes(gradient->name());
    int i = node().op->attr_index(name);
    if (i < 0) fail(ErrorKind::kValue, "Operation '", node().name, "' has no attr named '", name, "'.");
    return steal(python_of(node().attrs[static_cast<std::size_t>(i)]));
  }
  py::object beside(const std::string& name) const {
    const NodeId found = graph->find(name);
    if (found < 0) fail(ErrorKind::kKey, "The name '", name, "' refers to an Operation not in the graph.");
    return operation_of(graph, found);
  }
  std::string text() const { return concat("<tf.Operation '", node().name, "' type=", node().op->name, ">"); }
  // (file, line, function, source line), outermost first.
  py::list traceback() const {
    py::list list;
    if (node().source)
      for (const SourceLocation::Frame& f : node().source->frames())
        list.append(py::make_tuple(f.file, f.line, f.function, f.text));
    return list;
  }
};

py::object operation_of(const std::shared_ptr<Graph>& graph, NodeId id) {
  const LivingKey key{graph.get(), id};
  if (PyObject* living = find_living(key)) return py::reinterpret_steal<py::object>(living);
  py::object made = py::cast(Operation(graph, id));
  made.cast<Operation&>().self = made.ptr();
  add_living(key, made.ptr());
  return made;
}

// The C++ object of a Python object, for tp_traverse; null before its creation and after its destruction.
template <typename T>
T* value_of(PyObject* self) {
  auto* const instance = reinterpret_cast<py::detail::instance*>(self);
  // The collector may see an instance before pybind11 has laid it out: it makes a weak reference to a new class first.
  if (!instance->simple_layout && !instance->nonsimple.values_and_holders) return nullptr;
  py::detail::value_and_holder held = instance->get_value_and_holder();
  return held.holder_constructed() ? held.value_ptr<T>() : nullptr;
}

int traverse_operation(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const auto* op = value_of<Operation>(self);
  if (!op) return 0;
  Py_VISIT(op->owner.ptr());
  return visit_owned(op->graph.get(), visit, arg);
}

// Visits the __dict__ and the type.
traverseproc traverse_attributes = nullptr;

int traverse_graph(PyObject* self, visitproc visit, void* arg) {
  if (int stop = traverse_attributes(self, visit, arg)) return stop;
  return visit_owned(value_of<FuncGraph>(self), visit, arg);
}

void let_collect_operation(PyHeapTypeObject* type) {
  type->ht_type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->ht_type.tp_traverse = traverse_operation;
}
void let_collect_graph(PyHeapTypeObject* type) {
  traverse_attributes = std::exchange(type->ht_type.tp_traverse, traverse_graph);
}

py::object graph_of(const std::shared_ptr<Graph>& graph) { return py::cast(builder_of(graph)); }

// By value: other threads may run, and trace, while a list is built.
py::list values_of(FuncGraph& g, std::vector<Value> values) {
  py::list list;
  for (Value v : values) list.append(steal(wrap(Operand(g.shared_graph(), v))));
  return list;
}

bool encloses(const Graph* graph, const FuncGraph& g) {
  for (const FuncGraph* outer = g.outer(); outer; outer = outer->outer())
    if (outer->graph() == graph) return true;
  return false;
}

// Omits operations of outer graphs: their side effects happen before the node that holds this graph, in program order.
std::vector<NodeId> nodes_of(FuncGraph& g, py::handle items) {
  std::vector<NodeId> nodes;
  for (py::handle item : py::iter(items)) {
    if (py::isinstance<Operation>(item)) {
      const auto& op = item.cast<const Operation&>();
      if (op.graph.get() == g.graph()) {
        nodes.push_back(op.id);
      } else if (!encloses(op.graph.get(), g)) {
        fail(ErrorKind::kValue, "Control input ", op.text(), " is of another graph.");
      }
    } else if (item.is_none()) {
      fail(ErrorKind::kType, "Can not convert a NoneType into a Tensor or Operation.");
    } else {
      Operand operand = g.capture(to_operand(item.ptr()));
      nodes.push_back(operand.value.node);
    }
  }
  return nodes;
}

bool is_same_value(const Operand& a, const Operand& b) {
  if (a.is_eager() != b.is_eager()) return false;
  if (!a.is_eager()) return a.graph == b.graph && a.value == b.value;
  const bool are_resources = a.dtype() == DType::kResource && b.dtype() == DType::kResource;
  return a.tensor.raw() == b.tensor.raw() || (are_resources && a.tensor.object() == b.tensor.object());
}

// The outside values of captures, as the current graph has them.
py::list passed_captures(const std::vector<FuncGraph::Capture>& captures) {
  FuncGraph* current = current_func_graph();
  py::list list;
  for (const FuncGraph::Capture& capture : captures)
    list.append(steal(wrap(current && capture.stays_input ? current->capture_as_input(capture.outer) : capture.outer)));
  return list;
}

// Makes the branches of a conditional take the same arguments: each gets, after its own inputs, a placeholder for every
// capture of any of them. Returns the captured tensors in that order, as the current graph has them; the graphs are
// finished.
py::list align_captures(const std::vector<std::shared_ptr<FuncGraph>>& graphs) {
  std::vector<FuncGraph::Capture> all;
  for (const auto& g : graphs)
    for (const FuncGraph::Capture& capture : g->captures())
      if (std::ranges::none_of(all, [&](const auto& known) { return is_same_value(known.outer, capture.outer); }))
        all.push_back(capture);
  for (const auto& g : graphs) {
    std::vector<Value> inner;
    inner.reserve(all.size());
    for (const FuncGraph::Capture& capture : all)
      inner.push_back((capture.stays_input ? g->capture_as_input(capture.outer) : g->capture(capture.outer)).value);
    g->finish_with(inner);
  }
  return passed_captures(all);
}

PyObject* symbolic_owner(const Operand& operand) { return owner_of(operand.graph).release().ptr(); }
PyObject* symbolic_graph(const Operand& operand) { return graph_of(operand.graph).release().ptr(); }
PyObject* symbolic_op(const Operand& operand) { return wrap_operation(operand.graph, operand.value.node); }
PyObject* symbolic_consumers(const Operand& operand) {
  py::list list;
  const Graph& g = *operand.graph;
  for (NodeId id = operand.value.node + 1; id < g.size(); ++id)
    for (Value v : g.node(id).inputs)
      if (v == operand.value) {
        list.append(operation_of(operand.graph, id));
        break;
      }
  return list.release().ptr();
}

}  // namespace

PyObject* wrap_operation(std::shared_ptr<Graph> graph, NodeId node) {
  return operation_of(graph, node).release().ptr();
}

PyObject* wrap_graph(const std::shared_ptr<FuncGraph>& graph) { return py::cast(graph).release().ptr(); }

std::shared_ptr<FuncGraph> func_graph_of(PyObject* graph) {
  if (!py::isinstance<FuncGraph>(py::handle(graph))) fail(ErrorKind::kType, "Expected a Graph.");
  return py::handle(graph).cast<std::shared_ptr<FuncGraph>>();
}

FuncRef func_ref_of(PyObject* function) {
  py::handle handle(function);
  if (py::isinstance<FuncGraph>(handle)) {
    auto g = handle.cast<std::shared_ptr<FuncGraph>>();
    if (!g->finished())
      fail(ErrorKind::kValue, "Graph '", g->name(), "' is still being built, so it cannot be called.");
    return {g->name(), g->shared_graph()};
  }
  if (!py::hasattr(handle, "graph")) fail(ErrorKind::kType, "Expected a traced function, got ", repr_of(handle.ptr()));
  py::object graph = handle.attr("graph");
  FuncRef ref = func_ref_of(graph.ptr());
  if (py::hasattr(handle, "name") && py::isinstance<py::bytes>(handle.attr("name")))
    ref.name = handle.attr("name").cast<std::string>();
  return ref;
}

std::vector<NodeId> control_nodes(FuncGraph& graph, PyObject* items) { return nodes_of(graph, items); }

void init_graph_object(PyObject* raw_module) {
  py::module_ module = py::reinterpret_borrow<py::module_>(raw_module);
  symbolic_hooks.owner = symbolic_owner;
  symbolic_hooks.graph = symbolic_graph;
  symbolic_hooks.op = symbolic_op;
  symbolic_hooks.consumers = symbolic_consumers;

  py::class_<Operation>(module, "Operation", py::custom_type_setup(let_collect_operation), "A node of a graph.")
      .def_property_readonly("name", [](const Operation& op) { return op.node().name; })
      .def_property_readonly("type", [](const Operation& op) { return op.node().op->name; })
      .def_property_readonly("inputs", [](const Operation& op) { return py::tuple(op.inputs()); })
      .def_property_readonly("outputs", &Operation::outputs)
      .def_property_readonly("control_inputs", &Operation::control_inputs)
      .def_property_readonly("graph", [](const Operation& op) { return graph_of(op.graph); })
      .def_property_readonly("device", [](const Operation& op) { return op.node().device; })
      .def("_set_device_from_string",
           [](const Operation& op, const std::string& device) { op.builder()->set_device_of(op.id, device); })
      .def(
          "_update_input",
          [](const Operation& op, std::int64_t index, py::handle tensor) {
            if (!is_tensor(tensor.ptr())) fail(ErrorKind::kType, "tensor must be a Tensor: ", str_of(tensor.ptr()));
            const Operand& input = operand_of(tensor.ptr());
            if (input.graph != op.graph)
              fail(ErrorKind::kValue, str_of(tensor.ptr()), " must be from the same graph as ", op.text(), ".");
            op.builder()->update_input(op.id, index, input.value);
          },
          py::arg("index"), py::arg("tensor"), "Makes a tensor of the same graph an input of this operation.")
      .def(
          "_add_control_input", [](const Operation& op, py::handle before) { op.run_after(before); }, py::arg("op"),
          "Makes this operation run after another one of its graph.")
      .def(
          "_add_control_inputs",
          [](const Operation& op, const py::iterable& all) {
            for (py::handle before : all) op.run_after(before);
          },
          py::arg("ops"), "Makes this operation run after others of its graph.")
      .def("_remove_all_control_inputs", [](const Operation& op) { op.builder()->remove_control_inputs(op.id); })
      .def_property_readonly("traceback", &Operation::traceback)
      .def_property_readonly("_id", [](const Operation& op) { return op.id; })
      .def_property_readonly(
          "_own_graph", [](const Operation& op) -> py::object { return op.owner ? op.owner : py::none(); },
          "The tf.Graph that it is of; None if it is of a function.")
      .def("values", [](const Operation& op) { return py::tuple(op.outputs()); })
      .def("get_attr", &Operation::attr)
      .def("_beside", &Operation::beside, py::arg("name"),
           "The operation of that name in the same graph, which need not be one that is being traced.")
      .def("_shares_graph", [](const Operation& a, const Operation& b) { return a.graph == b.graph; })
      .def("__repr__", &Operation::text)
      .def("__eq__",
           [](const Operation& a, const py::object& b) {
             return py::isinstance<Operation>(b) && a.graph == b.cast<const Operation&>().graph &&
                    a.id == b.cast<const Operation&>().id;
           })
      .def("__hash__", [](const Operation& op) { return std::hash<const void*>{}(&op.node()); });

  py::class_<FuncGraph, std::shared_ptr<FuncGraph>>(module, "Graph", py::dynamic_attr(),
                                                    py::custom_type_setup(let_collect_graph), "A graph of operations.")
      .def(py::init([](const std::string& name, bool is_function, bool with_outer) {
             return std::make_shared<FuncGraph>(name, with_outer ? current_func_graph() : nullptr, is_function);
           }),
           py::arg("name") = "", py::arg("is_function") = false, py::arg("with_outer") = false)
      .def_property(
          "name", [](const FuncGraph& g) { return g.name(); },
          [](FuncGraph& g, const std::string& name) { g.graph()->set_name(name); })
      .def_property_readonly("is_function", &FuncGraph::is_function)
      .def_property_readonly("finished", &FuncGraph::finished)
      .def_property_readonly("has_effects", &FuncGraph::has_effects)
      .def_property_readonly(
          "outer_graph",
          [](FuncGraph& g) -> py::object { return g.outer() ? py::cast(g.outer()->shared_from_this()) : py::none(); })
      .def_property_readonly("inputs", [](FuncGraph& g) { return values_of(g, g.graph()->inputs); })
      .def_property_readonly("outputs", [](FuncGraph& g) { return values_of(g, g.graph()->outputs); })
      .def_property_readonly(
          "control_outputs",
          [](FuncGraph& g) {
            py::list list;
            for (NodeId id : std::vector(g.graph()->control_outputs)) list.append(operation_of(g.shared_graph(), id));
            return list;
          },
          "The operations that run though no result needs them.")
      .def_property_readonly(
          "captures",
          [](FuncGraph& g) {
            py::list list;
            for (const auto& c : std::vector(g.captures()))  // a copy: others may run, and trace, while a list is built
              list.append(py::make_tuple(steal(wrap(c.outer)), steal(wrap(Operand(g.shared_graph(), c.inner)))));
            return list;
          })
      .def(
          "passed_captures", [](FuncGraph& g) { return passed_captures(g.captures()); },
          "The tensors that it captures, as the current graph has them.")
      .def_property_readonly(
          "captures_and_constants",
          [](FuncGraph& g) {
            py::list list;
            for (const auto& c : g.captures_and_constants())
              list.append(py::make_tuple(steal(wrap(c.outer)), steal(wrap(Operand(g.shared_graph(), c.inner)))));
            return list;
          })
      .def("__len__", [](FuncGraph& g) { return g.graph()->size(); })
      .def("__bool__", [](FuncGraph&) { return true; })
      .def("operation",
           [](FuncGraph& g, NodeId id) {
             if (id < 0 || id >= g.graph()->size()) fail(ErrorKind::kIndex, "no such operation");
             return operation_of(g.shared_graph(), id);
           })
      .def_property_readonly(
          "last_operation",
          [](FuncGraph& g) -> py::object {
            return g.last_emitted() < 0 ? py::none() : operation_of(g.shared_graph(), g.last_emitted());
          },
          "The operation that was made last; None if there is none.")
      .def("find", [](FuncGraph& g, const std::string& name) { return g.graph()->find(name); })
      .def(
          "text", [](FuncGraph& g, bool sources) { return print(*g.graph(), sources); }, py::arg("sources") = true,
          "A readable listing, with the user's source line per node.")
      .def(
          "unique_name",
          [](FuncGraph& g, const std::string& name, bool mark_as_used) {
            std::string base = g.scope() + name;
            return mark_as_used ? g.graph()->unique_name(base) : g.graph()->next_unique_name(base);
          },
          py::arg("name"), py::arg("mark_as_used") = true,
          "The name that a node gets: `name` in the current scope, with a number if it is taken.")
      .def(
          "placeholder",
          [](FuncGraph& g, py::handle dtype, py::handle shape, const std::string& name, py::handle handle_dtype,
             py::handle handle_shape) {
            DType held = handle_dtype.is_none() ? DType::kInvalid : parse_dtype(handle_dtype.ptr());
            Shape held_shape = handle_dtype.is_none() ? Shape::unknown() : parse_shape(handle_shape.ptr());
            Value v = g.add_input(parse_dtype(dtype.ptr()), parse_shape(shape.ptr()), name, held, held_shape);
            return steal(wrap(Operand(g.shared_graph(), v)));
          },
          py::arg("dtype"), py::arg("shape"), py::arg("name"), py::arg("handle_dtype") = py::none(),
          py::arg("handle_shape") = py::none())
      .def(
          "placeholder_like",
          [](FuncGraph& g, py::handle tensor, py::handle shape, const std::string& name) {
            Operand like = to_operand(tensor.ptr());
            OutputInfo info;
            if (like.graph) info = like.graph->info(like.value);
            Value v = g.add_input(like.dtype(), parse_shape(shape.ptr()), name, info.handle_dtype, info.handle_shape);
            return steal(wrap(Operand(g.shared_graph(), v)));
          },
          "An input of a tensor's dtype and of the given shape.")
      .def(
          "set_inputs",
          [](FuncGraph& g, const py::iterable& tensors) {
            std::vector<Value> inputs;
            for (py::handle t : tensors) inputs.push_back(g.capture(to_operand(t.ptr())).value);
            g.graph()->inputs = std::move(inputs);
          },
          "Orders the inputs made so far.")
      .def(
          "pass_as",
          [](FuncGraph& g, py::handle outer, py::handle inner) {
            g.pass_as(to_operand(outer.ptr()), to_operand(inner.ptr()));
          },
          "Says that a tensor from outside is the input `inner` in this trace.")
      .def("capture", [](FuncGraph& g, py::handle tensor) { return steal(wrap(g.capture(to_operand(tensor.ptr())))); })
      .def("capture_as_input",
           [](FuncGraph& g, py::handle tensor) { return steal(wrap(g.capture_as_input(to_operand(tensor.ptr())))); })
      .def("add_output",
           [](FuncGraph& g, py::handle tensor) { return steal(wrap(g.add_output(to_operand(tensor.ptr())))); })
      .def("add_control_output", &FuncGraph::add_control_output,
           "Ends the function with a NoOp that runs after everything with an effect, if there is anything.")
      .def("set_orders_effects", &FuncGraph::set_orders_effects, py::arg("orders"),
           "Whether nodes with an effect run all, in the order in which they are made.")
      .def("set_captures_others", &FuncGraph::set_captures_others, py::arg("captures_others"),
           "Whether it also captures tensors of graphs that it does not lie in.")
      .def(
          "copy_part",
          [](FuncGraph& from, const py::sequence& feeds, const std::vector<NodeId>& nodes, const py::sequence& fetches,
             const std::vector<NodeId>& effects, FuncGraph& to) {
            std::vector<Value> fed, fetched;
            for (py::handle t : feeds) fed.push_back(operand_of(t.ptr()).value);
            for (py::handle t : fetches) fetched.push_back(operand_of(t.ptr()).value);
            return values_of(to, copy_part(from, fed, nodes, fetched, effects, to));
          },
          py::arg("feeds"), py::arg("nodes"), py::arg("fetches"), py::arg("effects"), py::arg("to"),
          "Copies nodes, by their ids, into another graph, and returns the copies of `fetches`; `feeds` become inputs, "
          "`effects` run at any rate.")
      .def_property("placement", &placement, &set_placement)
      .def_property_readonly("edits", &FuncGraph::edits, "How often operations were changed after their creation.")
      .def_property("gradient_names", &FuncGraph::gradient_names, &FuncGraph::set_gradient_names)
      .def(
          "finalize", [](FuncGraph& g) { g.set_finalized(true); }, "Refuses further operations.")
      .def("_unsafe_unfinalize", [](FuncGraph& g) { g.set_finalized(false); })
      .def_property_readonly("finalized", &FuncGraph::finalized, "Whether further operations are refused.")
      .def("finish", &FuncGraph::finish)
      .def("enter_scope", &FuncGraph::enter_scope)
      .def_property_readonly("scope", &FuncGraph::scope);

  module.def(
      "current_graph",
      []() -> py::object {
        FuncGraph* g = current_func_graph();
        return g ? py::cast(g->shared_from_this()) : py::none();
      },
      "The graph being traced on this thread, or None.");
  module.def("align_captures", &align_captures);
  module.def(
      "constant_value",
      [](py::handle tensor) -> py::object {
        if (!is_tensor(tensor.ptr())) return py::none();
        const Operand& operand = operand_of(tensor.ptr());
        Tensor value;
        if (operand.is_eager()) {
          value = operand.tensor;
        } else if (auto owner = FuncGraph::of(operand.graph.get())) {
          value = owner->constant_value(operand);
        }
        return value.defined() ? steal(wrap(Operand(value))) : py::none();
      },
      "The eager tensor with the value of a tensor if it is known without running anything, else None.");
}

}  // namespace tracefn::bind
