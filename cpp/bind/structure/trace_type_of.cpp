// One function per kind of argument; the most common kinds come first.
#include "bind/structure/trace_type_of.h"

#include <string>
#include <vector>

#include "bind/convert/from_python.h"
#include "bind/convert/numpy_types.h"
#include "bind/errors.h"
#include "bind/structure/classes.h"
#include "bind/structure/containers.h"
#include "bind/structure/contexts.h"
#include "bind/structure/host_value.h"
#include "bind/structure/types.h"
#include "bind/tensor/dtype_object.h"
#include "bind/tensor/shape_object.h"
#include "bind/tensor/tensor_object.h"
#include "spec/literal_type.h"
#include "spec/object_type.h"
#include "spec/tensor_type.h"
#include "spec/variable_type.h"

namespace tracefn::bind {
namespace {

bool is_plain_literal(PyObject* value) {
  PyTypeObject* type = Py_TYPE(value);
  return value == Py_None || type == &PyLong_Type || type == &PyUnicode_Type || type == &PyFloat_Type ||
         type == &PyBool_Type || type == &PyBytes_Type || type == &PyComplex_Type;
}

// By the resource itself, for several Python objects may refer to one variable.
std::uintptr_t identity_of(PyObject* handle) {
  if (!is_tensor(handle)) return reinterpret_cast<std::uintptr_t>(handle);
  const Operand& operand = operand_of(handle);
  if (operand.is_eager()) return reinterpret_cast<std::uintptr_t>(operand.tensor.object().get());
  return reinterpret_cast<std::uintptr_t>(&operand.graph->info(operand.value));
}

TraceTypePtr variable_type(PyObject* variable, TracingContext& context) {
  PyRef trainable = get_attribute(variable, "trainable"), handle = get_attribute(variable, "handle");
  DType dtype = parse_dtype(get_attribute(variable, "dtype").get());
  Shape shape = parse_shape(get_attribute(variable, "shape").get());
  return make_ref<VariableType>(dtype, std::move(shape), PyObject_IsTrue(trainable.get()) == 1,
                                context.alias_of(identity_of(handle.get())));
}

TraceTypePtr numpy_type(PyObject* array) {
  PyRef numpy_dtype = get_attribute(array, "dtype"), shape = get_attribute(array, "shape");
  DType dtype = dtype_of_numpy(numpy_dtype.get());
  if (dtype == DType::kInvalid) dtype = parse_dtype(numpy_dtype.get());  // throws tf.as_dtype's error
  return make_ref<TensorType>(dtype, parse_shape(shape.get()));
}

// Anything with `__array__` except numpy's strings and classes.
bool is_array_like(PyObject* value) {
  static PyObject* name = PyUnicode_InternFromString("__array__");
  return class_attribute(value, name) && !PyType_Check(value) && !is_numpy_text(value);
}

TraceTypePtr structure_type(PyObject* value, TypeKind kind, TracingContext& context) {
  RecursionGuard guard(" while reading an argument of a tf.function");
  Container container = open_container(value, kind);
  std::vector<TraceTypePtr> types;
  types.reserve(container.values.size());
  for (const PyRef& item : container.values) types.push_back(trace_type_of(item.get(), context));
  return container_type(value, container, std::move(types));
}

TraceTypePtr protocol_type(PyObject* value, PyObject* method_name, TracingContext& context) {
  PyRef type = call_with_context(value, method_name, context);
  if (!is_trace_type(type.get())) {
    fail(ErrorKind::kType, "Expected an instance of TraceType for Tracing Protocol call to ", str_of(value),
         " but got ", str_of(type.get()));
  }
  return trace_type_from_python(type.get());
}

// `cause` is the error of the value's hash.
[[noreturn]] void no_trace_type(PyObject* value, const Error& cause) {
  Error error(ErrorKind::kType, concat("Could not generate a generic TraceType for ", repr_of(value),
                                       ".Please verify that it is immutable/hashable. Otherwise, consider implementing "
                                       "the Tracing Protocol for it."));
  error.set_cause(cause.cause());
  throw error;
}

bool is_type_error(const Error& error) {
  auto* cause = static_cast<PyObject*>(error.cause().get());
  return cause && PyErr_GivenExceptionMatches(cause, PyExc_TypeError);
}

// Held weakly if its class allows that. Unhashable dataclasses are structures (Y5).
TraceTypePtr object_type(PyObject* value, TracingContext& context) {
  if (PyWeakref_Check(value)) {
    PyRef text = owned(PyUnicode_FromFormat("weakref input %R not supported for tf.function.", value));
    PyErr_SetObject(PyExc_TypeError, text.get());
    throw_python_error();
  }
  try {
    if (HostValuePtr object = hold_weakly(value)) return make_ref<ObjectType>(std::move(object));
    return make_ref<LiteralType>(hold_strongly(value));
  } catch (const Error& error) {
    if (!is_type_error(error)) throw;
    if (is_plain_dataclass(value)) return structure_type(value, TypeKind::kDataclass, context);
    no_trace_type(value, error);
  }
}

// The object wrapped by a decorator or a proxy; empty if there is none.
PyRef wrapped_by(PyObject* value) {
  static PyObject* name = PyUnicode_InternFromString("__wrapped__");
  if (PyType_Check(value) || is_opaque(value)) return {};
  PyRef wrapped = PyRef::steal(PyObject_GetAttr(value, name));
  if (!wrapped) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw_python_error();
    PyErr_Clear();
  }
  return wrapped;
}

TraceTypePtr other_type(PyObject* value, TracingContext& context) {
  static PyObject* protocol = PyUnicode_InternFromString("__tf_tracing_type__");
  if (class_attribute(value, protocol) && !PyType_Check(value)) return protocol_type(value, protocol, context);
  if (is_instance(value, spec_classes().type_spec)) return trace_type_from_python(value);
  if (is_instance(value, spec_classes().composite))
    return trace_type_from_python(get_attribute(value, "_type_spec").get());
  if (PyRef wrapped = wrapped_by(value)) {
    RecursionGuard guard(" while reading an argument of a tf.function");
    return trace_type_of(wrapped.get(), context);
  }
  TypeKind kind = container_kind(value);
  if (kind == TypeKind::kAttrs) return structure_type(value, kind, context);
  if (kind == TypeKind::kLiteral && is_array_like(value)) {
    PyRef array = owned(PyObject_CallMethod(value, "__array__", nullptr));
    return numpy_type(array.get());
  }
  return kind == TypeKind::kLiteral ? object_type(value, context) : structure_type(value, kind, context);
}

}  // namespace

std::int64_t TracingContext::alias_of(std::uintptr_t identity) {
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (seen_[i] == identity) return static_cast<std::int64_t>(i);
  seen_.push_back(identity);
  return static_cast<std::int64_t>(seen_.size()) - 1;
}

TraceTypePtr trace_type_of(PyObject* value, TracingContext& context) {
  if (is_tensor(value)) {
    const Operand& operand = operand_of(value);
    return make_ref<TensorType>(operand.dtype(), operand.shape());
  }
  if (is_plain_literal(value)) return make_ref<LiteralType>(hold_strongly(value));
  if (is_variable(value)) return variable_type(value, context);
  if (PyList_CheckExact(value)) return structure_type(value, TypeKind::kList, context);
  if (PyTuple_CheckExact(value)) return structure_type(value, TypeKind::kTuple, context);
  if (PyDict_CheckExact(value)) return structure_type(value, TypeKind::kDict, context);
  if (is_exact_numpy_array(value)) return numpy_type(value);
  return other_type(value, context);
}

}  // namespace tracefn::bind
