// The thread's poll state, and the installed hook.
#include "base/poll.h"

#include <chrono>

#include "base/outside_shards.h"
#include "base/subnormals.h"

namespace tracefn {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPeriod{1};

std::atomic<Interrupt*> installed_interrupt{nullptr};

struct ThreadState {
  const std::atomic<bool>* failed = nullptr;  // of the job whose shard runs
  int without_polls = 0;
  Clock::time_point asked{};
};
thread_local ThreadState state;
thread_local std::exception_ptr stop;

// Handlers run as if called between two calls of this library: they are not part of the shard.
struct Handlers {
  OutsideShards outside;
  KeepSubnormals keep;
};

}  // namespace

Interrupt* process_interrupt() { return installed_interrupt.load(std::memory_order_acquire); }
Interrupt* set_process_interrupt(Interrupt* interrupt) {
  return installed_interrupt.exchange(interrupt, std::memory_order_acq_rel);
}

void poll() {
  ThreadState& s = state;
  if (s.failed && s.failed->load(std::memory_order_relaxed)) throw Stopped();
  if (s.without_polls) return;
  Interrupt* interrupt = process_interrupt();
  if (!interrupt) return;
  const Clock::time_point now = Clock::now();
  if (now - s.asked < kPeriod) return;
  Handlers around;
  interrupt->check();
  s.asked = Clock::now();
}

bool poll_stops() noexcept {
  try {
    poll();
    return false;
  } catch (...) {
    stop = std::current_exception();
    return true;
  }
}
std::exception_ptr take_stop() noexcept { return std::exchange(stop, nullptr); }

ShardScope::ShardScope(const std::atomic<bool>& failed) : before_(std::exchange(state.failed, &failed)) {}
ShardScope::~ShardScope() { state.failed = before_; }
OutsideShards::OutsideShards() : before_(std::exchange(state.failed, nullptr)) {}
OutsideShards::~OutsideShards() { state.failed = before_; }

bool inside_shard() { return state.failed != nullptr; }

WithoutPolls::WithoutPolls() { ++state.without_polls; }
WithoutPolls::~WithoutPolls() { --state.without_polls; }

}  // namespace tracefn
