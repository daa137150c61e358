// A queue of jobs, whose pieces the workers and the caller take one by one.
#include "exec/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <thread>

#include "base/subnormals.h"

namespace tracefn {
namespace {

constexpr double kPieceNanoseconds = 20'000;
constexpr std::int64_t kMostPieces = 256;

thread_local bool inside_shard = false;

struct Job {
  const std::function<void(std::int64_t, std::int64_t)>* shard;
  std::int64_t n;
  std::int64_t pieces;
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> failed{false};
  // The rest is guarded by the crew's mutex.
  std::int64_t helpers = 0;  // workers that may still touch this job
  std::exception_ptr error;
};

// Evenly, so that bounds depend on n and the number of pieces alone.
std::int64_t bound(const Job& job, std::int64_t piece) {
  return job.n / job.pieces * piece + std::min(piece, job.n % job.pieces);
}

class Crew {
 public:
  explicit Crew(int threads) : threads_(threads) {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  }
  // Not run in a forked child, which has none of these threads.
  ~Crew() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : workers_) t.join();
  }

  int threads() const { return threads_; }

  void run(Job& job) {
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back(&job);
    }
    for (std::int64_t i = std::min<std::int64_t>(job.pieces, threads_) - 1; i > 0; --i) wake_.notify_one();
    take_pieces(job);
    std::unique_lock lock(mutex_);
    jobs_.erase(std::remove(jobs_.begin(), jobs_.end(), &job), jobs_.end());
    done_.wait(lock, [&] { return job.helpers == 0; });
    if (job.error) std::rethrow_exception(job.error);
  }

 private:
  void work() {
    subnormals::set(subnormals::get() | subnormals::kFlush);
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
      if (jobs_.empty()) return;  // stopping, and nothing left to do
      Job& job = *jobs_.front();
      ++job.helpers;
      lock.unlock();
      take_pieces(job);
      lock.lock();
      jobs_.erase(std::remove(jobs_.begin(), jobs_.end(), &job), jobs_.end());
      if (--job.helpers == 0) done_.notify_all();
    }
  }

  void take_pieces(Job& job) {
    inside_shard = true;
    for (std::int64_t i; (i = job.next.fetch_add(1, std::memory_order_relaxed)) < job.pieces;) {
      if (job.failed.load(std::memory_order_relaxed)) continue;
      try {
        (*job.shard)(bound(job, i), bound(job, i + 1));
      } catch (...) {
        std::lock_guard lock(mutex_);
        if (!job.error) job.error = std::current_exception();
        job.failed.store(true, std::memory_order_relaxed);
      }
    }
    inside_shard = false;
  }

  const int threads_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<Job*> jobs_;
  bool stop_ = false;
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
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
#endif
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

// The crew in use. Held locked over a fork, so that the child never finds it half made.
struct Current {
  std::mutex mutex;
  std::shared_ptr<Crew> crew;
  int threads = 0;

  Current() {
    pthread_atfork([] { current().mutex.lock(); }, [] { current().mutex.unlock(); },
                   [] {
                     // The parent's threads do not exist here; their crew cannot be destroyed, only forgotten.
                     new std::shared_ptr<Crew>(std::move(current().crew));
                     inside_shard = false;
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

void ThreadPool::parallel_for(std::int64_t n, double cost,
                              const std::function<void(std::int64_t, std::int64_t)>& shard) {
  if (n <= 0) return;
  double total = static_cast<double>(n) * cost;
  std::int64_t pieces = total < 2 * kPieceNanoseconds
                            ? 1
                            : std::min({n, kMostPieces, static_cast<std::int64_t>(total / kPieceNanoseconds)});
  Job job{.shard = &shard, .n = n, .pieces = pieces};
  if (pieces > 1 && !inside_shard) {
    std::shared_ptr<Crew> crew;
    {
      Current& current = Current::current();
      std::lock_guard lock(current.mutex);
      if (!current.crew && current.count() > 1) current.crew = std::make_shared<Crew>(current.count());
      crew = current.crew;
    }
    if (crew) return crew->run(job);
  }
  for (std::int64_t i = 0; i < pieces; ++i) shard(bound(job, i), bound(job, i + 1));
}

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
  // Calls that run now keep the old crew until they end.
  if (current.crew && current.crew->threads() != n) before = std::move(current.crew);
}

}  // namespace tracefn
