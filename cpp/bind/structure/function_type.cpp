// The Python classes FunctionType, Parameter and FunctionSpec.
#include "bind/structure/function_type.h"

#include "bind/class_table.h"
#include "bind/py_list.h"
#include "bind/structure/binder.h"
#include "bind/structure/cast.h"
#include "bind/structure/input_signature.h"
#include "bind/structure/structure.h"
#include "bind/structure/types.h"
#include "spec/signature_text.h"

namespace tracefn::bind {
namespace {

struct FunctionTypeView {
  FunctionTypePtr type;
};

struct ParameterView {
  FunctionTypePtr type;
  std::size_t index;

  const Parameter& get() const { return type->parameters()[index]; }
};

PyRef shown_type(const TraceTypePtr& type) { return type ? trace_type_to_python(type) : PyRef::borrow(Py_None); }

const std::string& name_of(const ParameterView& view) { return view.get().name; }
bool is_optional(const ParameterView& view) { return view.get().optional; }
PyRef type_constraint(const ParameterView& view) { return shown_type(view.get().type); }
std::string parameter_str(const ParameterView& view) { return parameter_text(view.get()); }

PyObject* parameter_kind(const ParameterView& view) {
  PyRef inspect = owned(PyImport_ImportModule("inspect"));
  PyRef parameter = owned(PyObject_GetAttrString(inspect.get(), "Parameter"));
  return PyObject_GetAttrString(parameter.get(), name(view.get().kind).data());
}

std::string parameter_repr(const ParameterView& view) {
  const Parameter& p = view.get();
  return concat("Parameter(name=", p.name, ", kind=", name(p.kind), ", optional=", p.optional ? "True" : "False",
                ", type_constraint=", p.type ? p.type->text() : "None", ")");
}

PyRef parameters(const FunctionTypeView& view) {
  PyRef result = owned(PyDict_New());
  for (std::size_t i = 0; i < view.type->parameters().size(); ++i)
    set_item(result, view.type->parameters()[i].name.c_str(), box(ParameterView{view.type, i}).release());
  return result;
}

PyRef captures(const FunctionTypeView& view) {
  PyRef result = owned(PyDict_New());
  for (const Capture& capture : view.type->captures()) {
    PyRef id = owned(PyLong_FromLongLong(static_cast<long long>(capture.id))), type = shown_type(capture.type);
    checked(PyDict_SetItem(result.get(), id.get(), type.get()));
  }
  return result;
}

// The specs of all tensors among the types, in the order of inputs or outputs.
PyRef flat(const std::vector<TraceTypePtr>& types) {
  std::vector<const TraceType*> leaves;
  for (const TraceTypePtr& type : types)
    if (type) type->append_leaves(leaves);
  return list_of(leaves, [](const TraceType* leaf) { return shown_type(TraceTypePtr(leaf)).release(); });
}

PyRef flat_inputs(const FunctionTypeView& view) {
  std::vector<TraceTypePtr> types;
  for (const Parameter& parameter : view.type->parameters()) types.push_back(parameter.type);
  return flat(types);
}

PyRef flat_outputs(const FunctionTypeView& view) { return flat({view.type->output()}); }
PyRef output(const FunctionTypeView& view) { return shown_type(view.type->output()); }
bool function_type_equal(const FunctionTypeView& view, PyObject* other) {
  return is_boxed<FunctionTypeView>(other) && view.type->equals(*unboxed<FunctionTypeView>(other).type);
}
std::size_t function_type_hash(const FunctionTypeView& view) { return view.type->hash(); }
std::string type_str(const FunctionTypeView& view) { return view.type->text(); }
std::string type_repr(const FunctionTypeView& view) { return signature_text("", *view.type, SignatureStyle::kTypes); }

void init_parameter(PyObject* module) {
  static PyGetSetDef attributes[] = {attribute<name_of>("name", "Its name."),
                                     attribute<parameter_kind>("kind", "Its kind, of inspect.Parameter."),
                                     attribute<is_optional>("optional", "Whether it has a default."),
                                     attribute<type_constraint>("type_constraint", "Its trace type, or None."),
                                     {}};
  add_class<ParameterView>(
      module, "tracefn._core.Parameter", "One parameter of a FunctionType.",
      {{Py_tp_getset, attributes}, text_slot<parameter_str>(Py_tp_str), text_slot<parameter_repr>(Py_tp_repr)});
}

void init_view(PyObject* module) {
  static PyGetSetDef attributes[] = {
      attribute<parameters>("parameters", "Dict of name to Parameter, in order."),
      attribute<captures>("captures", "Dict of id to trace type."),
      attribute<output>("output", "Trace type of the result, or None when there is no trace."),
      attribute<flat_inputs>("flat_inputs", "Specs of the tensors among the arguments."),
      attribute<flat_outputs>("flat_outputs", "Specs of the tensors in the result."),
      {}};
  add_class<FunctionTypeView>(module, "tracefn._core.FunctionType",
                              "Parameters, captures and result of a function or of a trace of it.",
                              {{Py_tp_getset, attributes},
                               equality_slot<function_type_equal>(),
                               hash_slot<function_type_hash>(),
                               text_slot<type_str>(Py_tp_str),
                               text_slot<type_repr>(Py_tp_repr)});
}

}  // namespace

PyRef function_type_to_python(FunctionTypePtr type) { return box(FunctionTypeView{std::move(type)}); }

FunctionTypePtr function_type_from_python(PyObject* object) {
  if (!is_boxed<FunctionTypeView>(object))
    fail(ErrorKind::kType, "Expected a FunctionType, got ", Py_TYPE(object)->tp_name, ".");
  return unboxed<FunctionTypeView>(object).type;
}

void init_function_type(PyObject* module) {
  init_parameter(module);
  init_view(module);
}

}  // namespace tracefn::bind
