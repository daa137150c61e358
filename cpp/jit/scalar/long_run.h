// LongRun: what scalar loops do every few microseconds. Once the loop has run long enough, it releases the host's lock,
// and from then on polls for signals. One per run, on one thread, which gets the lock back when the LongRun ends.
#pragma once

#include <cstdint>
#include <optional>

#include "base/host_lock.h"
#include "base/poll.h"

namespace tracefn {

struct Node;

class LongRun {
 public:
  // Bytecode instructions between two polls: a few microseconds of arithmetic.
  static constexpr std::int32_t kInstructions = 8192;

  // As look() after many bytes.
  void copied(std::int64_t bytes) {
    constexpr std::int64_t kBytes = 1 << 20;  // some hundred microseconds
    copied_ += bytes;
    if (copied_ < kBytes) return;
    copied_ = 0;
    look();
  }
  // The node that threw an Error, if it is another one than the instruction's.
  const Node* failed = nullptr;

  // Throws what the host's signal handlers throw.
  void look() {
    if (!unlocked_) unlocked_.emplace(true);
    poll();
  }

 private:
  std::optional<HostLockRelease> unlocked_;
  std::int64_t copied_ = 0;
};

}  // namespace tracefn
