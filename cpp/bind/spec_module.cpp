// FunctionSpec, the Python view of binding and keys, and the registration of everything in cpp/bind/spec_*.
#include "bind/spec_module.h"

#include "bind/class_table.h"
#include "bind/py_list.h"
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

// How the arguments of calls of one function become keys.
struct FunctionSpec {
  CallBinder binder;
  FunctionTypePtr type;
  bool has_signature;
};

FunctionSpec make_spec(PyObject* function, PyObject* input_signature, std::optional<bool> is_method) {
  CallBinder binder = CallBinder::of_callable(function, is_method.value_or(false));
  if (input_signature == Py_None) {
    FunctionTypePtr type = binder.function_type();
    return {std::move(binder), std::move(type), false};
  }
  SignedFunction signature = apply_input_signature(binder, input_signature);
  return {std::move(signature.binder), std::move(signature.type), true};
}

struct Bound {
  CallKey key;
  std::vector<PyRef> values;
};

Bound bind_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  const auto& spec = unboxed<FunctionSpec>(self);
  PackedArguments packed(args, kwargs);
  if (spec.has_signature) return {key_of(*spec.type), bind_and_cast(spec.binder, *spec.type, packed.view()).values};
  BoundArguments bound = spec.binder.bind(packed.view(), *spec.type);
  TracingContext context;
  Bound result{key_of(bound, context), {}};
  for (PyObject* value : bound.values) result.values.push_back(PyRef::borrow(value));
  return result;
}

// The type of the trace that such a call would make.
PyObject* call_type(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    Bound bound = bind_call(self, args, kwargs);
    auto type = make_ref<FunctionType>(bound.key, std::vector<Capture>(), TraceTypePtr());
    return function_type_to_python(std::move(type)).release();
  });
}

// The tensors of a call, in the order of the graph's inputs.
PyObject* call_tensors(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    Bound bound = bind_call(self, args, kwargs);
    std::vector<PyRef> leaves;
    for (std::size_t i = 0; i < bound.values.size(); ++i)
      append_leaves(bound.values[i].get(), *bound.key.types()[i], leaves);
    return list_of(leaves, [](const PyRef& leaf) { return Py_NewRef(leaf.get()); }).release();
  });
}

PyRef function_type(const FunctionSpec& spec) { return function_type_to_python(spec.type); }

PyRef python_trace_type_of(PyObject* value) {
  TracingContext context;
  return trace_type_to_python(trace_type_of(value, context));
}

CallKey key_of_python(PyObject* function_type) { return key_of(*function_type_from_python(function_type)); }

std::vector<PyRef> objects_in(PyObject* values) {
  std::vector<PyRef> objects;
  for_each(values, [&](PyObject* value) { objects.push_back(PyRef::borrow(value)); });
  return objects;
}

PyObject* placeholder_call(PyObject* function_type, PyObject* leaves) {
  PythonCall call = build_call(key_of_python(function_type), objects_in(leaves));
  PyRef kwargs = call.kwargs ? std::move(call.kwargs) : owned(PyDict_New());
  return PyTuple_Pack(2, call.args.get(), kwargs.get());
}

PyRef placeholder_order(PyObject* function_type) {
  CallKey key = key_of_python(function_type);
  std::vector<std::size_t> order;
  std::size_t first = 0;
  for (const TraceTypePtr& type : key.types()) {
    append_placeholder_order(*type, first, order);
    first += type->num_leaves();
  }
  return list_of(order, PyLong_FromSize_t);
}

void check_unmodified(PyObject* function, PyObject* function_type, PyObject* leaves) {
  CallKey key = key_of_python(function_type);
  PythonCall call = build_call(key, objects_in(leaves));
  ArgumentSnapshot snapshot(call, key);
  PyRef result = owned(PyObject_Call(function, call.args.get(), call.kwargs.get()));
  snapshot.check(call, function);
}

PyObject* python_flatten_result(PyObject* result, PyObject* function, PyObject* to_tensor) {
  FlatResult flat = flatten_result(result, function, [&](PyObject* leaf) {
    PyRef tensor = owned(PyObject_CallOneArg(to_tensor, leaf));
    return tensor.get() == Py_None ? PyRef() : tensor;
  });
  PyRef tensors = list_of(flat.tensors, [](const PyRef& tensor) { return Py_NewRef(tensor.get()); });
  PyRef type = trace_type_to_python(flat.type);
  return PyTuple_Pack(2, tensors.get(), type.get());
}

PyRef python_build_value(PyObject* type, PyObject* leaves) {
  std::size_t next = 0;
  return build_value(*trace_type_from_python(type), objects_in(leaves), next);
}

PyRef python_cast(PyObject* value, PyObject* type) { return cast(value, *trace_type_from_python(type)); }

PyRef python_structured_input_signature(PyObject* function_type) {
  return structured_input_signature(*function_type_from_python(function_type));
}

std::string python_signature_text(const std::string& name, PyObject* function_type, std::optional<std::string> style,
                                  std::optional<bool> verbose) {
  std::string chosen = style.value_or("leaves");
  if (chosen != "leaves" && chosen != "types")
    fail(ErrorKind::kValue, "style must be 'leaves' or 'types', got '", chosen, "'.");
  return signature_text(name, *function_type_from_python(function_type),
                        chosen == "leaves" ? SignatureStyle::kLeaves : SignatureStyle::kTypes, verbose.value_or(true));
}

PyRef with_output(PyObject* function_type, PyObject* output) {
  const FunctionTypePtr type = function_type_from_python(function_type);
  return function_type_to_python(
      make_ref<FunctionType>(type->parameters(), type->captures(), trace_type_from_python(output)));
}

void check_is_class(PyObject* type) {
  if (!PyType_Check(type)) fail(ErrorKind::kType, "Expected a class, got ", Py_TYPE(type)->tp_name, ".");
}
void python_register_variable_class(PyObject* type) {
  check_is_class(type);
  register_variable_class(type);
}
void python_register_opaque_class(PyObject* type) {
  check_is_class(type);
  register_opaque_class(type);
}

void init_function_spec(PyObject* module) {
  static PyMethodDef methods[] = {
      {"call_type", with_keywords(call_type), METH_VARARGS | METH_KEYWORDS,
       "The FunctionType of the trace for a call with these arguments."},
      {"call_tensors", with_keywords(call_tensors), METH_VARARGS | METH_KEYWORDS,
       "The tensors of such a call, in the order of the graph's inputs."},
      {}};
  static PyGetSetDef attributes[] = {attribute<function_type>("function_type"), {}};
  constexpr const char* kParameters = "function, input_signature=None, is_method=False";
  add_class<FunctionSpec>(
      module, "tracefn._core.FunctionSpec",
      signature_and_doc("FunctionSpec", kParameters,
                        "How the arguments of calls of a Python function become keys of traces."),
      {{Py_tp_methods, methods}, {Py_tp_getset, attributes}, constructor<make_spec>("FunctionSpec", kParameters)});
}

}  // namespace

void init_spec(PyObject* module) {
  init_types(module);
  init_contexts(module);
  init_function_type(module);
  init_function_spec(module);
  static PyMethodDef functions[] = {
      function<python_trace_type_of>("trace_type_of", "value", "The trace type of an argument."),
      function<placeholder_call>("placeholder_call", "function_type, leaves",
                                 "(args, kwargs) for a call of the Python function, with `leaves` in place of the "
                                 "tensors."),
      function<placeholder_order>("placeholder_order", "function_type",
                                  "Positions of the tensors in the order in which their placeholders are made."),
      function<check_unmodified>("call_and_check_unmodified", "function, function_type, leaves",
                                 "Calls a Python function with placeholders; ValueError when it modifies its "
                                 "arguments."),
      function<python_flatten_result>("flatten_result", "result, function, to_tensor",
                                      "(tensors, trace type) of a function's result."),
      function<python_build_value>("build_value", "type, leaves", "A value of a trace type around these tensors."),
      function<python_cast>("cast", "value, type", "`value` as a value of the trace type."),
      function<python_structured_input_signature>("structured_input_signature", "function_type",
                                                  "(args, kwargs) of specs and values."),
      function<python_signature_text>("signature_text", "name, function_type, style='leaves', verbose=True",
                                      "The text of a trace's signature."),
      function<with_output>("with_output", "function_type, output", "The type with a result type."),
      function<python_register_variable_class>("register_variable_class", "variable_class",
                                               "Makes instances of this class variables to trace types."),
      function<python_register_opaque_class>("register_opaque_class", "type",
                                             "Makes instances of this class objects by themselves, though they have "
                                             "`__wrapped__`."),
      {}};
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace tracefn::bind
