// The Python classes that determine the kind of an argument. All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include "bind/py_ref.h"

namespace tracefn::bind {

// References that live as long as the process; imported on first use, if the package is available.
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
// Classes whose instances are opaque objects although they have `__wrapped__` (Function).
void register_opaque_class(PyObject* type);
bool is_opaque(PyObject* value);
// Classes whose instances are one resource for as long as they live (tf.data.Iterator); `attribute` names the one that
// holds its tensor.
void register_resource_class(PyObject* type, PyObject* attribute);
// The tensor of such an instance; null (without an exception) for other values.
PyRef resource_of(PyObject* value);
bool is_resource_owner(PyObject* value);

// isinstance; propagates its exceptions.
bool is_instance(PyObject* value, PyObject* type);
inline bool is_variable(PyObject* value) {
  return variable_class() && PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(variable_class()));
}
// An attribute of a value's class, ignoring the instance. Null (without an exception) if there is none; borrowed.
PyObject* class_attribute(PyObject* value, PyObject* name);

}  // namespace tracefn::bind
