// Mappings: the same set of keys, in any order.
#include "spec/dict_type.h"

#include <algorithm>
#include <numeric>

namespace tracefn {
namespace {

// Independent of insertion order: a sum over the pairs.
TypeHashes hashes_of(const std::vector<HostValuePtr>& keys, const std::vector<TraceTypePtr>& values) {
  TypeHashes hashes = TypeHashes::of(TypeKind::kDict, keys.size(), {});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    hashes.hash += hash_mix(keys[i]->hash(), values[i]->hash());
    hashes.family += hash_mix(keys[i]->hash(), values[i]->family());
    hashes.num_leaves += values[i]->num_leaves();
  }
  return hashes;
}

}  // namespace

std::vector<std::size_t> sorted_positions(const std::vector<HostValuePtr>& keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a]->less(*keys[b]); });
  return order;
}

DictType::DictType(std::vector<HostValuePtr> keys, std::vector<TraceTypePtr> values, HostValuePtr mapping_class,
                   std::string class_name)
    : TraceType(TypeKind::kDict, hashes_of(keys, values)),
      keys_(std::move(keys)),
      values_(std::move(values)),
      mapping_class_(std::move(mapping_class)),
      class_name_(std::move(class_name)),
      sorted_(sorted_positions(keys_)) {}

bool DictType::align(const TraceType& other, std::vector<TraceTypePtr>& values) const {
  if (other.kind() != TypeKind::kDict) return false;
  auto& dict = static_cast<const DictType&>(other);
  if (dict.keys_.size() != keys_.size()) return false;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    std::size_t at = i;  // usually the order is the same
    if (!keys_[i]->equals(*dict.keys_[i])) {
      at = 0;
      while (at < keys_.size() && !keys_[i]->equals(*dict.keys_[at])) ++at;
      if (at == keys_.size()) return false;
    }
    values.push_back(dict.values_[at]);
  }
  return true;
}

bool DictType::equals_same_kind(const TraceType& other) const {
  std::vector<TraceTypePtr> values;
  return align(other, values) && all_equal(values_, values);
}

bool DictType::is_subtype_of(const TraceType& other) const {
  std::vector<TraceTypePtr> values;
  return align(other, values) && all_subtypes(values_, values);
}

TraceTypePtr DictType::most_specific_common_supertype(const TraceType& other) const {
  std::vector<TraceTypePtr> values, joined;
  if (!align(other, values) || !join_all(values_, values, joined)) return {};
  return make_ref<DictType>(keys_, std::move(joined), mapping_class_, class_name_);
}

void DictType::append_leaves(std::vector<const TraceType*>& out) const {
  for (std::size_t i : sorted_) values_[i]->append_leaves(out);
}

void DictType::append_text(std::string& out) const {
  out += "Dict[";
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    out += i ? ", [" : "[";
    out += keys_[i]->repr();
    out += ", ";
    values_[i]->append_text(out);
    out += ']';
  }
  out += ']';
}

}  // namespace tracefn
