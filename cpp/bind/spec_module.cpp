// FunctionSpec, the Python view of binding and keys, and the registration of everything in cpp/bind/spec_*.
#include "bind/spec_module.h"

#include <pybind11/pybind11.h>

#include <memory>

#include "bind/spec_binder.h"
#include "bind/spec_cast.h"
#include "bind/spec_classes.h"
#include "bind/spec_contexts.h"
#include "bind/spec_function_type.h"
#include "bind/spec_input_signature.h"
#include "bind/spec_modified.h"
#include "bind/spec_results.h"
#include "bind/spec_structure.h"
#include "bind/spec_types.h"
#include "spec/placeholder_order.h"
#include "spec/signature_text.h"

namespace tracefn::bind {
namespace {

namespace py = pybind11;

py::object stolen(PyRef object) { return py::reinterpret_steal<py::object>(object.release()); }
py::object borrowed(PyObject* object) { return py::reinterpret_borrow<py::object>(object); }

// How the arguments of calls of one function become keys.
struct FunctionSpec {
  CallBinder binder;
  FunctionTypePtr type;
  bool has_signature;
};

std::unique_ptr<FunctionSpec> make_spec(const py::object& function, const py::object& input_signature, bool is_method) {
  CallBinder binder = CallBinder::of_callable(function.ptr(), is_method);
  if (input_signature.is_none()) {
    FunctionTypePtr type = binder.function_type();
    return std::make_unique<FunctionSpec>(FunctionSpec{std::move(binder), std::move(type), false});
  }
  SignedFunction signature = apply_input_signature(binder, input_signature.ptr());
  return std::make_unique<FunctionSpec>(FunctionSpec{std::move(signature.binder), std::move(signature.type), true});
}

struct Bound {
  CallKey key;
  std::vector<PyRef> values;
};

Bound bind_call(const FunctionSpec& spec, const py::args& args, const py::kwargs& kwargs) {
  PackedArguments packed(args.ptr(), kwargs.ptr());
  if (spec.has_signature) return {key_of(*spec.type), bind_and_cast(spec.binder, *spec.type, packed.view()).values};
  BoundArguments bound = spec.binder.bind(packed.view(), *spec.type);
  TracingContext context;
  Bound result{key_of(bound, context), {}};
  for (PyObject* value : bound.values) result.values.push_back(PyRef::borrow(value));
  return result;
}

// The type of the trace that such a call would make.
py::object call_type(const FunctionSpec& spec, const py::args& args, const py::kwargs& kwargs) {
  Bound bound = bind_call(spec, args, kwargs);
  return stolen(function_type_to_python(make_ref<FunctionType>(bound.key, std::vector<Capture>(), TraceTypePtr())));
}

// The tensors of a call, in the order of the graph's inputs.
py::list call_tensors(const FunctionSpec& spec, const py::args& args, const py::kwargs& kwargs) {
  Bound bound = bind_call(spec, args, kwargs);
  std::vector<PyRef> leaves;
  for (std::size_t i = 0; i < bound.values.size(); ++i)
    append_leaves(bound.values[i].get(), *bound.key.types()[i], leaves);
  py::list result;
  for (PyRef& leaf : leaves) result.append(stolen(std::move(leaf)));
  return result;
}

CallKey key_of_python(const py::object& function_type) {
  return key_of(*function_type_from_python(function_type.ptr()));
}

std::vector<PyRef> objects_in(const py::iterable& values) {
  std::vector<PyRef> objects;
  for (py::handle value : values) objects.push_back(PyRef::borrow(value.ptr()));
  return objects;
}

py::tuple placeholder_call(const py::object& function_type, const py::iterable& leaves) {
  PythonCall call = build_call(key_of_python(function_type), objects_in(leaves));
  py::object kwargs = call.kwargs ? stolen(std::move(call.kwargs)) : py::dict();
  return py::make_tuple(stolen(std::move(call.args)), kwargs);
}

py::list placeholder_order(const py::object& function_type) {
  CallKey key = key_of_python(function_type);
  std::vector<std::size_t> order;
  std::size_t first = 0;
  for (const TraceTypePtr& type : key.types()) {
    append_placeholder_order(*type, first, order);
    first += type->num_leaves();
  }
  py::list result;
  for (std::size_t position : order) result.append(position);
  return result;
}

void check_unmodified(const py::object& function, const py::object& function_type, const py::iterable& leaves) {
  CallKey key = key_of_python(function_type);
  PythonCall call = build_call(key, objects_in(leaves));
  ArgumentSnapshot snapshot(call, key);
  PyRef result = owned(PyObject_Call(function.ptr(), call.args.get(), call.kwargs.get()));
  snapshot.check(call, function.ptr());
}

py::tuple flatten(const py::object& result, const py::object& function, const py::function& to_tensor) {
  FlatResult flat = flatten_result(result.ptr(), function.ptr(), [&](PyObject* leaf) {
    py::object tensor = to_tensor(borrowed(leaf));
    return tensor.is_none() ? PyRef() : PyRef::steal(tensor.release().ptr());
  });
  py::list tensors;
  for (PyRef& tensor : flat.tensors) tensors.append(stolen(std::move(tensor)));
  return py::make_tuple(tensors, stolen(trace_type_to_python(flat.type)));
}

py::object build(const py::object& type, const py::iterable& leaves) {
  std::size_t next = 0;
  return stolen(build_value(*trace_type_from_python(type.ptr()), objects_in(leaves), next));
}

std::string text(const std::string& name, const py::object& function_type, const std::string& style, bool verbose) {
  if (style != "leaves" && style != "types")
    fail(ErrorKind::kValue, "style must be 'leaves' or 'types', got '", style, "'.");
  SignatureStyle chosen = style == "leaves" ? SignatureStyle::kLeaves : SignatureStyle::kTypes;
  return signature_text(name, *function_type_from_python(function_type.ptr()), chosen, verbose);
}

py::object with_output(const py::object& function_type, const py::object& output) {
  const FunctionTypePtr type = function_type_from_python(function_type.ptr());
  return stolen(function_type_to_python(
      make_ref<FunctionType>(type->parameters(), type->captures(), trace_type_from_python(output.ptr()))));
}

}  // namespace

void init_spec(PyObject* module) {
  py::module_ m = py::reinterpret_borrow<py::module_>(module);
  init_types(module);
  init_contexts(module);
  init_function_type(module);
  py::class_<FunctionSpec>(m, "FunctionSpec", "How the arguments of calls of a Python function become keys of traces.")
      .def(py::init(&make_spec), py::arg("function"), py::arg("input_signature") = py::none(),
           py::arg("is_method") = false)
      .def_property_readonly("function_type",
                             [](const FunctionSpec& spec) { return stolen(function_type_to_python(spec.type)); })
      .def("call_type", &call_type, "The FunctionType of the trace for a call with these arguments.")
      .def("call_tensors", &call_tensors, "The tensors of such a call, in the order of the graph's inputs.");
  m.def(
      "trace_type_of",
      [](const py::object& value) {
        TracingContext context;
        return stolen(trace_type_to_python(trace_type_of(value.ptr(), context)));
      },
      py::arg("value"), "The trace type of an argument.");
  m.def("placeholder_call", &placeholder_call, py::arg("function_type"), py::arg("leaves"),
        "(args, kwargs) for a call of the Python function, with `leaves` in place of the tensors.");
  m.def("placeholder_order", &placeholder_order, py::arg("function_type"),
        "Positions of the tensors in the order in which their placeholders are made.");
  m.def("call_and_check_unmodified", &check_unmodified, py::arg("function"), py::arg("function_type"),
        py::arg("leaves"), "Calls a Python function with placeholders; ValueError when it modifies its arguments.");
  m.def("flatten_result", &flatten, py::arg("result"), py::arg("function"), py::arg("to_tensor"),
        "(tensors, trace type) of a function's result.");
  m.def("build_value", &build, py::arg("type"), py::arg("leaves"), "A value of a trace type around these tensors.");
  m.def(
      "cast",
      [](const py::object& value, const py::object& type) {
        return stolen(cast(value.ptr(), *trace_type_from_python(type.ptr())));
      },
      py::arg("value"), py::arg("type"), "`value` as a value of the trace type.");
  m.def(
      "structured_input_signature",
      [](const py::object& type) { return stolen(structured_input_signature(*function_type_from_python(type.ptr()))); },
      py::arg("function_type"), "(args, kwargs) of specs and values.");
  m.def("signature_text", &text, py::arg("name"), py::arg("function_type"), py::arg("style") = "leaves",
        py::arg("verbose") = true, "The text of a trace's signature.");
  m.def("with_output", &with_output, py::arg("function_type"), py::arg("output"), "The type with a result type.");
  m.def(
      "register_variable_class", [](const py::type& type) { register_variable_class(type.ptr()); },
      py::arg("variable_class"), "Makes instances of this class variables to trace types.");
  m.def(
      "register_opaque_class", [](const py::type& type) { register_opaque_class(type.ptr()); }, py::arg("type"),
      "Makes instances of this class objects by themselves, though they have `__wrapped__`.");
}

}  // namespace tracefn::bind
