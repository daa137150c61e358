// Memory for large buffers; a few blocks are cached for reuse, because fresh pages cost as much as a pass over them:
// the C library returns memory at the end of its heap to the system. The largest blocks are separate mappings, with
// huge pages if available. Any thread may call.
#pragma once

#include <cstddef>

namespace tracefn::large_blocks {

// Caching pays off from this size on; the C library caches smaller blocks itself.
inline constexpr std::size_t kLeastBytes = std::size_t{64} << 10;
// Blocks from this size on are mappings.
inline constexpr std::size_t kLeastMapped = std::size_t{16} << 20;
// The limits of the cache: this many bytes, in this many blocks.
inline constexpr std::size_t kMostKept = std::size_t{256} << 20;
inline constexpr std::size_t kMostBlocks = 256;

// At least `bytes`, aligned to a cache line; null if out of memory. `capacity` must be passed to release().
void* acquire(std::size_t bytes, std::size_t& capacity);
void release(void* block, std::size_t capacity);
// Returns cached blocks to the system.
void trim();

}  // namespace tracefn::large_blocks
