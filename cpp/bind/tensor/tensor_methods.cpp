// Methods and attributes of all tensors, and of symbolic tensors.
#include "bind/errors.h"
#include "bind/method.h"
#include "bind/missing_member.h"
#include "bind/tensor/dtype_object.h"
#include "bind/tensor/shape_object.h"
#include "bind/tensor/tensor_object.h"
#include "bind/tensor/tensor_slots.h"
#include "bind/tensor/tensor_text.h"

namespace tracefn::bind {
namespace {

// Of every tensor.
PyObject* get_dtype(PyObject* self) { return Py_NewRef(dtype_object(operand_of(self).dtype())); }
PyObject* get_shape(PyObject* self) { return shape_object(operand_of(self).shape()); }
PyObject* get_ndim(PyObject* self) {
  const Shape& shape = operand_of(self).shape();
  return checked(PyLong_FromLong(shape.has_rank() ? shape.rank() : -1));  // as TensorFlow's attribute
}
PyObject* get_rank(PyObject* self) { return operand_of(self).shape().has_rank() ? get_ndim(self) : Py_NewRef(Py_None); }
PyObject* shape_tuple(PyObject* self) {
  const Shape& shape = operand_of(self).shape();
  return shape.has_rank() ? dims_tuple(shape) : Py_NewRef(Py_None);
}
PyObject* shape_as_list(PyObject* self) {
  PyRef tuple = PyRef::steal(shape_tuple(self));
  return tuple.get() == Py_None ? tuple.release() : checked(PySequence_List(tuple.get()));
}
PyObject* get_device(PyObject* self) {
  const Operand& operand = operand_of(self);
  return text(operand.is_eager() ? kDevice : std::string_view(operand.graph->node(operand.value.node).device));
}

void check_mergeable(const Shape& own, const Shape& given) {
  if (!own.has_rank() || !given.has_rank()) return;
  if (own.rank() != given.rank())
    fail(ErrorKind::kValue, "Shapes must be equal rank, but are ", own.rank(), " and ", given.rank());
  for (int i = 0; i < own.rank(); ++i)
    if (own[i] != given[i] && own[i] != kUnknownDim && given[i] != kUnknownDim)
      fail(ErrorKind::kValue, "Dimension ", i, " in both shapes must be equal, but are ", own[i], " and ", given[i],
           ". Shapes are ", own.text(), " and ", given.text(), ".");
}

PyObject* set_shape(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"shape", nullptr};
  PyObject* wanted = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:set_shape", const_cast<char**>(keywords), &wanted)) return nullptr;
  return guarded([&]() -> PyObject* {
    Operand& operand = mutable_operand_of(self);
    Shape shape = parse_shape(wanted);
    if (operand.is_eager()) {
      if (!shape.is_compatible_with(operand.shape()))
        fail(ErrorKind::kValue, "Tensor's shape ", operand.shape().python_text(),
             " is not compatible with supplied shape ", shape.python_text(), ".");
      return Py_NewRef(Py_None);
    }
    check_mergeable(operand.shape(), shape);
    OutputInfo& info = operand.graph->info(operand.value);
    info.shape = merge(info.shape, shape);
    return Py_NewRef(Py_None);
  });
}

PyObject* copy(PyObject* self) { return wrap_apart(operand_of(self)); }
PyObject* nonzero(PyObject* self) { return PyBool_FromLong(checked(PyObject_IsTrue(self))); }

// The identity that a Reference compares: a symbolic tensor may have several Python objects.
PyObject* identity_key(PyObject* self) {
  const Operand& operand = operand_of(self);
  if (operand.is_eager()) return checked(PyLong_FromVoidPtr(self));
  PyRef graph = owned(PyLong_FromVoidPtr(operand.graph.get()));
  return checked(Py_BuildValue("(Oii)", graph.get(), operand.value.node, operand.value.output));
}

PyObject* make_reference(PyObject* self) {
  PyRef module = owned(PyImport_ImportModule("tracefn._reference"));
  PyRef type = owned(PyObject_GetAttrString(module.get(), "Reference"));
  return checked(PyObject_CallOneArg(type.get(), self));
}

PyObject* tf_tensor(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"dtype", "name", nullptr};
  PyObject *dtype = Py_None, *name_object = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:__tf_tensor__", const_cast<char**>(keywords), &dtype,
                                   &name_object))
    return nullptr;
  return guarded([&] {
    DType wanted = parse_optional_dtype(dtype);
    const Operand& operand = operand_of(self);
    if (wanted != DType::kInvalid && wanted != operand.dtype())
      fail(ErrorKind::kValue, "Tensor conversion requested dtype ", name(wanted), " for Tensor with dtype ",
           name(operand.dtype()), ": ", tensor_repr(operand));
    return Py_NewRef(self);
  });
}

PyObject* tracing_type(PyObject* self, PyObject* context) {
  if (!tracing_type_hook) fail(ErrorKind::kNotImplemented, "Tensor.__tf_tracing_type__ is not available.");
  return tracing_type_hook(self, context);
}

PyObject* format(PyObject* self, PyObject* spec) {
  if (is_eager(self)) {
    PyRef module = owned(PyImport_ImportModule("tracefn._tensor_text"));
    return checked(PyObject_CallMethod(module.get(), "eager_format", "OO", self, spec));
  }
  return checked(PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__format__", "OO", self, spec));
}

// Of symbolic tensors.
PyObject* symbolic_name(PyObject* self) {
  const Operand& operand = operand_of(self);
  return text(operand.graph->value_name(operand.value));
}
PyObject* value_index(PyObject* self) { return checked(PyLong_FromLong(operand_of(self).value.output)); }
PyObject* symbolic_attribute(PyObject* self, PyObject* (*hook)(const Operand&), const char* attribute) {
  if (!hook) fail(ErrorKind::kAttribute, "Tensor.", attribute, " is not available.");
  return hook(operand_of(self));
}
PyObject* symbolic_op(PyObject* self) { return symbolic_attribute(self, symbolic_hooks.op, "op"); }
PyObject* symbolic_graph(PyObject* self) { return symbolic_attribute(self, symbolic_hooks.graph, "graph"); }
PyObject* symbolic_consumers(PyObject* self) { return symbolic_attribute(self, symbolic_hooks.consumers, "consumers"); }
PyObject* refuse_array(PyObject* self, PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    fail(ErrorKind::kNotImplemented, "Cannot convert a symbolic tf.Tensor (",
         operand_of(self).graph->value_name(operand_of(self).value),
         ") to a numpy array. This error may indicate that you're trying to pass a Tensor to a NumPy call, which is "
         "not supported.");
  });
}

PyObject* tensor_methods_get_attribute(PyObject* self, PyObject* attribute) {
  // The slot that rejects item assignment creates methods, which must not be visible.
  static PyObject* const set_item = PyUnicode_InternFromString("__setitem__");
  static PyObject* const delete_item = PyUnicode_InternFromString("__delitem__");
  if (attribute == set_item || attribute == delete_item)
    return PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute '%U'", Py_TYPE(self)->tp_name, attribute);
  PyObject* found = PyObject_GenericGetAttr(self, attribute);
  return found ? found : missing_member(self, attribute);
}

PyGetSetDef tensor_getset[] = {
    {"dtype", getter<get_dtype>, nullptr, "The `tf.DType` of the elements.", nullptr},
    {"shape", getter<get_shape>, nullptr, "The `tf.TensorShape`, as far as it is known.", nullptr},
    {"ndim", getter<get_ndim>, nullptr, "The number of dimensions, -1 if unknown.", nullptr},
    {"device", getter<get_device>, nullptr, "The name of the device.", nullptr},
    {"__dict__", tensor_get_dict, tensor_set_dict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef tensor_methods[] = {
    {"get_shape", method<get_shape>, METH_NOARGS, "The same as `shape`."},
    {"set_shape", with_keywords(set_shape), METH_VARARGS | METH_KEYWORDS,
     "Merges a shape into what is known; ValueError when they do not fit. An eager tensor stays as it is."},
    {"ref", method<make_reference>, METH_NOARGS, "A hashable reference to this tensor, for keys; `deref()` gives it."},
    {"__tf_tensor__", with_keywords(tf_tensor), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__tf_tracing_type__", method1<tracing_type>, METH_O, nullptr},
    {"__format__", method1<format>, METH_O, nullptr},
    {"__copy__", method<copy>, METH_NOARGS, nullptr},
    {"__div__", tensor_old_div, METH_O, nullptr},
    {"__rdiv__", tensor_reflected_old_div, METH_O, nullptr},
    {"__nonzero__", method<nonzero>, METH_NOARGS, nullptr},
    {"_key", method<identity_key>, METH_NOARGS, nullptr},
    {"_shape_tuple", method<shape_tuple>, METH_NOARGS, nullptr},
    {"_shape_as_list", method<shape_as_list>, METH_NOARGS, nullptr},
    {"_rank", method<get_rank>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef symbolic_getset[] = {
    {"name", getter<symbolic_name>, nullptr, "The name of the node and the number of its output: 'add:0'.", nullptr},
    {"op", getter<symbolic_op>, nullptr, "The `tf.Operation` that makes it.", nullptr},
    {"graph", getter<symbolic_graph>, nullptr, "The graph it belongs to.", nullptr},
    {"value_index", getter<value_index>, nullptr, "Which output of the operation it is.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef symbolic_methods[] = {
    {"consumers", method<symbolic_consumers>, METH_NOARGS, "The operations that use it."},
    {"__array__", with_keywords(refuse_array), METH_VARARGS | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_method_slots(Slots& tensor, Slots& symbolic) {
  tensor.push_back({Py_tp_getattro, reinterpret_cast<void*>(tensor_methods_get_attribute)});
  tensor.push_back({Py_tp_methods, tensor_methods});
  tensor.push_back({Py_tp_getset, tensor_getset});
  symbolic.push_back({Py_tp_methods, symbolic_methods});
  symbolic.push_back({Py_tp_getset, symbolic_getset});
}

}  // namespace tracefn::bind
