// The Python classes FunctionType, Parameter and FunctionSpec.
#include "bind/spec_function_type.h"

#include <pybind11/pybind11.h>

#include "bind/spec_binder.h"
#include "bind/spec_cast.h"
#include "bind/spec_input_signature.h"
#include "bind/spec_structure.h"
#include "bind/spec_types.h"
#include "spec/signature_text.h"

namespace tracefn::bind {

namespace {

namespace py = pybind11;

struct FunctionTypeView {
  FunctionTypePtr type;
};

struct ParameterView {
  FunctionTypePtr type;
  std::size_t index;

  const Parameter& get() const { return type->parameters()[index]; }
};

py::object stolen(PyRef object) { return py::reinterpret_steal<py::object>(object.release()); }
py::object shown(const TraceTypePtr& type) { return type ? stolen(trace_type_to_python(type)) : py::none(); }

py::object kind_of(const ParameterView& view) {
  return py::module_::import("inspect").attr("Parameter").attr(name(view.get().kind).data());
}

std::string parameter_repr(const ParameterView& view) {
  const Parameter& p = view.get();
  return concat("Parameter(name=", p.name, ", kind=", name(p.kind), ", optional=", p.optional ? "True" : "False",
                ", type_constraint=", p.type ? p.type->text() : "None", ")");
}

py::dict parameters(const FunctionTypeView& view) {
  py::dict result;
  for (std::size_t i = 0; i < view.type->parameters().size(); ++i)
    result[py::str(view.type->parameters()[i].name)] = ParameterView{view.type, i};
  return result;
}

py::dict captures(const FunctionTypeView& view) {
  py::dict result;
  for (const Capture& capture : view.type->captures()) result[py::int_(capture.id)] = shown(capture.type);
  return result;
}

// The specs of all tensors among the types, in the order of inputs or outputs.
py::list flat(const std::vector<TraceTypePtr>& types) {
  std::vector<const TraceType*> leaves;
  for (const TraceTypePtr& type : types)
    if (type) type->append_leaves(leaves);
  py::list result;
  for (const TraceType* leaf : leaves) result.append(shown(TraceTypePtr(leaf)));
  return result;
}

py::list flat_inputs(const FunctionTypeView& view) {
  std::vector<TraceTypePtr> types;
  for (const Parameter& parameter : view.type->parameters()) types.push_back(parameter.type);
  return flat(types);
}

void init_parameter(py::module_& m) {
  py::class_<ParameterView>(m, "Parameter", "One parameter of a FunctionType.")
      .def_property_readonly(
          "name", [](const ParameterView& view) { return view.get().name; }, "Its name.")
      .def_property_readonly("kind", &kind_of, "Its kind, of inspect.Parameter.")
      .def_property_readonly(
          "optional", [](const ParameterView& view) { return view.get().optional; }, "Whether it has a default.")
      .def_property_readonly(
          "type_constraint", [](const ParameterView& view) { return shown(view.get().type); },
          "Its trace type, or None.")
      .def("__str__", [](const ParameterView& view) { return parameter_text(view.get()); })
      .def("__repr__", &parameter_repr);
}

void init_view(py::module_& m) {
  py::class_<FunctionTypeView>(m, "FunctionType", "Parameters, captures and result of a function or of a trace of it.")
      .def_property_readonly("parameters", &parameters, "Dict of name to Parameter, in order.")
      .def_property_readonly("captures", &captures, "Dict of id to trace type.")
      .def_property_readonly(
          "output", [](const FunctionTypeView& view) { return shown(view.type->output()); },
          "Trace type of the result, or None when there is no trace.")
      .def_property_readonly("flat_inputs", &flat_inputs, "Specs of the tensors among the arguments.")
      .def_property_readonly(
          "flat_outputs", [](const FunctionTypeView& view) { return flat({view.type->output()}); },
          "Specs of the tensors in the result.")
      .def("__eq__",
           [](const FunctionTypeView& view, const py::object& other) {
             return py::isinstance<FunctionTypeView>(other) &&
                    view.type->equals(*py::cast<const FunctionTypeView&>(other).type);
           })
      .def("__hash__", [](const FunctionTypeView& view) { return view.type->hash() >> 1; })
      .def("__str__", [](const FunctionTypeView& view) { return view.type->text(); })
      .def("__repr__",
           [](const FunctionTypeView& view) { return signature_text("", *view.type, SignatureStyle::kTypes); });
}

}  // namespace

PyRef function_type_to_python(FunctionTypePtr type) {
  return PyRef::steal(py::cast(FunctionTypeView{std::move(type)}).release().ptr());
}

FunctionTypePtr function_type_from_python(PyObject* object) {
  if (!py::isinstance<FunctionTypeView>(object))
    fail(ErrorKind::kType, "Expected a FunctionType, got ", Py_TYPE(object)->tp_name, ".");
  return py::cast<const FunctionTypeView&>(py::handle(object)).type;
}

void init_function_type(PyObject* module) {
  py::module_ m = py::reinterpret_borrow<py::module_>(module);
  init_parameter(m);
  init_view(m);
}

}  // namespace tracefn::bind
