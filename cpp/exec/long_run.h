// LongRun: what code that loops over scalars does every few microseconds. Once it has run so long that giving up the
// host's lock is worth it, it does that, and from then on asks for signals about once in a millisecond.
// Of one run, on one thread, which gets the lock back when the LongRun ends.
#pragma once

#include <cstdint>
#include <optional>

#include "base/poll.h"
#include "exec/host_lock.h"
#include "ops/kernel.h"

namespace tracefn {

class LongRun {
 public:
  // Steps of scalar code between two looks: a few microseconds of arithmetic.
  static constexpr std::int32_t kSteps = 8192;

  // `interrupt` may be null.
  explicit LongRun(Interrupt* interrupt) : interrupt_(interrupt) {}

  // Throws what the host's signal handlers throw.
  void look() {
    if (!poll_) {
      unlocked_.emplace(true);
      poll_.emplace();
    }
    if (interrupt_ && poll_->due()) interrupt_->check();
  }

 private:
  Interrupt* interrupt_;
  std::optional<Poll> poll_;
  std::optional<HostLockRelease> unlocked_;
};

}  // namespace tracefn
