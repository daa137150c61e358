// The table of eager op states.
#include "exec/eager_state.h"

#include <mutex>
#include <unordered_map>

#include "base/hash.h"
#include "ops/random/random_state.h"

namespace tracefn {
namespace {

struct Key {
  const OpDef* op;
  AttrList attrs;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::size_t h = std::hash<const void*>{}(key.op);
    for (const Attr& attr : key.attrs) h = hash_mix(h, attr.hash());
    return h;
  }
};

// With a global seed set, every eager call has its own op seed, so the table would grow without bound.
constexpr std::size_t kMostStates = 65536;

std::mutex mutex;

}  // namespace

std::shared_ptr<StateSlot> eager_state(const OpDef& op, const AttrList& attrs) {
  static auto* states = new std::unordered_map<Key, std::shared_ptr<StateSlot>, KeyHash>();
  static std::uint64_t epoch = 0;
  std::lock_guard lock(mutex);
  if (std::uint64_t now = random_epoch(); now != epoch || states->size() >= kMostStates) {
    epoch = now;
    states->clear();
  }
  std::shared_ptr<StateSlot>& slot = (*states)[Key{&op, attrs}];
  if (!slot) slot = std::make_shared<StateSlot>();
  return slot;
}

}  // namespace tracefn
