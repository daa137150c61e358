// A queue of jobs, whose pieces the workers and the caller take one by one. Waiting threads spin for a while before
// they sleep: waking a thread takes longer than many a job.
#include "exec/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <thread>

#include "base/poll.h"
#include "base/subnormals.h"
#include "exec/profile.h"

namespace tracefn {
namespace {

constexpr double kPieceNanoseconds = 20'000;
constexpr std::int64_t kMostPieces = 256;
// How long a thread spins before it sleeps: about the cost of a wakeup, so that waiting costs at most twice the
// minimum.
constexpr std::chrono::microseconds kLooking{50};
// Between two polls of a caller that sleeps until its workers are done.
constexpr std::chrono::milliseconds kSleep{5};

thread_local std::int64_t helped_nanoseconds = 0;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Whether `found()` became true while spinning.
template <typename Found>
bool look(const Found& found) {
  const auto end = std::chrono::steady_clock::now() + kLooking;
  do {
    for (int i = 0; i < 16; ++i) {
      if (found()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

using Shard = ShardRunner::Shard;

struct Job {
  const Shard* shard;
  std::int64_t n;
  std::int64_t pieces;
  std::int64_t slice;
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> failed{false};
  // Workers that may still touch this job; changed under the crew's mutex, read without it.
  std::atomic<std::int64_t> helpers{0};
  std::exception_ptr error;             // guarded by the crew's mutex
  std::atomic<std::int64_t> helped{0};  // nanoseconds that workers were at it
};

// Evenly, so that bounds depend only on n and the number of pieces.
std::int64_t bound(const Job& job, std::int64_t piece) {
  return job.n / job.pieces * piece + std::min(piece, job.n % job.pieces);
}

// Slices start at multiples of their length within the piece, so a shard treats the end of its elements and the end of
// the piece the same way.
void run_piece(const Job& job, std::int64_t piece) {
  const std::int64_t end = bound(job, piece + 1);
  for (std::int64_t begin = bound(job, piece); begin < end; begin += job.slice) {
    poll();
    (*job.shard)(begin, std::min(begin + job.slice, end));
  }
}

int allowed_processors() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
#endif
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

class Crew {
 public:
  // With more threads than processors, a spinning thread would keep another from working.
  explicit Crew(int threads) : threads_(threads), looks_(threads <= allowed_processors()) {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  }
  // Does not run in a forked child, which has none of these threads.
  ~Crew() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      events_.fetch_add(1, std::memory_order_relaxed);
    }
    wake_.notify_all();
    for (std::thread& t : workers_) t.join();
  }

  int threads() const { return threads_; }

  void run(Job& job) {
    std::int64_t asleep_wanted;
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back(&job);
      events_.fetch_add(1, std::memory_order_relaxed);
      asleep_wanted = std::min<std::int64_t>(job.pieces, threads_) - 1 - looking_;
      looking_ = 0;  // all spinning threads come to this job
    }
    for (; asleep_wanted > 0; --asleep_wanted) wake_.notify_one();
    take_pieces(job);
    {
      std::lock_guard lock(mutex_);
      jobs_.erase(std::remove(jobs_.begin(), jobs_.end(), &job), jobs_.end());
    }
    auto done = [&] { return job.helpers.load(std::memory_order_relaxed) == 0; };
    if (looks_ && !done()) look(done);
    std::unique_lock lock(mutex_);
    while (!done_.wait_for(lock, kSleep, done)) {
      lock.unlock();
      if (poll_stops()) note_failure(job, take_stop());
      lock.lock();
    }
    helped_nanoseconds += job.helped.load(std::memory_order_relaxed);
    if (job.error) std::rethrow_exception(job.error);
  }

 private:
  void work() {
    subnormals::set(subnormals::get() | subnormals::kFlush);
    auto called = [this] { return stop_ || !jobs_.empty(); };
    std::unique_lock lock(mutex_);
    for (bool worked = false;; worked = true) {
      // A thread that was idle for long, or is called for the first time, does not spin.
      if (looks_ && worked && !called()) {
        ++looking_;
        const std::uint64_t seen = events_.load(std::memory_order_relaxed);
        lock.unlock();
        look([&] { return events_.load(std::memory_order_relaxed) != seen; });
        lock.lock();
        if (events_.load(std::memory_order_relaxed) == seen) --looking_;
      }
      wake_.wait(lock, called);
      if (jobs_.empty()) return;  // stopping, and nothing left to do
      Job& job = *jobs_.front();
      job.helpers.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      const auto begin = std::chrono::steady_clock::now();
      {
        const profile::Span span("ThreadPool", {});
        take_pieces(job);
      }
      const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - begin;
      job.helped.fetch_add(spent.count(), std::memory_order_relaxed);
      lock.lock();
      jobs_.erase(std::remove(jobs_.begin(), jobs_.end(), &job), jobs_.end());
      if (job.helpers.fetch_sub(1, std::memory_order_relaxed) == 1) done_.notify_all();
    }
  }

  void take_pieces(Job& job) {
    const ShardScope scope(job.failed);
    for (std::int64_t i; (i = job.next.fetch_add(1, std::memory_order_relaxed)) < job.pieces;) {
      if (job.failed.load(std::memory_order_relaxed)) continue;
      try {
        run_piece(job, i);
      } catch (...) {
        note_failure(job, std::current_exception());
      }
    }
  }

  void note_failure(Job& job, std::exception_ptr error) {
    std::lock_guard lock(mutex_);
    if (!job.error) job.error = std::move(error);
    job.failed.store(true, std::memory_order_relaxed);
  }

  const int threads_;
  const bool looks_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<Job*> jobs_;
  std::int64_t looking_ = 0;  // workers that would see a new job without being woken
  bool stop_ = false;
  std::atomic<std::uint64_t> events_{0};  // jobs posted, and the stop
  std::vector<std::thread> workers_;
};

int default_threads() {
  if (const char* given = std::getenv("TRACEFN_NUM_THREADS"); given && *given) {
    char* end = nullptr;
    long n = std::strtol(given, &end, 10);
    if (*end || n < 1 || n > 1024)
      fail(ErrorKind::kValue, "TRACEFN_NUM_THREADS=", given, ": expected a number of threads from 1 to 1024.");
    return static_cast<int>(n);
  }
  return allowed_processors();
}

// The current crew. Locked across a fork, so that the child never finds it half-made.
struct Current {
  std::mutex mutex;
  std::shared_ptr<Crew> crew;
  int threads = 0;

  Current() {
    pthread_atfork([] { current().mutex.lock(); }, [] { current().mutex.unlock(); },
                   [] {
                     // The parent's threads do not exist here; their crew cannot be destroyed, only forgotten.
                     new std::shared_ptr<Crew>(std::move(current().crew));
                     current().mutex.unlock();
                   });
  }
  static Current& current() {
    static auto* instance = new Current();  // never destroyed: threads may outlive static objects
    return *instance;
  }
  int count() {
    if (!threads) threads = default_threads();
    return threads;
  }
};

}  // namespace

ThreadPool& ThreadPool::get() {
  static auto* pool = new ThreadPool();
  return *pool;
}

void ThreadPool::parallel_for(std::int64_t n, double cost, Shard shard) {
  if (n <= 0) return;
  double total = static_cast<double>(n) * cost;
  std::int64_t pieces = total < 2 * kPieceNanoseconds
                            ? 1
                            : std::min({n, kMostPieces, static_cast<std::int64_t>(total / kPieceNanoseconds)});
  if (pieces == 1) return shard(0, n);
  Job job{.shard = &shard, .n = n, .pieces = pieces, .slice = slice_length(cost)};
  if (!inside_shard()) {
    std::shared_ptr<Crew> crew;
    {
      Current& current = Current::current();
      std::lock_guard lock(current.mutex);
      if (!current.crew && current.count() > 1) current.crew = std::make_shared<Crew>(current.count());
      crew = current.crew;
    }
    if (crew) return crew->run(job);
  }
  for (std::int64_t i = 0; i < pieces; ++i) run_piece(job, i);
}

std::int64_t ThreadPool::helped() { return helped_nanoseconds; }

int ThreadPool::num_threads() {
  Current& current = Current::current();
  std::lock_guard lock(current.mutex);
  return current.count();
}

void ThreadPool::set_num_threads(int n) {
  if (n < 1) invalid_argument("The number of threads must be positive, got ", n, ".");
  std::shared_ptr<Crew> before;
  Current& current = Current::current();
  std::lock_guard lock(current.mutex);
  current.threads = n;
  // Running calls keep the old crew until they end.
  if (current.crew && current.crew->threads() != n) before = std::move(current.crew);
}

}  // namespace tracefn
