// Python's view of structures, signatures and types, and the registration of everything in this folder.
#include "bind/structure/register.h"

#include "bind/class_table.h"
#include "bind/py_list.h"
#include "bind/structure/classes.h"
#include "bind/structure/contexts.h"
#include "bind/structure/function_type.h"
#include "bind/structure/results.h"
#include "bind/structure/structure.h"
#include "bind/structure/types.h"
#include "spec/signature_text.h"

namespace tracefn::bind {
namespace {

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
  return build_value(*trace_type_from_python(type), refs_in(leaves), next);
}

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
void python_register_resource_class(PyObject* type, PyObject* attribute) {
  check_is_class(type);
  register_resource_class(type, attribute);
}

}  // namespace

void init_spec(PyObject* module) {
  init_types(module);
  init_contexts(module);
  init_function_type(module);
  static PyMethodDef functions[] = {
      function<python_flatten_result>("flatten_result", "result, function, to_tensor",
                                      "(tensors, trace type) of a function's result."),
      function<python_build_value>("build_value", "type, leaves", "A value of a trace type around these tensors."),
      function<python_structured_input_signature>("structured_input_signature", "function_type",
                                                  "(args, kwargs) of specs and values."),
      function<python_signature_text>("signature_text", "name, function_type, style='leaves', verbose=True",
                                      "The text of a trace's signature."),
      function<python_register_variable_class>("register_variable_class", "variable_class",
                                               "Makes instances of this class variables to trace types."),
      function<python_register_opaque_class>("register_opaque_class", "type",
                                             "Makes instances of this class objects by themselves, though they have "
                                             "`__wrapped__`."),
      function<python_register_resource_class>("register_resource_class", "type, attribute",
                                               "Makes instances of exactly this class stand for the resource that the "
                                               "attribute holds as long as they live."),
      {}};
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace tracefn::bind
