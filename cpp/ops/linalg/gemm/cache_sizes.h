// The sizes of the processor's caches, which decide how large the blocks of a product are.
#pragma once

#include <cstdint>

namespace tracefn {

struct CacheSizes {
  std::int64_t second_level, last_level;  // bytes; typical ones where the system does not tell
};

// Read once. Any thread may call.
const CacheSizes& cache_sizes();

}  // namespace tracefn
