// poll(): how long work learns that it has to stop, because a signal handler of the host language raised an exception
// or because another shard of the same job failed. Everything that may run for more than some milliseconds calls it
// that often, at a place where an exception may be thrown and where code of the host language may run: no lock is held
// there, and nothing half done can be seen by others.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

namespace tracefn {

// The host language's signals (cpp/bind implements it). May be asked on any thread.
class Interrupt {
 public:
  virtual ~Interrupt() = default;
  // Runs the handlers of signals that have come, where this thread is the one that does; throws what they throw.
  virtual void check() = 0;
};

// Null when nobody has installed one.
Interrupt* process_interrupt();
// `interrupt` must live as long as the process; installed once, at start.
void set_process_interrupt(Interrupt* interrupt);

// Asks for signals if the last time is a millisecond ago; throws what their handlers throw. Costs a look at the clock.
void poll();

// Thrown by poll() inside of a shard whose job has failed elsewhere. Whoever runs shards catches it.
struct Stopped {};

// While a shard of a job runs on this thread; `failed` says when it need not go on.
class ShardScope {
 public:
  explicit ShardScope(const std::atomic<bool>& failed);
  ~ShardScope();
  ShardScope(const ShardScope&) = delete;
  ShardScope& operator=(const ShardScope&) = delete;

 private:
  const std::atomic<bool>* before_;
};
bool inside_shard();

// While something half done can be seen, or a lock is held that handlers may ask for: poll() does nothing on this
// thread. What is done meanwhile should be short.
class WithoutPolls {
 public:
  WithoutPolls();
  ~WithoutPolls();
  WithoutPolls(const WithoutPolls&) = delete;
  WithoutPolls& operator=(const WithoutPolls&) = delete;
};

// poll() for code that nothing may be thrown through: true when it has to return early. What poll() threw is then taken
// from take_stop() on this thread, before it polls again.
bool poll_stops() noexcept;
std::exception_ptr take_stop() noexcept;

// How many elements, of `nanoseconds` each, are worked on between two polls: some 200 microseconds, and much less than
// what a user notices where the estimate is far off.
inline std::int64_t slice_length(double nanoseconds) {
  constexpr double kSlice = 200'000;
  constexpr std::int64_t kWhole = 1024;  // so that slices begin where vectors do
  const double n = kSlice / std::max(nanoseconds, 1e-3);
  const auto length = static_cast<std::int64_t>(n);
  return length < kWhole ? std::max<std::int64_t>(length, 1) : length / kWhole * kWhole;
}

// Calls f(begin, end) for pieces of [from, to), in order, and polls between them.
template <typename F>
void in_slices(std::int64_t from, std::int64_t to, double nanoseconds, F&& f) {
  const std::int64_t length = slice_length(nanoseconds);
  for (; to - from > length; from += length) {
    f(from, from + length);
    poll();
  }
  if (from < to) f(from, to);
}
template <typename F>
void in_slices(std::int64_t n, double nanoseconds, F&& f) {
  in_slices(0, n, nanoseconds, std::forward<F>(f));
}

// For loops whose steps are too short to look at the clock in each: polls once in `steps`.
class PolledSteps {
 public:
  explicit PolledSteps(int steps = 64) : steps_(steps), left_(steps) {}
  void step() {
    if (--left_ > 0) return;
    left_ = steps_;
    poll();
  }

 private:
  const int steps_;
  int left_;
};

}  // namespace tracefn
