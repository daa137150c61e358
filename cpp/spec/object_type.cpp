// Objects held weakly.
#include "spec/object_type.h"

#include "base/hash.h"

namespace tracefn {
namespace {

std::size_t hash_of_object(const HostValue& object) {
  return hash_mix(static_cast<std::size_t>(TypeKind::kObject), object.hash());
}

}  // namespace

ObjectType::ObjectType(HostValuePtr object)
    : TraceType(TypeKind::kObject, hash_of_object(*object), hash_of_object(*object), 0), object_(std::move(object)) {}

bool ObjectType::equals_same_kind(const TraceType& other) const {
  return object_->equals(*static_cast<const ObjectType&>(other).object_);
}

TraceTypePtr ObjectType::most_specific_common_supertype(const TraceType& other) const {
  return equals(other) ? TraceTypePtr(this) : TraceTypePtr();
}

// The closing parenthesis is TensorFlow's (tracing rule 87).
void ObjectType::append_text(std::string& out) const {
  out += "Weakref[";
  out += object_->reference_text();
  out += "])";
}

}  // namespace tracefn
