// One function per kind of trace type.
#include "bind/structure/cast.h"

#include "bind/convert/convert.h"
#include "bind/convert/from_python.h"
#include "bind/structure/classes.h"
#include "bind/structure/containers.h"
#include "bind/structure/contexts.h"
#include "bind/structure/host_value.h"
#include "bind/structure/types.h"
#include "bind/tensor/tensor_object.h"
#include "ops/emit.h"
#include "spec/dict_type.h"
#include "spec/host_type.h"
#include "spec/literal_type.h"
#include "spec/object_type.h"
#include "spec/record_type.h"
#include "spec/tensor_type.h"
#include "trace/func_graph.h"

namespace tracefn::bind {
namespace {

[[noreturn]] void cannot_cast(const std::string& value, const std::string& type) {
  fail(ErrorKind::kType, "Can not cast ", value, " to ", type);
}

PyObject* class_of(PyObject* value) { return reinterpret_cast<PyObject*>(Py_TYPE(value)); }

PyRef convert(PyObject* value, DType dtype) { return PyRef::steal(wrap(to_operand(value, dtype))); }

// A symbolic tensor gets the signature's shape. One from an outer graph gets it in a node of its own: if a branch is
// not taken, it may have another.
PyRef with_shape(PyRef tensor, const Shape& shape) {
  const Operand& operand = operand_of(tensor.get());
  FuncGraph* current = current_func_graph();
  if (current && operand.graph.get() != current->graph())
    return PyRef::steal(wrap(emit1("EnsureShape", {operand}, {{"shape", shape}})));
  operand.graph->info(operand.value).shape = shape;
  return tensor;
}

PyRef cast_to_tensor(PyObject* value, const TensorType& type) {
  if (class_of(value) == spec_classes().tensor_spec) {
    TraceTypePtr given = trace_type_from_python(value);
    if (!given->is_subtype_of(type)) cannot_cast(shortened(given->text()), shortened(type.text()));
    return PyRef::borrow(value);
  }
  PyRef tensor = is_tensor(value) ? PyRef::borrow(value) : convert(value, type.dtype());
  const Operand& operand = operand_of(tensor.get());
  bool fits = operand.dtype() == type.dtype();
  if (fits && type.shape().is_supertype_of(operand.shape())) return tensor;
  if (fits && !operand.is_eager() && operand.shape().is_supertype_of(type.shape()))
    return with_shape(std::move(tensor), type.shape());
  cannot_cast(TensorType(operand.dtype(), operand.shape(), type.name()).text(), type.text());
}

// A tensor never equals a literal, for its value may differ in the next call.
PyRef cast_to_literal(PyObject* value, const LiteralType& type) {
  PyRef literal = object_of(*type.value());
  bool equal = value == literal.get();
  if (!equal && !is_tensor(value) && !is_variable(value)) {
    int answer = PyObject_RichCompareBool(literal.get(), value, Py_EQ);
    if (answer < 0) throw_python_error();
    // NaN equals NaN only within hold_strongly.
    equal = answer == 1 || (PyFloat_Check(value) && type.value()->equals(*hold_strongly(value)));
  }
  if (!equal) cannot_cast(repr_of(value), shortened(type.text()));
  return literal;
}

PyRef cast_to_object(PyObject* value, const ObjectType& type) {
  PyRef object = object_of(*type.object());
  if (!object || (object.get() != value && !checked(PyObject_RichCompareBool(object.get(), value, Py_EQ))))
    cannot_cast(repr_of(value), shortened(type.text()));
  return object;
}

PyRef cast_to_variable(PyObject* value, const TraceType& type) {
  if (class_of(value) == spec_classes().variable_spec) {
    if (!trace_type_from_python(value)->is_subtype_of(type)) cannot_cast(repr_of(value), shortened(type.text()));
  } else if (!is_variable(value)) {
    cannot_cast(repr_of(value), shortened(type.text()));
  }
  return PyRef::borrow(value);
}

PyRef cast_to_host_type(PyObject* value, const HostType& type) {
  if (is_instance(value, spec_classes().type_spec)) {
    if (!trace_type_from_python(value)->is_subtype_of(type)) cannot_cast(repr_of(value), shortened(type.text()));
    return PyRef::borrow(value);
  }
  return cast_by_type(object_of(*type.value()).get(), value);
}

void check_sequence(PyObject* value, const TraceType& type) {
  bool is_list = type.kind() == TypeKind::kList;
  if (is_list ? !PyList_Check(value) : !PyTuple_Check(value))
    cannot_cast(repr_of(value), is_list ? "list type." : "tuple type.");
  if (static_cast<std::size_t>(PySequence_Size(value)) != type.children().size())
    fail(ErrorKind::kType, "Expected ", repr_of(value), " to have length of ", type.children().size());
}

void check_dict(PyObject* value, const DictType& type) {
  if (container_kind(value) != TypeKind::kDict) cannot_cast(repr_of(value), "a Dict type.");
  bool same = static_cast<std::size_t>(PyMapping_Size(value)) == type.keys().size();
  for (std::size_t i = 0; same && i < type.keys().size(); ++i)
    same = checked(PySequence_Contains(value, object_of(*type.keys()[i]).get())) == 1;
  if (!same)
    fail(ErrorKind::kType, repr_of(value), " has different keys with the TraceType ", shortened(type.text()), ".");
}

// Any record with these fields is accepted.
void check_record(PyObject* value, const RecordType& type) {
  bool same = type.kind() == TypeKind::kDataclass ? is_plain_dataclass(value) : container_kind(value) == type.kind();
  if (same) {
    Container container = open_container(value, type.kind());
    same = container.keys.size() == type.fields().size();
    for (std::size_t i = 0; same && i < container.keys.size(); ++i)
      same = PyUnicode_CompareWithASCIIString(container.keys[i].get(), type.fields()[i].c_str()) == 0;
  }
  if (!same) fail(ErrorKind::kType, "Cannot cast ", repr_of(value), " to type ", type.record_class()->repr(), ".");
}

void check_custom_nest(PyObject* value, const CustomNestType& type) {
  bool same = class_of(value) == object_of(*type.nest_class()).get();
  if (same) {
    Container container = open_container(value, TypeKind::kCustomNest);
    same = container.values.size() == type.children().size() &&
           hold_unhashed(container.metadata.get())->equals(*type.metadata());
  }
  if (!same) cannot_cast(repr_of(value), shortened(type.text()));
}

void check_container(PyObject* value, const TraceType& type) {
  switch (type.kind()) {
    case TypeKind::kList:
    case TypeKind::kTuple:
      return check_sequence(value, type);
    case TypeKind::kDict:
      return check_dict(value, static_cast<const DictType&>(type));
    case TypeKind::kCustomNest:
      return check_custom_nest(value, static_cast<const CustomNestType&>(type));
    default:
      return check_record(value, static_cast<const RecordType&>(type));
  }
}

}  // namespace

PyRef cast(PyObject* value, const TraceType& type) {
  switch (type.kind()) {
    case TypeKind::kTensor:
      return cast_to_tensor(value, static_cast<const TensorType&>(type));
    case TypeKind::kVariable:
      return cast_to_variable(value, type);
    case TypeKind::kLiteral:
      return cast_to_literal(value, static_cast<const LiteralType&>(type));
    case TypeKind::kObject:
      return cast_to_object(value, static_cast<const ObjectType&>(type));
    case TypeKind::kComposite:
    case TypeKind::kUserDefined:
      return cast_to_host_type(value, static_cast<const HostType&>(type));
    default: {
      check_container(value, type);
      std::vector<PyRef> values = values_like(value, type);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = cast(values[i].get(), *type.children()[i]);
      return rebuild_container(type, std::move(values));
    }
  }
}

CastArguments bind_and_cast(const CallBinder& binder, const FunctionType& type, const Arguments& call) {
  BoundArguments bound = binder.bind(call, type);
  CastArguments result{bound.parameters, {}};
  try {
    for (std::size_t i = 0; i < bound.values.size(); ++i) {
      const TraceTypePtr& constraint = type.parameters()[i].type;
      result.values.push_back(constraint ? cast(bound.values[i], *constraint) : PyRef::borrow(bound.values[i]));
    }
  } catch (const Error& error) {
    throw_binding_error_from(error, call, type);
  }
  return result;
}

}  // namespace tracefn::bind
