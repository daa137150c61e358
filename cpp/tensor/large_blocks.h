// Memory for large buffers: whole pages, huge ones where the system has them, and a few blocks kept for the next
// request, because fresh pages cost as much as a pass over them. Any thread may call.
#pragma once

#include <cstddef>

namespace tracefn::large_blocks {

// Requests from this size on are worth it; the C library keeps smaller blocks itself.
inline constexpr std::size_t kLeastBytes = std::size_t{16} << 20;
// At most this many bytes are kept while nobody uses them.
inline constexpr std::size_t kMostKept = std::size_t{128} << 20;

// At least `bytes`, aligned to a page; null when there is no memory. `capacity` is what release() wants back.
void* acquire(std::size_t bytes, std::size_t& capacity);
void release(void* block, std::size_t capacity);
// Gives kept blocks back to the system.
void trim();

}  // namespace tracefn::large_blocks
