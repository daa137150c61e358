// The threads that work for iterators: they fetch ahead, and call functions side by side. They never hold the host's
// lock, except inside host calls. Started when needed, kept for a while for the next iterator, and unknown to a child
// after fork: an iterator that has begun to use threads does not go on there, a new one does.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "base/host_lock.h"
#include "base/poll.h"

namespace tracefn::data {

// Runs `work` on a thread of its own; it must not throw. Any thread may call.
void start_worker(std::function<void()> work);
// The number of processors that this process may use.
int num_processors();

// Remembers the process that made it.
class SameProcess {
 public:
  SameProcess();
  // Error(kFailedPrecondition) in a child of that process.
  void check() const;
  bool same() const;

 private:
  std::uint64_t generation_;
};

// Waits until `ready()` is true, which is asked with the mutex locked, and then calls `take()`, still locked; returns
// with the mutex unlocked. The host's lock is released and signals are polled meanwhile; throws what handlers throw.
template <typename Ready, typename Take>
void wait_and_take(std::mutex& mutex, std::condition_variable& changed, Ready ready, Take take) {
  {
    std::lock_guard lock(mutex);
    if (ready()) return take();
  }
  constexpr std::chrono::milliseconds kBetweenPolls{5};
  HostLockRelease release(true);  // taken back when the mutex is unlocked
  for (;;) {
    {
      std::unique_lock lock(mutex);
      if (changed.wait_for(lock, kBetweenPolls, ready)) return take();
    }
    poll();
  }
}

}  // namespace tracefn::data
