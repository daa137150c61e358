// Polls: when the hook is asked, what its exceptions do to shards, and what handlers may do meanwhile.
#include "base/poll.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "base/error.h"
#include "check.h"
#include "exec/thread_pool.h"
#include "exec/threads.h"

namespace tracefn::test {
namespace {

// Installed while it lives; does `handler` each time it is asked on the thread that made it.
class Hook final : public Interrupt {
 public:
  explicit Hook(std::function<void()> handler) : before_(process_interrupt()), handler_(std::move(handler)) {
    set_process_interrupt(this);
  }
  ~Hook() override { set_process_interrupt(before_); }
  void check() override {
    if (std::this_thread::get_id() != owner_) return;
    ++asked;
    handler_();
  }

  int asked = 0;

 private:
  const std::thread::id owner_ = std::this_thread::get_id();
  Interrupt* before_;
  std::function<void()> handler_;
};

[[noreturn]] void stop() { fail(ErrorKind::kKeyboardInterrupt, "stop"); }

// Until the next poll asks.
void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

std::int64_t sum_of_pieces() {
  std::atomic<std::int64_t> sum{0};
  ThreadPool::get().parallel_for(1000, 1000, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
  return sum;
}

TEST(poll_asks_once_in_a_while) {
  Hook hook([] {});
  wait();
  poll();
  poll();
  CHECK_EQ(hook.asked, 1);
  wait();
  poll();
  CHECK_EQ(hook.asked, 2);
}

TEST(poll_stops_keeps_what_was_thrown) {
  Hook hook(stop);
  wait();
  CHECK(poll_stops());
  CHECK_THROWS(std::rethrow_exception(take_stop()), kKeyboardInterrupt, "stop");
  CHECK(!take_stop());
}

TEST(without_polls_nothing_is_asked) {
  Hook hook(stop);
  {
    WithoutPolls whole;
    wait();
    poll();
    CHECK_EQ(sum_of_pieces(), 1000);
  }
  CHECK_EQ(hook.asked, 0);
  CHECK_THROWS(poll(), kKeyboardInterrupt, "stop");
}

// Shards that would never end by themselves, on any number of threads.
TEST(shards_end_when_the_caller_is_interrupted) {
  for (int threads : {1, 2, 4}) {
    Threads some(threads);
    {
      Hook hook(stop);
      auto call = [] {
        ThreadPool::get().parallel_for(16, 1e6, [](std::int64_t, std::int64_t) {
          while (true) poll();
        });
      };
      CHECK_THROWS(call(), kKeyboardInterrupt, "stop");
    }
    CHECK_EQ(sum_of_pieces(), 1000);
  }
}

// The caller has no piece left and waits.
TEST(a_caller_that_waits_asks) {
  Threads two(2);
  Hook hook(stop);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> begun{false};
  auto call = [&] {
    ThreadPool::get().parallel_for(2, 1e6, [&](std::int64_t, std::int64_t) {
      if (std::this_thread::get_id() != caller) {
        begun = true;
        while (true) poll();
      }
      while (!begun) std::this_thread::yield();
    });
  };
  CHECK_THROWS(call(), kKeyboardInterrupt, "stop");
}

TEST(pieces_that_had_not_begun_are_left_out) {
  Threads two(2);
  Hook hook(stop);
  std::atomic<int> begun{0};
  auto call = [&] {
    ThreadPool::get().parallel_for(10'000, 1e6, [&](std::int64_t, std::int64_t) {
      ++begun;
      wait();
    });
  };
  CHECK_THROWS(call(), kKeyboardInterrupt, "stop");
  CHECK(begun < 1000);
}

// A handler that throws nothing: the work goes on, and what the handler runs is no part of the shard.
TEST(handlers_run_outside_of_shards) {
  Threads two(2);
  std::int64_t in_handler = 0;
  bool inside = false;
  bool in_hook = false;
  Hook hook([&] {
    if (std::exchange(in_hook, true)) return;  // what it runs asks, too
    inside = inside || inside_shard();
    in_handler = sum_of_pieces();
    in_hook = false;
  });
  // On a busy machine the other thread may do all pieces before the caller polls.
  for (int tries = 0; tries < 1000 && in_handler == 0; ++tries) {
    wait();
    CHECK_EQ(sum_of_pieces(), 1000);
  }
  CHECK_EQ(in_handler, 1000);
  CHECK(!inside);
}

TEST(slices_cover_each_element_once) {
  for (std::int64_t n : {0, 1, 1023, 1024, 1'000'000}) {
    std::int64_t next = 0;
    in_slices(n, 10, [&](std::int64_t begin, std::int64_t end) {
      CHECK_EQ(begin, next);
      CHECK(end > begin);
      next = end;
    });
    CHECK_EQ(next, n);
  }
  CHECK_EQ(slice_length(1e12), 1);
  CHECK_EQ(slice_length(1.0) % 1024, 0);
}

}  // namespace
}  // namespace tracefn::test
