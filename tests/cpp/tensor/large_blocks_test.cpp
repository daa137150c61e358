// Large blocks: kept, found again, bounded, given back.
#include "tensor/large_blocks.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "check.h"
#include "tensor/tensor.h"

namespace tracefn::test {
namespace {

constexpr std::size_t kBytes = std::size_t{20} << 20;

TEST(large_blocks_are_found_again) {
  for (std::size_t bytes : {kBytes, std::size_t{400'000}, large_blocks::kLeastBytes, large_blocks::kLeastMapped}) {
    large_blocks::trim();
    std::size_t capacity = 0, again = 0;
    void* block = large_blocks::acquire(bytes, capacity);
    CHECK(block != nullptr);
    CHECK(capacity >= bytes);
    CHECK_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0u);
    std::memset(block, 1, bytes);
    large_blocks::release(block, capacity);
    CHECK(large_blocks::acquire(bytes - 100, again) == block);
    CHECK_EQ(again, capacity);
    // Much smaller requests would waste it.
    large_blocks::release(block, capacity);
    void* smaller = large_blocks::acquire(bytes / 2, again);
    CHECK(smaller != block);
    large_blocks::release(smaller, again);
    large_blocks::trim();
  }
}

TEST(large_blocks_are_bounded_in_number) {
  large_blocks::trim();
  std::vector<std::pair<void*, std::size_t>> blocks(large_blocks::kMostBlocks + 1);
  for (auto& [block, capacity] : blocks) block = large_blocks::acquire(large_blocks::kLeastBytes, capacity);
  for (auto [block, capacity] : blocks) large_blocks::release(block, capacity);
  // All but the first, newest first.
  for (std::size_t i = blocks.size(); i-- > 1;) {
    std::size_t capacity = 0;
    CHECK(large_blocks::acquire(large_blocks::kLeastBytes, capacity) == blocks[i].first);
  }
  for (std::size_t i = 1; i < blocks.size(); ++i) large_blocks::release(blocks[i].first, blocks[i].second);
  large_blocks::trim();
}

TEST(large_blocks_keep_the_newest_up_to_a_bound) {
  large_blocks::trim();
  std::vector<std::pair<void*, std::size_t>> blocks;
  std::size_t kept = 1;
  for (std::size_t i = 0; i < kept + 2; ++i) {
    std::size_t capacity = 0;
    void* block = large_blocks::acquire(kBytes, capacity);
    blocks.push_back({block, capacity});
    kept = large_blocks::kMostKept / capacity;
  }
  for (auto [block, capacity] : blocks) large_blocks::release(block, capacity);
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
