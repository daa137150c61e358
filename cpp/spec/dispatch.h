// DispatchTable: the traces of one Function by key: which of them serves a call (tracing rules 47-49, 52-54).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "spec/call_key.h"

namespace tracefn {

// Any thread may call any method. The lock is never held while keys are compared, for that may run user code that waits
// for the host's lock.
class DispatchTable {
 public:
  // The caller's id of a key's trace.
  using Payload = std::size_t;

  // Adds a trace. A key equal to an earlier one is kept too and found after it.
  void add(CallKey key, Payload payload);
  // Removes all keys of `payload`; false if there was none.
  bool erase(Payload payload);
  void clear();

  // The payload of the first equal key; else of the most specific supertype, the earliest added on ties. A hit counts
  // as a use.
  std::optional<Payload> lookup(const CallKey& key) const;
  // The same, equal keys only; not a use.
  std::optional<Payload> find_exact(const CallKey& key) const;
  // `key` generalized, in the order of adding, with every key that it has a common supertype with.
  CallKey generalize(const CallKey& key) const;

  std::size_t size() const;
  // Payloads in the order of adding.
  std::vector<Payload> payloads() const;
  // The least recently used payload (adding is a use); nothing if empty.
  std::optional<Payload> least_recently_used() const;
  // Counts a use that the caller resolved without lookup().
  void touch(Payload payload) const;

 private:
  struct Entry : RefCounted {
    Entry(CallKey k, Payload p) : key(std::move(k)), payload(p) {}
    CallKey key;
    Payload payload;
    mutable std::atomic<std::uint64_t> last_use{0};
  };
  using EntryPtr = Ref<const Entry>;
  using Entries = SmallVector<EntryPtr, 4>;

  using Index = std::unordered_map<std::size_t, Entries>;

  // A snapshot of the entries under `bucket`.
  Entries snapshot(const Index& index, std::size_t bucket) const;
  static void unfile(Index& index, std::size_t bucket, const EntryPtr& entry);
  void use(const Entry& entry) const { entry.last_use.store(++clock_, std::memory_order_relaxed); }

  mutable std::mutex mutex_;
  std::vector<EntryPtr> entries_;                     // in the order of adding
  Index by_hash_;                                     // under CallKey::hash()
  Index by_family_;                                   // under CallKey::family()
  std::unordered_map<Payload, EntryPtr> by_payload_;  // the first one added
  mutable std::atomic<std::uint64_t> clock_{0};
};

}  // namespace tracefn
