// Compares keys parameter by parameter.
#include "spec/call_key.h"

#include "base/check.h"
#include "base/hash.h"

namespace tracefn {

CallKey::CallKey(ParameterListPtr parameters, TraceTypes types)
    : parameters_(std::move(parameters)),
      types_(std::move(types)),
      hash_(parameters_->hash()),
      family_(parameters_->hash()) {
  TRACEFN_CHECK(parameters_->size() == types_.size());
  for (const TraceTypePtr& type : types_) {
    hash_ = hash_mix(hash_, type->hash());
    family_ = hash_mix(family_, type->family());
    num_leaves_ += type->num_leaves();
  }
}

std::vector<const TraceType*> CallKey::leaves() const {
  std::vector<const TraceType*> leaves;
  leaves.reserve(num_leaves_);
  for (const TraceTypePtr& type : types_) type->append_leaves(leaves);
  return leaves;
}

bool CallKey::equals(const CallKey& other) const {
  return hash_ == other.hash_ && *parameters_ == *other.parameters_ && all_equal(types_, other.types_);
}

bool CallKey::is_supertype_of(const CallKey& call) const {
  return family_ == call.family_ && *parameters_ == *call.parameters_ && all_subtypes(call.types_, types_);
}

std::optional<CallKey> CallKey::most_specific_common_supertype(const CallKey& other) const {
  if (family_ != other.family_ || !(*parameters_ == *other.parameters_)) return std::nullopt;
  std::vector<TraceTypePtr> joined;
  if (!join_all(types_, other.types_, joined)) return std::nullopt;
  return CallKey(parameters_, TraceTypes(joined.begin(), joined.end()));
}

}  // namespace tracefn
