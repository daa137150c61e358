// The table of traces: indexes keys under two hashes, and compares those in one bucket.
#include "spec/dispatch.h"

#include <algorithm>

namespace tracefn {

void DispatchTable::add(CallKey key, Payload payload) {
  auto entry = EntryPtr(new Entry(std::move(key), payload));
  use(*entry);
  std::lock_guard lock(mutex_);
  by_hash_[entry->key.hash()].push_back(entry);
  by_family_[entry->key.family()].push_back(entry);
  by_payload_.try_emplace(payload, entry);
  entries_.push_back(std::move(entry));
}

bool DispatchTable::erase(Payload payload) {
  // Keys are destroyed after the lock is released, for that may run host code.
  std::vector<EntryPtr> removed;
  {
    std::lock_guard lock(mutex_);
    if (by_payload_.erase(payload) == 0) return false;
    auto keep = std::stable_partition(entries_.begin(), entries_.end(),
                                      [&](const EntryPtr& entry) { return entry->payload != payload; });
    removed.assign(std::make_move_iterator(keep), std::make_move_iterator(entries_.end()));
    entries_.erase(keep, entries_.end());
    for (const EntryPtr& entry : removed) {
      unfile(by_hash_, entry->key.hash(), entry);
      unfile(by_family_, entry->key.family(), entry);
    }
  }
  return true;
}

void DispatchTable::unfile(Index& index, std::size_t bucket, const EntryPtr& entry) {
  auto found = index.find(bucket);
  found->second.erase(std::find(found->second.begin(), found->second.end(), entry));
  if (found->second.empty()) index.erase(found);
}

void DispatchTable::clear() {
  std::vector<EntryPtr> removed;
  std::lock_guard lock(mutex_);
  by_hash_.clear();
  by_family_.clear();
  by_payload_.clear();
  removed.swap(entries_);
}

DispatchTable::Entries DispatchTable::snapshot(const Index& index, std::size_t bucket) const {
  std::lock_guard lock(mutex_);
  auto found = index.find(bucket);
  return found == index.end() ? Entries() : found->second;
}

std::optional<DispatchTable::Payload> DispatchTable::lookup(const CallKey& key) const {
  for (const EntryPtr& entry : snapshot(by_hash_, key.hash()))
    if (entry->key.equals(key)) {
      use(*entry);
      return entry->payload;
    }
  const Entry* best = nullptr;
  Entries candidates = snapshot(by_family_, key.family());
  for (const EntryPtr& entry : candidates)
    if (entry->key.is_supertype_of(key) && (!best || best->key.is_supertype_of(entry->key))) best = entry.get();
  if (!best) return std::nullopt;
  use(*best);
  return best->payload;
}

std::optional<DispatchTable::Payload> DispatchTable::find_exact(const CallKey& key) const {
  for (const EntryPtr& entry : snapshot(by_hash_, key.hash()))
    if (entry->key.equals(key)) return entry->payload;
  return std::nullopt;
}

CallKey DispatchTable::generalize(const CallKey& key) const {
  CallKey relaxed = key;
  for (const EntryPtr& entry : snapshot(by_family_, key.family()))
    if (std::optional<CallKey> joined = relaxed.most_specific_common_supertype(entry->key))
      relaxed = std::move(*joined);
  return relaxed;
}

std::size_t DispatchTable::size() const {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

std::vector<DispatchTable::Payload> DispatchTable::payloads() const {
  std::lock_guard lock(mutex_);
  std::vector<Payload> payloads;
  for (const EntryPtr& entry : entries_) payloads.push_back(entry->payload);
  return payloads;
}

std::optional<DispatchTable::Payload> DispatchTable::least_recently_used() const {
  std::lock_guard lock(mutex_);
  auto oldest = std::min_element(entries_.begin(), entries_.end(), [](const EntryPtr& a, const EntryPtr& b) {
    return a->last_use.load(std::memory_order_relaxed) < b->last_use.load(std::memory_order_relaxed);
  });
  return oldest == entries_.end() ? std::nullopt : std::optional<Payload>((*oldest)->payload);
}

void DispatchTable::touch(Payload payload) const {
  std::lock_guard lock(mutex_);
  auto found = by_payload_.find(payload);
  if (found != by_payload_.end()) use(*found->second);
}

}  // namespace tracefn
