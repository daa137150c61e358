// poll(): how long-running work learns that it must stop, because a signal handler of the host language raised an
// exception or because another shard of the same job failed. Anything that may run for more than some milliseconds
// polls that often, where exceptions may be thrown and host code may run: no lock is held there, and no inconsistent
// state is visible.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

namespace tracefn {

// The host language's signals (cpp/bind implements it). Any thread may call.
class Interrupt {
 public:
  virtual ~Interrupt() = default;
  // Runs the handlers of pending signals, if this thread is the one that does; throws what they throw.
  virtual void check() = 0;
};

// Null if none is installed.
Interrupt* process_interrupt();
// Returns the previous one. `interrupt` (null: none) must outlive its use; a Runtime installs it (cpp/runtime).
Interrupt* set_process_interrupt(Interrupt* interrupt);

// Polls for signals if the last poll is a millisecond ago; throws what handlers throw. Costs a clock read.
void poll();

// Thrown by poll() inside a shard whose job has failed elsewhere. The code that runs shards catches it.
struct Stopped {};

// Active while a shard of a job runs on this thread; `failed` says when it need not go on.
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

// Disables poll() on this thread while inconsistent state is visible, or a lock is held that handlers may take. Should
// be short.
class WithoutPolls {
 public:
  WithoutPolls();
  ~WithoutPolls();
  WithoutPolls(const WithoutPolls&) = delete;
  WithoutPolls& operator=(const WithoutPolls&) = delete;
};

// poll() for code that exceptions must not pass through: true if it must return early. The exception is then taken from
// take_stop() on this thread, before it polls again.
bool poll_stops() noexcept;
std::exception_ptr take_stop() noexcept;
// Throws what stopped code that has such polls, unless it is done.
inline void require_done(bool done) {
  if (!done) std::rethrow_exception(take_stop());
}

// The number of elements, of `nanoseconds` each, between two polls: some 200 microseconds, unnoticeable even if the
// estimate is far off.
inline std::int64_t slice_length(double nanoseconds) {
  constexpr double kSlice = 200'000;
  constexpr std::int64_t kWhole = 1024;  // aligns slices to vectors
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

// For loops whose iterations are too short for a clock read each: polls once in `steps`.
class PolledSteps {
 public:
  explicit PolledSteps(std::int64_t steps = 64) : steps_(steps), left_(steps) {}
  void step(std::int64_t steps = 1) {
    left_ -= steps;
    if (left_ > 0) return;
    left_ = steps_;
    poll();
  }

 private:
  const std::int64_t steps_;
  std::int64_t left_;
};

}  // namespace tracefn
