// structured_input_signature: the parameters' types in the structure of a call.
#include "bind/structure/classes.h"
#include "bind/structure/containers.h"
#include "bind/structure/contexts.h"
#include "bind/structure/function_type.h"
#include "bind/structure/host_value.h"
#include "bind/structure/structure.h"
#include "bind/structure/types.h"
#include "spec/dict_type.h"
#include "spec/literal_type.h"
#include "spec/object_type.h"
#include "spec/record_type.h"

namespace tracefn::bind {
namespace {

PyRef described(const TraceTypePtr& type, const std::string& name);

// The name of child i in leaf names: "x_0", "d_key", "p_field".
std::string child_name(const TraceType& type, std::size_t i) {
  switch (type.kind()) {
    case TypeKind::kDict:
      return static_cast<const DictType&>(type).keys()[i]->str();
    case TypeKind::kNamedTuple:
    case TypeKind::kAttrs:
    case TypeKind::kDataclass:
      return static_cast<const RecordType&>(type).fields()[i];
    default:
      return std::to_string(i);
  }
}

PyRef described_container(const TraceType& type, const std::string& name) {
  std::vector<PyRef> values;
  for (std::size_t i = 0; i < type.children().size(); ++i)
    values.push_back(described(type.children()[i], concat(name, "_", child_name(type, i))));
  return rebuild_container(type, std::move(values));
}

PyRef described(const TraceTypePtr& type, const std::string& name) {
  std::size_t next = 0;
  switch (type->kind()) {
    case TypeKind::kTensor:
      return tensor_spec_named(*type, name);
    case TypeKind::kLiteral:
      return build_value(*type, {}, next);
    case TypeKind::kObject: {
      PyRef object = object_of(*static_cast<const ObjectType&>(*type).object());
      if (object && is_instance(object.get(), spec_classes().dtype)) return object;
      return unknown_argument();
    }
    case TypeKind::kVariable:
    case TypeKind::kComposite:
    case TypeKind::kUserDefined:
      return trace_type_to_python(type);
    default:
      return described_container(*type, name);
  }
}

}  // namespace

PyRef structured_input_signature(const FunctionType& type) {
  std::vector<PyRef> values;
  std::vector<ParameterName> names(type.parameters().begin(), type.parameters().end());
  for (const Parameter& parameter : type.parameters()) values.push_back(described(parameter.type, parameter.name));
  PythonCall call = arrange_call(ParameterList(std::move(names)), std::move(values));
  PyRef kwargs = call.kwargs ? std::move(call.kwargs) : owned(PyDict_New());
  return owned(PyTuple_Pack(2, call.args.get(), kwargs.get()));
}

}  // namespace tracefn::bind
