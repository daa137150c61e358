// Memory for large buffers, of which a few blocks are kept for the next request, because fresh pages cost as much as a
// pass over them: the C library gives back to the system what is freed at the end of its heap. The largest blocks are
// mappings of their own, of huge pages where the system has them. Any thread may call.
#pragma once

#include <cstddef>

namespace tracefn::large_blocks {

// Requests from this size on are worth it; the C library keeps smaller blocks itself.
inline constexpr std::size_t kLeastBytes = std::size_t{64} << 10;
// Blocks from this size on are mappings.
inline constexpr std::size_t kLeastMapped = std::size_t{16} << 20;
// At most this many bytes, in at most so many blocks, are kept while nobody uses them.
inline constexpr std::size_t kMostKept = std::size_t{128} << 20;
inline constexpr std::size_t kMostBlocks = 256;

// At least `bytes`, aligned to a cache line; null when there is no memory. `capacity` is what release() wants back.
void* acquire(std::size_t bytes, std::size_t& capacity);
void release(void* block, std::size_t capacity);
// Gives kept blocks back to the system.
void trim();

}  // namespace tracefn::large_blocks
