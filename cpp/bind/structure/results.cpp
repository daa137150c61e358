// One walk over the result; dicts in the order of their sorted keys, so that tensors come out in the order of outputs.
#include "bind/structure/results.h"

#include "bind/structure/classes.h"
#include "bind/structure/containers.h"
#include "bind/structure/host_value.h"
#include "bind/structure/structure.h"
#include "bind/structure/trace_type_of.h"
#include "bind/structure/types.h"
#include "bind/tensor/tensor_object.h"
#include "spec/dict_type.h"
#include "spec/literal_type.h"

namespace tracefn::bind {
namespace {

class Flattener {
 public:
  Flattener(PyObject* function, const ToTensor& to_tensor) : function_(function), to_tensor_(to_tensor) {}

  TraceTypePtr walk(PyObject* value) {
    if (value == Py_None) return make_ref<LiteralType>(hold_strongly(value));
    if (is_tensor(value) || is_variable(value)) return leaf(value);
    TypeKind kind = result_kind(value);
    if (kind != TypeKind::kLiteral) return container(value, kind);
    if (is_composite(value)) return composite(value);
    return leaf(value);
  }

  std::vector<PyRef> tensors;

 private:
  // As for arguments, except that views of dicts and ranges are lists, and all plain dataclasses structures.
  TypeKind result_kind(PyObject* value) {
    if (is_composite(value)) return TypeKind::kLiteral;
    TypeKind kind = container_kind(value);
    if (kind != TypeKind::kLiteral) return kind;
    if (PyRange_Check(value) || PyDictKeys_Check(value) || PyDictItems_Check(value) || PyDictValues_Check(value))
      return TypeKind::kList;
    return is_plain_dataclass(value) ? TypeKind::kDataclass : kind;
  }

  static bool is_composite(PyObject* value) {
    static PyObject* protocol = PyUnicode_InternFromString("__tf_tracing_type__");
    if (PyType_Check(value) || is_instance(value, spec_classes().type_spec)) return false;
    return class_attribute(value, protocol) || is_instance(value, spec_classes().composite);
  }

  TraceTypePtr container(PyObject* value, TypeKind kind) {
    RecursionGuard guard(" while reading the result of a tf.function");
    Container parts = open_container(value, kind);
    std::vector<TraceTypePtr> types(parts.values.size());
    if (kind == TypeKind::kDict) {
      std::vector<HostValuePtr> keys;
      for (const PyRef& key : parts.keys) keys.push_back(hold_strongly(key.get()));
      for (std::size_t i : sorted_positions(keys)) types[i] = walk(parts.values[i].get());
    } else {
      for (std::size_t i = 0; i < types.size(); ++i) types[i] = walk(parts.values[i].get());
    }
    return container_type(value, parts, std::move(types));
  }

  TraceTypePtr composite(PyObject* value) {
    TracingContext context;
    TraceTypePtr type = trace_type_of(value, context);
    std::vector<PyRef> parts;
    append_leaves(value, *type, parts);
    for (const PyRef& part : parts) leaf(part.get());
    return type;
  }

  TraceTypePtr leaf(PyObject* value) {
    PyRef tensor = to_tensor_(value);
    if (!tensor) not_a_tensor(value);
    TracingContext context;
    TraceTypePtr type = trace_type_of(tensor.get(), context);
    tensors.push_back(std::move(tensor));
    return type;
  }

  [[noreturn]] void not_a_tensor(PyObject* value) {
    PyRef name = owned(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(value)), "__name__"));
    PyErr_Format(PyExc_TypeError,
                 "To be compatible with tf.function, Python functions must return zero or more Tensors or "
                 "ExtensionTypes or None values; in compilation of %S, found return value of type %U, which is not a "
                 "Tensor or ExtensionType.",
                 function_, name.get());
    throw_python_error();
  }

  PyObject* function_;
  const ToTensor& to_tensor_;
};

}  // namespace

FlatResult flatten_result(PyObject* result, PyObject* function, const ToTensor& to_tensor) {
  Flattener flattener(function, to_tensor);
  TraceTypePtr type = flattener.walk(result);
  return {std::move(flattener.tensors), std::move(type)};
}

}  // namespace tracefn::bind
