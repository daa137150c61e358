// Walks along a trace type and a Python value, or along a trace type alone.
#include "bind/structure/structure.h"

#include "base/check.h"
#include "bind/structure/containers.h"
#include "bind/structure/contexts.h"
#include "bind/structure/host_value.h"
#include "spec/dict_type.h"
#include "spec/host_type.h"
#include "spec/literal_type.h"
#include "spec/object_type.h"

namespace tracefn::bind {
namespace {

bool is_host_type(const TraceType& type) {
  return type.kind() == TypeKind::kComposite || type.kind() == TypeKind::kUserDefined;
}

void append_host_leaves(PyObject* value, const HostType& type, std::vector<PyRef>& leaves) {
  PyRef tensors = owned(PyObject_CallMethod(object_of(*type.value()).get(), "to_tensors", "(O)", value));
  PyRef list = owned(PySequence_List(tensors.get()));
  auto count = static_cast<std::size_t>(PyList_GET_SIZE(list.get()));
  if (count != type.num_leaves())
    fail(ErrorKind::kValue, "to_tensors() of ", type.text(), " gave ", count, " tensors where flatten() lists ",
         type.num_leaves(), ".");
  for (std::size_t i = 0; i < count; ++i)
    leaves.push_back(PyRef::borrow(PyList_GET_ITEM(list.get(), static_cast<Py_ssize_t>(i))));
}

// The value wrapped by a proxy or decorator, if the value itself is not a container like `type`.
PyRef unwrapped(PyObject* value, const TraceType& type) {
  if (container_kind(value) == type.kind() || type.kind() == TypeKind::kDataclass) return PyRef::borrow(value);
  PyRef wrapped = PyRef::steal(PyObject_GetAttrString(value, "__wrapped__"));
  if (wrapped) return wrapped;
  drop_ordinary_error();
  return PyRef::borrow(value);
}

PyRef build_literal(const LiteralType& type) {
  PyRef value = object_of(*type.value());
  return PyRange_Check(value.get()) ? owned(PySequence_List(value.get())) : std::move(value);
}

PyRef build_object(const ObjectType& type) {
  PyRef object = object_of(*type.object());
  if (!object) {
    PyErr_Format(PyExc_ReferenceError, "The object behind %s, an argument of a tf.function, has been deleted.",
                 type.text().c_str());
    throw_python_error();
  }
  return object;
}

// TypeSpecs are rebuilt from their tensors; users' types create their own placeholder.
PyRef build_host_value(const HostType& type, const std::vector<PyRef>& leaves, std::size_t& next) {
  PyRef host = object_of(*type.value());
  if (type.kind() == TypeKind::kUserDefined) return placeholder_value(host.get(), leaves, next);
  PyRef tensors = owned(PyList_New(0));
  for (std::size_t i = 0; i < type.num_leaves(); ++i) checked(PyList_Append(tensors.get(), leaves[next++].get()));
  PyRef iterator = owned(PyObject_GetIter(tensors.get()));
  return owned(PyObject_CallMethod(host.get(), "from_tensors", "(O)", iterator.get()));
}

PyRef build_container(const TraceType& type, const std::vector<PyRef>& leaves, std::size_t& next) {
  std::vector<PyRef> values(type.children().size());
  if (type.kind() == TypeKind::kDict) {
    for (std::size_t i : static_cast<const DictType&>(type).sorted())
      values[i] = build_value(*type.children()[i], leaves, next);
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = build_value(*type.children()[i], leaves, next);
  }
  return rebuild_container(type, std::move(values));
}

}  // namespace

void append_leaves(PyObject* value, const TraceType& type, std::vector<PyRef>& leaves) {
  if (type.num_leaves() == 0) return;
  if (type.kind() == TypeKind::kTensor || type.kind() == TypeKind::kVariable) {
    leaves.push_back(PyRef::borrow(value));
    return;
  }
  if (is_host_type(type)) return append_host_leaves(value, static_cast<const HostType&>(type), leaves);
  PyRef container = unwrapped(value, type);
  std::vector<PyRef> values = values_like(container.get(), type);
  TRACEFN_CHECK(values.size() == type.children().size());
  if (type.kind() == TypeKind::kDict) {
    for (std::size_t i : static_cast<const DictType&>(type).sorted())
      append_leaves(values[i].get(), *type.children()[i], leaves);
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) append_leaves(values[i].get(), *type.children()[i], leaves);
  }
}

PyRef build_value(const TraceType& type, const std::vector<PyRef>& leaves, std::size_t& next) {
  switch (type.kind()) {
    case TypeKind::kTensor:
    case TypeKind::kVariable:
      TRACEFN_CHECK(next < leaves.size());
      return PyRef::borrow(leaves[next++].get());
    case TypeKind::kLiteral:
      return build_literal(static_cast<const LiteralType&>(type));
    case TypeKind::kObject:
      return build_object(static_cast<const ObjectType&>(type));
    case TypeKind::kComposite:
    case TypeKind::kUserDefined:
      return build_host_value(static_cast<const HostType&>(type), leaves, next);
    default:
      return build_container(type, leaves, next);
  }
}

PythonCall build_call(const CallKey& key, const std::vector<PyRef>& leaves) {
  std::vector<PyRef> values;
  std::size_t next = 0;
  for (const TraceTypePtr& type : key.types()) values.push_back(build_value(*type, leaves, next));
  return arrange_call(*key.parameters(), std::move(values));
}

PythonCall arrange_call(const ParameterList& parameters, std::vector<PyRef> values) {
  std::size_t positional = 0;
  while (positional < values.size() && parameters[positional].kind != ParameterKind::kKeywordOnly) ++positional;
  PythonCall call{owned(PyTuple_New(static_cast<Py_ssize_t>(positional))), PyRef()};
  for (std::size_t i = 0; i < positional; ++i)
    PyTuple_SET_ITEM(call.args.get(), static_cast<Py_ssize_t>(i), values[i].release());
  for (std::size_t i = positional; i < values.size(); ++i) {
    if (!call.kwargs) call.kwargs = owned(PyDict_New());
    checked(PyDict_SetItemString(call.kwargs.get(), parameters[i].name.c_str(), values[i].get()));
  }
  return call;
}

}  // namespace tracefn::bind
