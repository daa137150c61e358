// Lists and tuples.
#include "spec/sequence_type.h"

#include "base/check.h"

namespace tracefn {

SequenceType::SequenceType(TypeKind kind, std::vector<TraceTypePtr> elements)
    : TraceType(kind, TypeHashes::of(kind, elements.size(), elements)), elements_(std::move(elements)) {
  TRACEFN_CHECK(kind == TypeKind::kList || kind == TypeKind::kTuple);
}

bool SequenceType::equals_same_kind(const TraceType& other) const { return all_equal(elements_, other.children()); }

bool SequenceType::is_subtype_of(const TraceType& other) const {
  return kind() == other.kind() && all_subtypes(elements_, other.children());
}

TraceTypePtr SequenceType::most_specific_common_supertype(const TraceType& other) const {
  std::vector<TraceTypePtr> joined;
  if (kind() != other.kind() || !join_all(elements_, other.children(), joined)) return {};
  return make_ref<SequenceType>(kind(), std::move(joined));
}

void SequenceType::append_text(std::string& out) const {
  out += kind() == TypeKind::kList ? "List[" : "Tuple[";
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    if (i) out += ", ";
    elements_[i]->append_text(out);
  }
  out += ']';
}

}  // namespace tracefn
