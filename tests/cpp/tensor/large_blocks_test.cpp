// Large blocks: kept, found again, bounded, given back.
#include "tensor/large_blocks.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "../check.h"
#include "tensor/tensor.h"

namespace tracefn::test {
namespace {

constexpr std::size_t kBytes = std::size_t{20} << 20;

TEST(large_blocks_are_found_again) {
  large_blocks::trim();
  std::size_t capacity = 0, again = 0;
  void* block = large_blocks::acquire(kBytes, capacity);
  CHECK(block != nullptr);
  CHECK(capacity >= kBytes);
  CHECK_EQ(reinterpret_cast<std::uintptr_t>(block) % 4096, 0u);
  std::memset(block, 1, kBytes);
  large_blocks::release(block, capacity);
  CHECK(large_blocks::acquire(kBytes - 100, again) == block);
  CHECK_EQ(again, capacity);
  // Much smaller requests would waste it.
  large_blocks::release(block, capacity);
  void* smaller = large_blocks::acquire(kBytes / 2, again);
  CHECK(smaller != block);
  large_blocks::release(smaller, again);
  large_blocks::trim();
}

TEST(large_blocks_keep_the_newest_up_to_a_bound) {
  large_blocks::trim();
  std::vector<std::pair<void*, std::size_t>> blocks;
  for (int i = 0; i < 8; ++i) {
    std::size_t capacity = 0;
    void* block = large_blocks::acquire(kBytes, capacity);
    blocks.push_back({block, capacity});
  }
  for (auto [block, capacity] : blocks) large_blocks::release(block, capacity);
  std::size_t kept = large_blocks::kMostKept / blocks[0].second;
  for (std::size_t i = 0; i < kept; ++i) {
    std::size_t capacity = 0;
    void* found = large_blocks::acquire(kBytes, capacity);
    CHECK(found == blocks[blocks.size() - 1 - i].first);
    blocks[blocks.size() - 1 - i].second = capacity;
  }
  for (std::size_t i = 0; i < kept; ++i) {
    auto [block, capacity] = blocks[blocks.size() - 1 - i];
    large_blocks::release(block, capacity);
  }
  large_blocks::trim();
}

TEST(large_tensors_from_many_threads_are_their_own) {
  std::vector<std::thread> threads;
  std::vector<char> right(4, 0);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &right] {
      bool all = true;
      for (int i = 0; i < 10; ++i) {
        Tensor x(DType::kUInt8, Shape({static_cast<std::int64_t>(kBytes)}));
        std::memset(x.mutable_raw(), t, kBytes);
        for (std::size_t at = 0; at < kBytes; at += 4096) all &= x.data<std::uint8_t>()[at] == t;
      }
      right[static_cast<std::size_t>(t)] = all;
    });
  for (std::thread& t : threads) t.join();
  for (char r : right) CHECK(r == 1);
  large_blocks::trim();
}

// A sanitizer's own threads do not survive a fork.
#if !defined(__SANITIZE_THREAD__)
TEST(large_blocks_can_be_had_after_a_fork_in_the_midst_of_others) {
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
      std::size_t capacity = 0;
      void* block = large_blocks::acquire(kBytes, capacity);
      large_blocks::release(block, capacity);
    }
  });
  for (int i = 0; i < 300; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      std::size_t capacity = 0;
      _exit(large_blocks::acquire(kBytes, capacity) ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  stop = true;
  busy.join();
  large_blocks::trim();
}
#endif

}  // namespace
}  // namespace tracefn::test
