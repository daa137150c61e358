// Takes apart and rebuilds containers, one case per kind.
#include "bind/structure/containers.h"

#include <string>

#include "base/check.h"
#include "bind/structure/classes.h"
#include "bind/structure/host_value.h"
#include "spec/dict_type.h"
#include "spec/record_type.h"
#include "spec/sequence_type.h"

namespace tracefn::bind {
namespace {

struct Names {
  PyObject* fields = PyUnicode_InternFromString("_fields");
  PyObject* attrs = PyUnicode_InternFromString("__attrs_attrs__");
  PyObject* flatten = PyUnicode_InternFromString("__tf_flatten__");
  PyObject* unflatten = PyUnicode_InternFromString("__tf_unflatten__");
  PyObject* dataclass = PyUnicode_InternFromString("__dataclass_fields__");
};
const Names& names() {
  static const Names names;
  return names;
}

std::string class_name(PyObject* type) { return utf8(get_attribute(type, "__name__").get()); }
PyObject* type_of(PyObject* value) { return reinterpret_cast<PyObject*>(Py_TYPE(value)); }

std::vector<PyRef> items_of(PyObject* iterable) {
  PyRef list = owned(PySequence_List(iterable));
  std::vector<PyRef> items;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i)
    items.push_back(PyRef::borrow(PyList_GET_ITEM(list.get(), i)));
  return items;
}

// The fields of an attrs class or dataclass, from their field descriptions.
std::vector<PyRef> names_in(PyObject* fields) {
  std::vector<PyRef> result;
  for (const PyRef& field : items_of(fields)) result.push_back(get_attribute(field.get(), "name"));
  return result;
}

std::vector<PyRef> field_names(PyObject* value, TypeKind kind) {
  switch (kind) {
    case TypeKind::kNamedTuple:
      return items_of(class_attribute(value, names().fields));
    case TypeKind::kAttrs:
      return names_in(class_attribute(value, names().attrs));
    default: {
      PyRef dataclasses = owned(PyImport_ImportModule("dataclasses"));
      return names_in(owned(PyObject_CallMethod(dataclasses.get(), "fields", "(O)", value)).get());
    }
  }
}

void open_dict(PyObject* value, Container& container) {
  if (PyDict_CheckExact(value)) {
    PyObject *key, *item;
    for (Py_ssize_t at = 0; PyDict_Next(value, &at, &key, &item);) {
      container.keys.push_back(PyRef::borrow(key));
      container.values.push_back(PyRef::borrow(item));
    }
    return;
  }
  container.keys = items_of(value);
  for (const PyRef& key : container.keys) container.values.push_back(owned(PyObject_GetItem(value, key.get())));
}

void open_custom_nest(PyObject* value, Container& container) {
  PyRef parts = owned(PyObject_CallMethodNoArgs(value, names().flatten));
  if (!PyTuple_Check(parts.get()) || PyTuple_GET_SIZE(parts.get()) != 2)
    fail(ErrorKind::kType, "__tf_flatten__ must return a pair of metadata and components");
  container.metadata = PyRef::borrow(PyTuple_GET_ITEM(parts.get(), 0));
  container.values = items_of(PyTuple_GET_ITEM(parts.get(), 1));
}

PyRef sequence(TypeKind kind, std::vector<PyRef>& values) {
  auto size = static_cast<Py_ssize_t>(values.size());
  bool is_list = kind == TypeKind::kList;
  PyRef result = owned(is_list ? PyList_New(size) : PyTuple_New(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* item = values[static_cast<std::size_t>(i)].release();
    is_list ? PyList_SET_ITEM(result.get(), i, item) : PyTuple_SET_ITEM(result.get(), i, item);
  }
  return result;
}

// Most mapping classes are constructed from pairs; two only from a mapping.
PyRef mapping(const DictType& type, std::vector<PyRef>& values) {
  PyRef dict = owned(PyDict_New());
  for (std::size_t i = 0; i < values.size(); ++i)
    checked(PyDict_SetItem(dict.get(), object_of(*type.keys()[i]).get(), values[i].get()));
  if (!type.mapping_class()) return dict;
  PyRef mapping_class = object_of(*type.mapping_class());
  bool from_dict = mapping_class.get() == reinterpret_cast<PyObject*>(&PyDictProxy_Type) ||
                   checked(PyObject_IsSubclass(mapping_class.get(), spec_classes().counter));
  if (from_dict) return owned(PyObject_CallOneArg(mapping_class.get(), dict.get()));
  PyRef pairs = owned(PyDict_Items(dict.get()));
  return owned(PyObject_CallOneArg(mapping_class.get(), pairs.get()));
}

// Through the class's own __init__: positional fields, then keyword-only ones under their alias; fields without init
// are set afterwards.
PyRef attrs_instance(PyObject* type, std::vector<PyRef>& values) {
  PyRef fields = get_attribute(type, "__attrs_attrs__");
  PyRef args = owned(PyList_New(0)), kwargs = owned(PyDict_New());
  std::vector<std::size_t> later;
  std::vector<PyRef> descriptions = items_of(fields.get());
  // A class may imitate attrs with fields that only have names; such a field is a positional parameter.
  auto is_set = [](const PyRef& field, const char* flag, bool otherwise) {
    PyRef value = PyRef::steal(PyObject_GetAttrString(field.get(), flag));
    if (value) return checked(PyObject_IsTrue(value.get())) != 0;
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw_python_error();
    PyErr_Clear();
    return otherwise;
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const PyRef& field = descriptions[i];
    if (!is_set(field, "init", true)) {
      later.push_back(i);
    } else if (is_set(field, "kw_only", false)) {
      PyRef alias = PyRef::steal(PyObject_GetAttrString(field.get(), "alias"));
      if (!alias) {  // before attrs 22.2: the name without leading underscores
        drop_ordinary_error();
        alias = owned(PyObject_CallMethod(get_attribute(field.get(), "name").get(), "lstrip", "s", "_"));
      }
      checked(PyDict_SetItem(kwargs.get(), alias.get(), values[i].get()));
    } else {
      checked(PyList_Append(args.get(), values[i].get()));
    }
  }
  PyRef positional = owned(PyList_AsTuple(args.get()));
  PyRef instance = owned(PyObject_Call(type, positional.get(), kwargs.get()));
  for (std::size_t i : later)
    checked(
        PyObject_GenericSetAttr(instance.get(), get_attribute(descriptions[i].get(), "name").get(), values[i].get()));
  return instance;
}

// Without __init__ (Y5): its checks and defaults are for the program's own values.
PyRef dataclass_instance(PyObject* type, const RecordType& record, std::vector<PyRef>& values) {
  PyRef instance = owned(PyObject_CallMethod(type, "__new__", "(O)", type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    PyRef name = owned(PyUnicode_FromString(record.fields()[i].c_str()));
    checked(PyObject_GenericSetAttr(instance.get(), name.get(), values[i].get()));
  }
  return instance;
}

}  // namespace

TypeKind container_kind(PyObject* value) {
  if (PyList_Check(value)) return TypeKind::kList;
  if (PyTuple_CheckExact(value)) return TypeKind::kTuple;
  if (PyDict_Check(value)) return TypeKind::kDict;
  if (PyTuple_Check(value)) {
    PyObject* fields = class_attribute(value, names().fields);
    return fields && PyTuple_Check(fields) ? TypeKind::kNamedTuple : TypeKind::kTuple;
  }
  if (is_instance(value, spec_classes().mapping)) return TypeKind::kDict;
  if (class_attribute(value, names().attrs)) return TypeKind::kAttrs;
  if (class_attribute(value, names().flatten) && class_attribute(value, names().unflatten))
    return TypeKind::kCustomNest;
  return TypeKind::kLiteral;
}

bool is_plain_dataclass(PyObject* value) { return !PyType_Check(value) && class_attribute(value, names().dataclass); }

Container open_container(PyObject* value, TypeKind kind) {
  Container container{kind, {}, {}, {}};
  switch (kind) {
    case TypeKind::kList:
    case TypeKind::kTuple:
      container.values = items_of(value);
      break;
    case TypeKind::kDict:
      open_dict(value, container);
      break;
    case TypeKind::kCustomNest:
      open_custom_nest(value, container);
      break;
    default:
      container.keys = field_names(value, kind);
      if (kind == TypeKind::kNamedTuple) {
        container.values = items_of(value);
      } else {
        for (const PyRef& name : container.keys) container.values.push_back(owned(PyObject_GetAttr(value, name.get())));
      }
  }
  return container;
}

TraceTypePtr container_type(PyObject* value, const Container& container, std::vector<TraceTypePtr> types) {
  PyObject* type = type_of(value);
  switch (container.kind) {
    case TypeKind::kList:
    case TypeKind::kTuple:
      return make_ref<SequenceType>(container.kind, std::move(types));
    case TypeKind::kDict: {
      std::vector<HostValuePtr> keys;
      for (const PyRef& key : container.keys) keys.push_back(hold_strongly(key.get()));
      // A defaultdict is rebuilt as a dict, as in TensorFlow.
      bool plain = PyDict_CheckExact(value) || is_instance(value, spec_classes().default_dict);
      return make_ref<DictType>(std::move(keys), std::move(types), plain ? HostValuePtr() : hold_strongly(type),
                                plain ? "dict" : class_name(type));
    }
    case TypeKind::kCustomNest:
      return make_ref<CustomNestType>(class_name(type), hold_strongly(type), hold_unhashed(container.metadata.get()),
                                      std::move(types));
    default: {
      std::vector<std::string> fields;
      for (const PyRef& name : container.keys) fields.push_back(utf8(name.get()));
      return make_ref<RecordType>(container.kind, class_name(type), hold_strongly(type), std::move(fields),
                                  std::move(types));
    }
  }
}

std::vector<PyRef> values_like(PyObject* value, const TraceType& type) {
  if (type.kind() == TypeKind::kDict) {
    std::vector<PyRef> values;
    for (const HostValuePtr& key : static_cast<const DictType&>(type).keys())
      values.push_back(owned(PyObject_GetItem(value, object_of(*key).get())));
    return values;
  }
  if (type.kind() == TypeKind::kAttrs || type.kind() == TypeKind::kDataclass) {
    std::vector<PyRef> values;
    for (const std::string& field : static_cast<const RecordType&>(type).fields())
      values.push_back(get_attribute(value, field.c_str()));
    return values;
  }
  if (type.kind() != TypeKind::kCustomNest) return items_of(value);
  Container container{type.kind(), {}, {}, {}};
  open_custom_nest(value, container);
  return std::move(container.values);
}

PyRef rebuild_container(const TraceType& type, std::vector<PyRef> values) {
  switch (type.kind()) {
    case TypeKind::kList:
    case TypeKind::kTuple:
      return sequence(type.kind(), values);
    case TypeKind::kDict:
      return mapping(static_cast<const DictType&>(type), values);
    case TypeKind::kNamedTuple: {
      PyRef args = sequence(TypeKind::kTuple, values);
      return owned(
          PyObject_CallObject(object_of(*static_cast<const RecordType&>(type).record_class()).get(), args.get()));
    }
    case TypeKind::kAttrs:
      return attrs_instance(object_of(*static_cast<const RecordType&>(type).record_class()).get(), values);
    case TypeKind::kDataclass: {
      auto& record = static_cast<const RecordType&>(type);
      return dataclass_instance(object_of(*record.record_class()).get(), record, values);
    }
    case TypeKind::kCustomNest: {
      auto& nest = static_cast<const CustomNestType&>(type);
      PyRef components = sequence(TypeKind::kTuple, values);
      return owned(PyObject_CallMethodObjArgs(object_of(*nest.nest_class()).get(), names().unflatten,
                                              object_of(*nest.metadata()).get(), components.get(), nullptr));
    }
    default:
      check_failed(__FILE__, __LINE__, "a container's type");
  }
}

}  // namespace tracefn::bind
