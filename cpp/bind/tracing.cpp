// What tracefn/function.py needs of the core to bind, look up and trace a call: Binder, Bound, CallKey, DispatchTable.
#include "bind/tracing.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include "bind/concrete_object.h"
#include "bind/convert.h"
#include "bind/dtype_object.h"
#include "bind/errors.h"
#include "bind/graph_object.h"
#include "bind/open_contexts.h"
#include "bind/shape_object.h"
#include "bind/spec_binder.h"
#include "bind/spec_cast.h"
#include "bind/spec_function_type.h"
#include "bind/spec_input_signature.h"
#include "bind/spec_modified.h"
#include "bind/spec_structure.h"
#include "bind/spec_types.h"
#include "bind/tensor_object.h"
#include "bind/trace_type_of.h"
#include "spec/dispatch.h"
#include "spec/placeholder_order.h"
#include "spec/tensor_type.h"
#include "spec/variable_type.h"

namespace py = pybind11;

namespace tracefn::bind {
namespace {

py::object steal(PyObject* object) { return py::reinterpret_steal<py::object>(checked(object)); }
py::object steal(PyRef ref) { return py::reinterpret_steal<py::object>(checked(ref.release())); }

// How calls of one function become keys: its parameters, and the types that an input_signature gives them.
struct Binder {
  CallBinder binder;
  FunctionTypePtr type;
  bool has_signature;

  static std::unique_ptr<Binder> make(const py::object& function, const py::object& input_signature, bool is_method) {
    CallBinder plain = CallBinder::of_callable(function.ptr(), is_method);
    if (input_signature.is_none()) {
      FunctionTypePtr type = plain.function_type();
      return std::make_unique<Binder>(Binder{std::move(plain), std::move(type), false});
    }
    SignedFunction with_types = apply_input_signature(plain, input_signature.ptr());
    return std::make_unique<Binder>(Binder{std::move(with_types.binder), std::move(with_types.type), true});
  }
};

// The arguments of one call, one value per parameter, and the key that they make.
struct Bound {
  CallKey key;
  std::vector<PyRef> values;

  static Bound make(const Binder& binder, const py::tuple& args, const py::dict& kwargs) {
    PackedArguments packed(args.ptr(), kwargs.ptr());
    if (binder.has_signature)
      return {key_of(*binder.type), bind_and_cast(binder.binder, *binder.type, packed.view()).values};
    BoundArguments bound = binder.binder.bind(packed.view(), *binder.type);
    TracingContext context;
    Bound result{key_of(bound, context), {}};
    for (PyObject* value : bound.values) result.values.push_back(PyRef::borrow(value));
    return result;
  }

  // The tensors (and variables) of the call, in the order of the key's inputs.
  py::list leaves() const {
    std::vector<PyRef> found;
    for (std::size_t i = 0; i < values.size(); ++i) append_leaves(values[i].get(), *key.types()[i], found);
    py::list list;
    for (PyRef& leaf : found) list.append(steal(std::move(leaf)));
    return list;
  }
};

// One input of the graph to be traced: what its placeholder is made of.
py::tuple describe_leaf(const TraceType& type, const std::string& parameter) {
  if (type.kind() == TypeKind::kVariable) {
    const auto& v = static_cast<const VariableType&>(type);
    return py::make_tuple("variable", parameter, py::reinterpret_borrow<py::object>(dtype_object(v.dtype())),
                          steal(shape_object(v.shape())), v.trainable(), v.alias());
  }
  const auto& t = static_cast<const TensorType&>(type);
  return py::make_tuple("tensor", t.name().empty() ? parameter : t.name(),
                        py::reinterpret_borrow<py::object>(dtype_object(t.dtype())), steal(shape_object(t.shape())),
                        false, 0);
}

py::list describe_leaves(const CallKey& key) {
  py::list list;
  for (std::size_t i = 0; i < key.types().size(); ++i) {
    std::vector<const TraceType*> leaves;
    key.types()[i]->append_leaves(leaves);
    for (const TraceType* leaf : leaves) list.append(describe_leaf(*leaf, (*key.parameters())[i].name));
  }
  return list;
}

std::vector<PyRef> refs_of(const py::sequence& items) {
  std::vector<PyRef> refs;
  for (py::handle item : items) refs.push_back(PyRef::borrow(item.ptr()));
  return refs;
}

}  // namespace

const DispatchTable* dispatch_table_of(PyObject* table) { return py::handle(table).cast<const DispatchTable*>(); }

void init_tracing(PyObject* raw_module) {
  py::module_ module = py::reinterpret_borrow<py::module_>(raw_module);

  py::class_<CallKey>(module, "CallKey", "The key of a trace: the trace type of each bound argument.")
      .def("__eq__", [](const CallKey& a, const CallKey& b) { return a.equals(b); })
      .def("__hash__", &CallKey::hash)
      .def("is_supertype_of", &CallKey::is_supertype_of)
      .def_property_readonly("placeholder_order",
                             [](const CallKey& key) {
                               std::vector<std::size_t> order;
                               std::size_t first = 0;
                               for (const TraceTypePtr& type : key.types()) {
                                 append_placeholder_order(*type, first, order);
                                 first += type->num_leaves();
                               }
                               return order;
                             })
      .def("describe_leaves", &describe_leaves, "One (kind, name, dtype, shape, trainable, alias) per tensor.")
      .def_property_readonly("parameters",
                             [](const CallKey& key) {
                               py::list list;
                               for (std::size_t i = 0; i < key.types().size(); ++i) {
                                 const ParameterName& p = (*key.parameters())[i];
                                 list.append(py::make_tuple(p.name, static_cast<int>(p.kind),
                                                            steal(trace_type_to_python(key.types()[i]))));
                               }
                               return list;
                             })
      .def_property_readonly("texts", [](const CallKey& key) {
        py::list list;
        for (std::size_t i = 0; i < key.types().size(); ++i)
          list.append(py::make_tuple((*key.parameters())[i].name, key.types()[i]->text()));
        return list;
      });

  py::class_<Bound>(module, "Bound", "The arguments of a call, bound to parameters.")
      // A copy: a reference would keep the call's arguments alive with it (rule 40).
      .def_property_readonly("key", [](const Bound& bound) { return CallKey(bound.key); })
      .def("leaves", &Bound::leaves)
      .def_property_readonly("values", [](const Bound& bound) {
        py::list list;
        for (const PyRef& value : bound.values) list.append(py::reinterpret_borrow<py::object>(value.get()));
        return list;
      });

  py::class_<Binder>(module, "Binder", "Binds calls of a function to its parameters.")
      .def(py::init(&Binder::make), py::arg("function"), py::arg("input_signature") = py::none(),
           py::arg("is_method") = false)
      .def("bind", &Bound::make, py::arg("args"), py::arg("kwargs"))
      .def(
          "signature_key", [](const Binder& binder) { return key_of(*binder.type); },
          "The key of the one trace that an input_signature allows.")
      .def_readonly("has_signature", &Binder::has_signature)
      .def_property_readonly("function_type",
                             [](const Binder& binder) { return steal(function_type_to_python(binder.type)); });

  py::class_<DispatchTable>(module, "DispatchTable", "The traces of one Function by key.")
      .def(py::init<>())
      .def("add", &DispatchTable::add)
      .def("erase", &DispatchTable::erase)
      .def("clear", &DispatchTable::clear)
      .def("lookup", &DispatchTable::lookup)
      .def("generalize", &DispatchTable::generalize)
      .def("payloads", &DispatchTable::payloads)
      .def("least_recently_used", &DispatchTable::least_recently_used)
      .def("touch", &DispatchTable::touch)
      .def("__len__", &DispatchTable::size);

  // The tensors of a call of a concrete function by its structured signature, cast to its types. Python values are
  // fixed: they may be left out, unless `strict`.
  module.def("structured_leaves", [](py::handle concrete, const py::tuple& args, const py::dict& kwargs, bool strict) {
    const CallKey& key = concrete_of(concrete.ptr()).key();
    std::vector<ParameterName> names = key.parameters()->names();
    std::vector<PyRef> defaults(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (strict || key.types()[i]->num_leaves() != 0) continue;
      std::size_t next = 0;
      defaults[i] = build_value(*key.types()[i], {}, next);
      names[i].optional = true;
    }
    CallBinder binder(std::move(names), std::move(defaults));
    PackedArguments packed(args.ptr(), kwargs.ptr());
    CastArguments values = bind_and_cast(binder, *concrete_of(concrete.ptr()).type(), packed.view());
    std::vector<PyRef> leaves;
    for (std::size_t i = 0; i < values.values.size(); ++i)
      append_leaves(values.values[i].get(), *key.types()[i], leaves);
    py::list list;
    for (PyRef& leaf : leaves) list.append(steal(std::move(leaf)));
    return list;
  });

  // Runs the Python function with `leaves` in place of the tensors, and makes sure that it left its arguments alone.
  // Contexts that it leaves open end with it.
  module.def("call_with_placeholders",
             [](py::handle target, py::handle python_function, const CallKey& key, const py::sequence& leaves) {
               ContextScope scope;
               PythonCall call = build_call(key, refs_of(leaves));
               ArgumentSnapshot snapshot(call, key);
               py::object result = steal(PyObject_Call(target.ptr(), call.args.get(), call.kwargs.get()));
               snapshot.check(call, python_function.ptr());
               return result;
             });

  module.def("make_concrete", [](py::handle graph, const std::string& name, const CallKey& key, py::handle output) {
    return steal(new_concrete(
        std::make_shared<Concrete>(name, func_graph_of(graph.ptr()), key, trace_type_from_python(output.ptr()))));
  });
  module.def(
      "run_nodes",
      [](py::handle concrete, const py::iterable& operations, const py::object& leaves) {
        Concrete& c = concrete_of(concrete.ptr());
        std::vector<NodeId> nodes;
        for (py::handle op : operations) nodes.push_back(c.graph()->graph()->find(op.attr("name").cast<std::string>()));
        std::vector<Tensor> args;
        if (!leaves.is_none()) {
          std::vector<const TraceType*> types = c.key().leaves();
          std::size_t i = 0;
          for (py::handle leaf : leaves) args.push_back(leaf_operand(leaf.ptr(), *types[i++]).tensor);
        }
        c.run_only(std::move(nodes), args, !leaves.is_none());
      },
      "Runs only the given operations of a trace and what they need.");
  module.def("concrete_key", [](py::handle concrete) { return concrete_of(concrete.ptr()).key(); });
  module.def("concrete_function_type",
             [](py::handle concrete) { return steal(function_type_to_python(concrete_of(concrete.ptr()).type())); });
}

}  // namespace tracefn::bind
