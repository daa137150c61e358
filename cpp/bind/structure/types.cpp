// Converts trace types to and from Python; the class TraceType.
#include "bind/structure/types.h"

#include "bind/class_table.h"
#include "bind/convert/from_python.h"
#include "bind/py_list.h"
#include "bind/structure/classes.h"
#include "bind/structure/host_value.h"
#include "bind/structure/trace_type_of.h"
#include "bind/tensor/dtype_object.h"
#include "bind/tensor/shape_object.h"
#include "bind/tensor/tensor_object.h"
#include "spec/dict_type.h"
#include "spec/host_type.h"
#include "spec/literal_type.h"
#include "spec/object_type.h"
#include "spec/record_type.h"
#include "spec/tensor_type.h"
#include "spec/variable_type.h"

namespace tracefn::bind {
namespace {

// A type that has no older Python class: literals, objects, structures.
struct TypeView {
  TraceTypePtr type;
};

// By the bases alone: the specs are abstract base classes, which isinstance() would ask in Python.
bool is_derived(PyObject* object, PyObject* base) {
  return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(base));
}

TraceTypePtr tensor_type_of(PyObject* spec) {
  PyRef name = get_attribute(spec, "name");
  std::string text;
  if (name.get() != Py_None) {
    PyRef shown = owned(PyObject_Str(name.get()));
    const char* utf8 = PyUnicode_AsUTF8(shown.get());
    if (!utf8) throw_python_error();
    text = utf8;
  }
  return make_ref<TensorType>(parse_dtype(get_attribute(spec, "dtype").get()),
                              parse_shape(get_attribute(spec, "shape").get()), std::move(text));
}

TraceTypePtr variable_type_of(PyObject* spec) {
  PyRef alias = get_attribute(spec, "alias_id"), trainable = get_attribute(spec, "trainable");
  std::int64_t number = kNoAlias;
  if (alias.get() != Py_None) {
    number = PyLong_AsLongLong(alias.get());
    if (number == -1 && PyErr_Occurred()) throw_python_error();
  }
  return make_ref<VariableType>(parse_dtype(get_attribute(spec, "dtype").get()),
                                parse_shape(get_attribute(spec, "shape").get()),
                                checked(PyObject_IsTrue(trainable.get())) != 0, number);
}

TraceTypePtr host_type_of(PyObject* object) {
  PyRef flat = owned(PyObject_CallMethod(object, "flatten", nullptr));
  PyRef list = owned(PySequence_List(flat.get()));
  std::vector<TraceTypePtr> tensors;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    PyObject* part = PyList_GET_ITEM(list.get(), i);
    if (part == object)
      fail(ErrorKind::kType, "flatten() of ", repr_of(object), " returned a list with the type itself in it.");
    tensors.push_back(trace_type_from_python(part));
  }
  bool is_spec = is_instance(object, spec_classes().type_spec);
  return make_ref<HostType>(is_spec ? TypeKind::kComposite : TypeKind::kUserDefined, hold_type(object),
                            std::move(tensors));
}

PyRef variable_spec(const VariableType& type) {
  PyRef shape = PyRef::steal(shape_object(type.shape()));
  PyRef alias = type.alias() == kNoAlias ? PyRef::borrow(Py_None) : owned(PyLong_FromLongLong(type.alias()));
  return owned(PyObject_CallFunctionObjArgs(spec_classes().variable_spec, shape.get(), dtype_object(type.dtype()),
                                            type.trainable() ? Py_True : Py_False, alias.get(), nullptr));
}

PyRef flatten(const TypeView& view) {
  std::vector<const TraceType*> leaves;
  view.type->append_leaves(leaves);
  return list_of(leaves, [](const TraceType* leaf) { return trace_type_to_python(TraceTypePtr(leaf)).release(); });
}

bool is_subtype_of(const TypeView& view, PyObject* other) {
  return view.type->is_subtype_of(*trace_type_from_python(other));
}

PyRef most_specific_common_supertype(const TypeView& view, PyObject* others) {
  TraceTypePtr joined = view.type;
  for_each(others, [&](PyObject* other) {
    if (joined) joined = joined->most_specific_common_supertype(*trace_type_from_python(other));
  });
  return joined ? trace_type_to_python(joined) : PyRef::borrow(Py_None);
}

bool equal(const TypeView& view, PyObject* other) {
  return is_trace_type(other) && view.type->equals(*trace_type_from_python(other));
}
std::size_t hash(const TypeView& view) { return view.type->hash(); }
std::string shown(const TypeView& view) { return view.type->text(); }

PyObject* tracing_type_of_tensor(PyObject* tensor, PyObject*) {
  TracingContext context;
  return trace_type_to_python(trace_type_of(tensor, context)).release();
}

// The path to a part of a structure: "[0]", "['key']", ".field".
std::string step_to(const TraceType& type, std::size_t i) {
  switch (type.kind()) {
    case TypeKind::kDict:
      return concat("[", static_cast<const DictType&>(type).keys()[i]->repr(), "]");
    case TypeKind::kNamedTuple:
    case TypeKind::kAttrs:
    case TypeKind::kDataclass:
      return concat(".", static_cast<const RecordType&>(type).fields()[i]);
    default:
      return concat("[", i, "]");
  }
}

PyRef children(const TypeView& view) {
  std::span<const TraceTypePtr> parts = view.type->children();
  bool is_leaf = view.type->kind() == TypeKind::kLiteral || view.type->kind() == TypeKind::kObject;
  if (is_leaf) return PyRef::borrow(Py_None);
  return list_of_size(parts.size(), [&](std::size_t i) {
    PyRef step = owned(text(step_to(*view.type, i))), type = trace_type_to_python(parts[i]);
    return PyTuple_Pack(2, step.get(), type.get());
  });
}

std::string_view kind_of(const TypeView& view) {
  switch (view.type->kind()) {
    case TypeKind::kLiteral:
      return "literal";
    case TypeKind::kObject:
      return "object";
    case TypeKind::kList:
      return "list";
    case TypeKind::kTuple:
      return "tuple";
    case TypeKind::kDict:
      return "dict";
    default:
      return "record";
  }
}

PyRef value_of(const TypeView& view) {
  const TraceType& type = *view.type;
  PyRef value;
  if (type.kind() == TypeKind::kLiteral) value = object_of(*static_cast<const LiteralType&>(type).value());
  if (type.kind() == TypeKind::kObject) value = object_of(*static_cast<const ObjectType&>(type).object());
  return value ? value : PyRef::borrow(Py_None);
}

}  // namespace

bool is_trace_type(PyObject* object) {
  return is_boxed<TypeView>(object) || is_instance(object, spec_classes().trace_type);
}

TraceTypePtr trace_type_from_python(PyObject* object) {
  if (is_boxed<TypeView>(object)) return unboxed<TypeView>(object).type;
  // Those derived from the specs describe tensors and variables, too, whatever they say beyond.
  if (is_derived(object, spec_classes().tensor_spec)) return tensor_type_of(object);
  if (is_derived(object, spec_classes().variable_spec)) return variable_type_of(object);
  if (is_instance(object, spec_classes().trace_type)) return host_type_of(object);
  fail(ErrorKind::kType, "Expected a TraceType, got ", repr_of(object), " of type ", Py_TYPE(object)->tp_name, ".");
}

PyRef tensor_spec_named(const TraceType& tensor_type, const std::string& name) {
  auto& type = static_cast<const TensorType&>(tensor_type);
  PyRef shape = PyRef::steal(shape_object(type.shape()));
  const std::string& chosen = type.name().empty() ? name : type.name();
  PyRef shown = chosen.empty() ? PyRef::borrow(Py_None) : owned(PyUnicode_FromString(chosen.c_str()));
  return owned(PyObject_CallFunctionObjArgs(spec_classes().tensor_spec, shape.get(), dtype_object(type.dtype()),
                                            shown.get(), nullptr));
}

PyRef trace_type_to_python(const TraceTypePtr& type) {
  switch (type->kind()) {
    case TypeKind::kTensor:
      return tensor_spec_named(*type, "");
    case TypeKind::kVariable:
      return variable_spec(static_cast<const VariableType&>(*type));
    case TypeKind::kComposite:
    case TypeKind::kUserDefined:
      return object_of(*static_cast<const HostType&>(*type).value());
    default:
      return box(TypeView{type});
  }
}

void init_types(PyObject* module) {
  static PyMethodDef methods[] = {
      member<is_subtype_of>("is_subtype_of", "other", "Whether a trace made for `other` serves values of this type."),
      member<most_specific_common_supertype>("most_specific_common_supertype", "others",
                                             "The narrowest type that this and all `others` are subtypes of, or None."),
      member<flatten>("flatten", "", "The specs of the tensors in a value of this type."),
      {}};
  static PyGetSetDef attributes[] = {
      attribute<children>("children", "(how it is reached, type) of each part of a structure; None for a leaf."),
      attribute<kind_of>("kind", "literal, object, list, tuple, dict or record."),
      attribute<value_of>("value", "The value of a literal; an object, or None when it is gone."),
      {}};
  add_class<TypeView>(module, "tracefn._core.TraceType",
                      "What is known about a Python value or structure when a function is traced.",
                      {{Py_tp_methods, methods},
                       {Py_tp_getset, attributes},
                       equality_slot<equal>(),
                       hash_slot<hash>(),
                       text_slot<shown>(Py_tp_repr)});
  tracing_type_hook = tracing_type_of_tensor;
}

}  // namespace tracefn::bind
