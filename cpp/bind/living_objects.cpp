#include "bind/living_objects.h"

#include <unordered_map>

#include "base/hash.h"

namespace tracefn::bind {
namespace {

struct Hash {
  std::size_t operator()(const LivingKey& key) const {
    const std::size_t hash = hash_mix(reinterpret_cast<std::uintptr_t>(key.graph), static_cast<std::size_t>(key.node));
    return hash_mix(hash, static_cast<std::size_t>(key.output));
  }
};

// Never freed: objects may die after static objects do.
std::unordered_map<LivingKey, PyObject*, Hash>& table() {
  static auto& made = *new std::unordered_map<LivingKey, PyObject*, Hash>;
  return made;
}

}  // namespace

PyObject* find_living(const LivingKey& key) {
  const auto found = table().find(key);
  return found == table().end() ? nullptr : Py_NewRef(found->second);
}

void add_living(const LivingKey& key, PyObject* object) { table().insert_or_assign(key, object); }

void remove_living(const LivingKey& key, PyObject* object) {
  const auto found = table().find(key);
  if (found != table().end() && found->second == object) table().erase(found);
}

}  // namespace tracefn::bind
