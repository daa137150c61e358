// The thread pool: every element once, fixed bounds, exceptions, nesting, callers at once, fork.
#include "exec/thread_pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <thread>

#include "check.h"
#include "exec/threads.h"

namespace tracefn::test {
namespace {

using Bounds = std::set<std::pair<std::int64_t, std::int64_t>>;

Bounds bounds_of(std::int64_t n, double cost) {
  Bounds bounds;
  std::mutex mutex;
  ThreadPool::get().parallel_for(n, cost, [&](std::int64_t begin, std::int64_t end) {
    std::lock_guard lock(mutex);
    bounds.emplace(begin, end);
  });
  return bounds;
}

TEST(pool_covers_each_element_once) {
  Threads four(4);
  for (std::int64_t n : {1, 7, 100, 4097, 100000}) {
    std::vector<int> hits(static_cast<std::size_t>(n), 0);
    ThreadPool::get().parallel_for(n, 1000, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++hits[static_cast<std::size_t>(i)];
    });
    CHECK_EQ(std::accumulate(hits.begin(), hits.end(), std::int64_t{0}), n);
  }
  ThreadPool::get().parallel_for(0, 1, [](std::int64_t, std::int64_t) { CHECK(false); });
}

TEST(pool_bounds_do_not_depend_on_threads) {
  Bounds alone, together;
  {
    Threads one(1);
    alone = bounds_of(1'000'003, 10);
  }
  {
    Threads four(4);
    together = bounds_of(1'000'003, 10);
  }
  CHECK(alone == together);
  CHECK(alone.size() > 4);
  CHECK_EQ(bounds_of(1000, 10).size(), 1u);  // not worth a thread
}

TEST(pool_rethrows_and_goes_on) {
  Threads four(4);
  auto bad = [] {
    ThreadPool::get().parallel_for(1000, 10000, [](std::int64_t begin, std::int64_t) {
      if (begin > 500) invalid_argument("shard failed");
    });
  };
  CHECK_THROWS(bad(), kInvalidArgument, "shard failed");
  CHECK(bounds_of(1000, 10000).size() > 4);
}

TEST(pool_runs_nested_calls_inline) {
  Threads four(4);
  std::atomic<std::int64_t> sum{0};
  ThreadPool::get().parallel_for(64, 100000, [&](std::int64_t begin, std::int64_t end) {
    std::thread::id here = std::this_thread::get_id();
    ThreadPool::get().parallel_for(100, 10000, [&](std::int64_t b, std::int64_t e) {
      if (std::this_thread::get_id() == here) sum += (e - b) * (end - begin);
    });
  });
  CHECK_EQ(sum.load(), 6400);
}

TEST(pool_serves_callers_at_once) {
  Threads four(4);
  std::atomic<std::int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 6; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        ThreadPool::get().parallel_for(256, 5000, [&](std::int64_t b, std::int64_t e) { sum += e - b; });
    });
  ThreadPool::get().set_num_threads(3);  // while they run
  for (std::thread& t : callers) t.join();
  CHECK_EQ(sum.load(), 6 * 50 * 256);
}

// A job whose helpers are busy with another one is done by its caller alone, who does not wait for them.
TEST(pool_does_not_wait_for_helpers_that_have_not_begun) {
  Threads two(2);
  std::atomic<bool> done{false};
  std::atomic<int> busy{0};
  auto pause = [] { std::this_thread::sleep_for(std::chrono::microseconds(100)); };
  std::thread other([&] {
    ThreadPool::get().parallel_for(2, 1'000'000, [&](std::int64_t, std::int64_t) {
      ++busy;
      while (!done.load()) pause();
    });
  });
  while (busy.load() < 2) pause();  // the other caller and the only helper
  std::atomic<std::int64_t> sum{0};
  for (int i = 0; i < 20; ++i)
    ThreadPool::get().parallel_for(100, 10'000, [&](std::int64_t b, std::int64_t e) { sum += e - b; });
  CHECK_EQ(sum.load(), 2000);
  CHECK_EQ(busy.load(), 2);
  done = true;
  other.join();
}

// A sanitizer's own threads do not survive a fork.
#if !defined(__SANITIZE_THREAD__)
TEST(pool_starts_again_after_fork) {
  Threads four(4);
  (void)bounds_of(1000, 10000);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(bounds_of(1000, 10000).size() > 4 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

TEST(pool_refuses_no_threads) {
  CHECK_THROWS(ThreadPool::get().set_num_threads(0), kInvalidArgument, "must be positive");
}

// Jobs in quick succession find workers that look for them; jobs after a pause find workers asleep.
TEST(pool_serves_bursts_and_pauses) {
  for (int threads : {2, 4}) {
    Threads some(threads);
    std::vector<std::thread> callers;
    std::atomic<std::int64_t> sum{0};
    for (int c = 0; c < 2; ++c) {
      callers.emplace_back([&] {
        for (int burst = 0; burst < 5; ++burst) {
          for (int i = 0; i < 200; ++i)
            ThreadPool::get().parallel_for(8, 20'000, [&](std::int64_t begin, std::int64_t end) {
              sum.fetch_add(end - begin, std::memory_order_relaxed);
            });
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK_EQ(sum.load(), std::int64_t{2 * 5 * 200 * 8});
  }
}

}  // namespace
}  // namespace tracefn::test
