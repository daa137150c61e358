// A walk in insertion order that tracks the positions in sorted order.
#include "spec/placeholder_order.h"

#include "spec/dict_type.h"

namespace tracefn {
namespace {

// Where the leaves of each value of a dict begin, by position in insertion order.
std::vector<std::size_t> begins_of(const DictType& dict, std::size_t first) {
  std::vector<std::size_t> begins(dict.children().size());
  for (std::size_t i : dict.sorted()) {
    begins[i] = first;
    first += dict.children()[i]->num_leaves();
  }
  return begins;
}

}  // namespace

void append_placeholder_order(const TraceType& type, std::size_t first, std::vector<std::size_t>& order) {
  bool is_host_type = type.kind() == TypeKind::kComposite || type.kind() == TypeKind::kUserDefined;
  if (type.children().empty() || is_host_type) {
    for (std::size_t i = 0; i < type.num_leaves(); ++i) order.push_back(first + i);
  } else if (type.kind() == TypeKind::kDict) {
    auto& dict = static_cast<const DictType&>(type);
    std::vector<std::size_t> begins = begins_of(dict, first);
    for (std::size_t i = 0; i < begins.size(); ++i) append_placeholder_order(*dict.children()[i], begins[i], order);
  } else {
    for (const TraceTypePtr& child : type.children()) {
      append_placeholder_order(*child, first, order);
      first += child->num_leaves();
    }
  }
}

}  // namespace tracefn
