// A list of free blocks, from the heap and mapped.
#include "tensor/large_blocks.h"

#include <pthread.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace tracefn::large_blocks {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20, kPage = 4096;

struct Block {
  void* memory;
  std::size_t capacity;
};

struct Kept {
  std::mutex mutex;
  std::vector<Block> blocks;  // oldest first
  std::size_t bytes = 0;

  // Held locked over a fork, so that the child never finds it locked by a thread that it does not have.
  Kept() {
    pthread_atfork([] { instance().mutex.lock(); }, [] { instance().mutex.unlock(); },
                   [] { instance().mutex.unlock(); });
  }
  // Never destroyed: buffers may die after static objects.
  static Kept& instance() {
    static auto* kept = new Kept();
    return *kept;
  }
};

// A mapping aligned to a huge page.
void* map(std::size_t capacity) {
  void* all = mmap(nullptr, capacity + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return nullptr;
  auto begin = reinterpret_cast<std::uintptr_t>(all);
  std::uintptr_t aligned = (begin + kHugePage - 1) / kHugePage * kHugePage;
  if (aligned != begin) munmap(all, aligned - begin);
  void* end = reinterpret_cast<void*>(aligned + capacity);
  if (aligned != begin + kHugePage) munmap(end, begin + kHugePage - aligned);
  void* memory = reinterpret_cast<void*>(aligned);
#if defined(MADV_HUGEPAGE)
  madvise(memory, capacity, MADV_HUGEPAGE);  // a hint: it works without huge pages too
#endif
  return memory;
}

void* fresh(std::size_t capacity) {
  return capacity >= kLeastMapped ? map(capacity) : std::aligned_alloc(64, capacity);
}

void give_back(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    if (block.capacity >= kLeastMapped) {
      munmap(block.memory, block.capacity);
    } else {
      std::free(block.memory);
    }
  }
}

}  // namespace

void* acquire(std::size_t bytes, std::size_t& capacity) {
  const std::size_t unit = bytes >= kLeastMapped ? kHugePage : kPage;
  capacity = (bytes + unit - 1) / unit * unit;
  {
    Kept& k = Kept::instance();
    std::lock_guard lock(k.mutex);
    // The newest that fits and wastes at most an eighth.
    for (std::size_t i = k.blocks.size(); i-- > 0;) {
      Block block = k.blocks[i];
      if (block.capacity < capacity || block.capacity - capacity > capacity / 8) continue;
      k.blocks.erase(k.blocks.begin() + static_cast<std::ptrdiff_t>(i));
      k.bytes -= block.capacity;
      capacity = block.capacity;
      return block.memory;
    }
  }
  if (void* memory = fresh(capacity)) return memory;
  trim();
  return fresh(capacity);
}

void release(void* memory, std::size_t capacity) {
  if (capacity > kMostKept) return give_back({{memory, capacity}});
  std::vector<Block> dropped;
  {
    Kept& k = Kept::instance();
    std::lock_guard lock(k.mutex);
    k.blocks.push_back({memory, capacity});
    k.bytes += capacity;
    while (k.bytes > kMostKept || k.blocks.size() > kMostBlocks) {
      dropped.push_back(k.blocks.front());
      k.bytes -= k.blocks.front().capacity;
      k.blocks.erase(k.blocks.begin());
    }
  }
  give_back(dropped);
}

void trim() {
  std::vector<Block> dropped;
  {
    Kept& k = Kept::instance();
    std::lock_guard lock(k.mutex);
    dropped.swap(k.blocks);
    k.bytes = 0;
  }
  give_back(dropped);
}

}  // namespace tracefn::large_blocks
