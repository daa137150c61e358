// A list of idle threads; more are started when none is idle.
#include "data/workers.h"

#include <pthread.h>
#include <sched.h>

#include <chrono>
#include <deque>
#include <thread>

#include "base/error.h"

namespace tracefn::data {
namespace {

constexpr std::chrono::seconds kIdle{10};

struct Workers {
  std::mutex mutex;
  std::condition_variable called;
  std::deque<std::function<void()>> waiting;
  int idle = 0;
};

// A child after fork begins with a new one; the parent's, whose threads the child does not have, is forgotten.
Workers* current = nullptr;
std::atomic<std::uint64_t> generation{0};

void lock_for_fork() { current->mutex.lock(); }
void unlock_in_parent() { current->mutex.unlock(); }
void begin_anew_in_child() {
  current = new Workers();
  generation.fetch_add(1);
}

Workers& workers() {
  static const bool made = [] {
    current = new Workers();  // never destroyed: threads may outlive static objects
    pthread_atfork(lock_for_fork, unlock_in_parent, begin_anew_in_child);
    return true;
  }();
  (void)made;
  return *current;
}

void work(Workers& w) {
  std::unique_lock lock(w.mutex);
  for (;;) {
    if (w.waiting.empty()) {
      ++w.idle;
      const bool any = w.called.wait_for(lock, kIdle, [&] { return !w.waiting.empty(); });
      --w.idle;
      if (!any) return;
    }
    std::function<void()> job = std::move(w.waiting.front());
    w.waiting.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // what it holds may be the last of an iterator
    lock.lock();
  }
}

}  // namespace

void start_worker(std::function<void()> job) {
  Workers& w = workers();
  {
    std::lock_guard lock(w.mutex);
    w.waiting.push_back(std::move(job));
    if (w.idle >= static_cast<int>(w.waiting.size())) {
      w.called.notify_one();
      return;
    }
  }
  std::thread([&w] { work(w); }).detach();
}

int num_processors() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
#endif
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

SameProcess::SameProcess() : generation_((workers(), generation.load())) {}

bool SameProcess::same() const { return generation_ == generation.load(); }

void SameProcess::check() const {
  if (!same())
    fail(ErrorKind::kFailedPrecondition,
         "This iterator belongs to the parent process, which has its threads. Make a new iterator after the fork.");
}

}  // namespace tracefn::data
