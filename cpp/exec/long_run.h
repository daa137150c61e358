// LongRun: what code that loops over scalars does every few microseconds. Once it has run so long that giving up the
// host's lock is worth it, it does that, and from then on polls for signals.
// Of one run, on one thread, which gets the lock back when the LongRun ends.
#pragma once

#include <cstdint>
#include <optional>

#include "base/poll.h"
#include "exec/host_lock.h"

namespace tracefn {

class LongRun {
 public:
  // Steps of scalar code between two looks: a few microseconds of arithmetic.
  static constexpr std::int32_t kSteps = 8192;

  // Throws what the host's signal handlers throw.
  void look() {
    if (!unlocked_) unlocked_.emplace(true);
    poll();
  }

 private:
  std::optional<HostLockRelease> unlocked_;
};

}  // namespace tracefn
