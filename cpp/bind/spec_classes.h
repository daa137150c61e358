// The Python classes that decide what kind of argument a value is. All functions need the GIL and throw.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// References of the process; imported on first use, when the package is there.
struct SpecClasses {
  PyObject* tensor_spec;    // tracefn.tensor_spec.TensorSpec
  PyObject* variable_spec;  // tracefn.tensor_spec.VariableSpec
  PyObject* type_spec;      // tracefn.type_spec.TypeSpec
  PyObject* trace_type;     // tracefn.trace_type.TraceType
  PyObject* dtype;          // tracefn.dtypes.DType
  PyObject* composite;      // tracefn.composite.CompositeTensor
  PyObject* mapping;        // collections.abc.Mapping
  PyObject* default_dict;   // collections.defaultdict
  PyObject* counter;        // collections.Counter
};
const SpecClasses& spec_classes();

// The class of tf.Variable, null until it is registered.
PyObject* variable_class();
void register_variable_class(PyObject* type);
// Classes whose instances are objects by themselves though they have `__wrapped__` (Function).
void register_opaque_class(PyObject* type);
bool is_opaque(PyObject* value);

// isinstance; throws what it throws.
bool is_instance(PyObject* value, PyObject* type);
inline bool is_variable(PyObject* value) {
  return variable_class() && PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(variable_class()));
}
// Of a value's class, without looking at the instance. Null (without an exception) where there is none; borrowed.
PyObject* class_attribute(PyObject* value, PyObject* name);

}  // namespace tracefn::bind
