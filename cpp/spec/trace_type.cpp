// Compares several trace types at once.
#include "spec/trace_type.h"

namespace tracefn {

TraceType::TraceType(TypeKind kind, const TypeHashes& hashes)
    : TraceType(kind, hashes.hash, hashes.family, hashes.num_leaves) {}

TypeHashes TypeHashes::of(TypeKind kind, std::size_t label, std::span<const TraceTypePtr> children) {
  std::size_t seed = hash_mix(label, static_cast<std::size_t>(kind));
  TypeHashes hashes{seed, seed, 0};
  for (const TraceTypePtr& child : children) {
    hashes.hash = hash_mix(hashes.hash, child->hash());
    hashes.family = hash_mix(hashes.family, child->family());
    hashes.num_leaves += child->num_leaves();
  }
  return hashes;
}

bool all_equal(std::span<const TraceTypePtr> a, std::span<const TraceTypePtr> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!a[i]->equals(*b[i])) return false;
  return true;
}

bool all_subtypes(std::span<const TraceTypePtr> a, std::span<const TraceTypePtr> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!a[i]->is_subtype_of(*b[i])) return false;
  return true;
}

bool join_all(std::span<const TraceTypePtr> a, std::span<const TraceTypePtr> b, std::vector<TraceTypePtr>& joined) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    TraceTypePtr type = a[i]->most_specific_common_supertype(*b[i]);
    if (!type) return false;
    joined.push_back(std::move(type));
  }
  return true;
}

}  // namespace tracefn
