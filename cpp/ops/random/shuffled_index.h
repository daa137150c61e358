// The random order of a range of numbers that takes no memory.
#pragma once

#include <cstdint>

namespace tracefn {

// The place of `index` in a random order of 0, ..., most, which `key` chooses. Preconditions: index <= most; an even
// number of rounds from 4 on.
std::uint64_t shuffled_index(std::uint64_t index, const std::uint32_t (&key)[3], std::uint64_t most,
                             std::int64_t rounds);

}  // namespace tracefn
