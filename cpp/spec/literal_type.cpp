// Python values compared by ==.
#include "spec/literal_type.h"

#include "base/hash.h"

namespace tracefn {
namespace {

std::size_t hash_of_literal(const HostValue& value) {
  return hash_mix(static_cast<std::size_t>(TypeKind::kLiteral), value.hash());
}

}  // namespace

LiteralType::LiteralType(HostValuePtr value)
    : TraceType(TypeKind::kLiteral, hash_of_literal(*value), hash_of_literal(*value), 0), value_(std::move(value)) {}

bool LiteralType::equals_same_kind(const TraceType& other) const {
  return value_->equals(*static_cast<const LiteralType&>(other).value_);
}

TraceTypePtr LiteralType::most_specific_common_supertype(const TraceType& other) const {
  return equals(other) ? TraceTypePtr(this) : TraceTypePtr();
}

void LiteralType::append_text(std::string& out) const {
  out += "Literal[";
  out += value_->repr();
  out += ']';
}

}  // namespace tracefn
