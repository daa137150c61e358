// Imports and registers the classes that determine the kinds of arguments.
#include "bind/structure/classes.h"

#include <vector>

#include "bind/errors.h"

namespace tracefn::bind {
namespace {

PyObject* registered_variable_class = nullptr;
std::vector<PyObject*> opaque_classes;

struct ResourceClass {
  PyTypeObject* type;
  PyObject* attribute;
};
std::vector<ResourceClass> resource_classes;

const ResourceClass* resource_class_of(PyObject* value) {
  for (const ResourceClass& known : resource_classes)
    if (Py_TYPE(value) == known.type) return &known;
  return nullptr;
}

PyObject* import(const char* module_name, const char* name) {
  PyRef module = owned(PyImport_ImportModule(module_name));
  return checked(PyObject_GetAttrString(module.get(), name));
}

SpecClasses import_all() {
  return {.tensor_spec = import("tracefn.tensor_spec", "TensorSpec"),
          .variable_spec = import("tracefn.tensor_spec", "VariableSpec"),
          .type_spec = import("tracefn.type_spec", "TypeSpec"),
          .trace_type = import("tracefn.trace_type", "TraceType"),
          .dtype = import("tracefn.dtypes", "DType"),
          .composite = import("tracefn.composite", "CompositeTensor"),
          .mapping = import("collections.abc", "Mapping"),
          .default_dict = import("collections", "defaultdict"),
          .counter = import("collections", "Counter")};
}

}  // namespace

const SpecClasses& spec_classes() {
  // Not a guarded static: importing may release the GIL, and another thread may get here meanwhile.
  static const SpecClasses* classes = nullptr;
  if (!classes) {
    auto* imported = new SpecClasses(import_all());
    if (classes)
      delete imported;
    else
      classes = imported;
  }
  return *classes;
}

PyObject* variable_class() { return registered_variable_class; }

void register_variable_class(PyObject* type) {
  Py_INCREF(type);
  Py_XDECREF(std::exchange(registered_variable_class, type));
}

void register_opaque_class(PyObject* type) {
  Py_INCREF(type);
  opaque_classes.push_back(type);
}

bool is_opaque(PyObject* value) {
  for (PyObject* type : opaque_classes)
    if (PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(type))) return true;
  return false;
}

void register_resource_class(PyObject* type, PyObject* attribute) {
  Py_INCREF(type);
  resource_classes.push_back({reinterpret_cast<PyTypeObject*>(type), Py_NewRef(attribute)});
}

PyRef resource_of(PyObject* value) {
  const ResourceClass* known = resource_class_of(value);
  return known ? PyRef::steal(checked(PyObject_GetAttr(value, known->attribute))) : PyRef();
}

bool is_resource_owner(PyObject* value) { return resource_class_of(value) != nullptr; }

bool is_instance(PyObject* value, PyObject* type) { return checked(PyObject_IsInstance(value, type)) != 0; }

PyObject* class_attribute(PyObject* value, PyObject* name) { return _PyType_Lookup(Py_TYPE(value), name); }

}  // namespace tracefn::bind
