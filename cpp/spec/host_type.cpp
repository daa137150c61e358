// Trace types that the host defines.
#include "spec/host_type.h"

#include "base/check.h"

namespace tracefn {
namespace {

std::size_t leaves_of(const std::vector<TraceTypePtr>& tensors) {
  std::size_t n = 0;
  for (const TraceTypePtr& tensor : tensors) n += tensor->num_leaves();
  return n;
}

}  // namespace

// The host decides about subtypes, so all host types of a kind are one family.
HostType::HostType(TypeKind kind, Ref<const HostTypeValue> value, std::vector<TraceTypePtr> tensors)
    : TraceType(kind, hash_mix(static_cast<std::size_t>(kind), value->hash()), static_cast<std::size_t>(kind),
                leaves_of(tensors)),
      value_(std::move(value)),
      tensors_(std::move(tensors)) {
  TRACEFN_CHECK(kind == TypeKind::kComposite || kind == TypeKind::kUserDefined);
}

bool HostType::equals_same_kind(const TraceType& other) const {
  return value_->equals(*static_cast<const HostType&>(other).value_);
}

bool HostType::is_subtype_of(const TraceType& other) const {
  return kind() == other.kind() && value_->is_subtype_of(*static_cast<const HostType&>(other).value_);
}

TraceTypePtr HostType::most_specific_common_supertype(const TraceType& other) const {
  if (kind() != other.kind()) return {};
  return value_->most_specific_common_supertype(*static_cast<const HostType&>(other).value_);
}

void HostType::append_text(std::string& out) const { out += value_->repr(); }

}  // namespace tracefn
