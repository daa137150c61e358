// The random part of the kernel table: Philox streams and distributions.
#pragma once

#include "math/philox.h"
#include "ops/elementwise/block.h"

namespace tracefn {

// Fills elements [begin, end) of a distribution's stream; `out` points to element 0. `begin` is a multiple of
// kRandomGroup. The stream begins at `start`; `low` and `range` bound integers, for range != 0: low + word % range.
using RandomFill = void (*)(const Philox* start, std::int64_t begin, std::int64_t end, void* out, std::uint64_t low,
                            std::uint64_t range);

// The shard granularity: a multiple of what one Philox block gives for any dtype.
inline constexpr std::int64_t kRandomGroup = 4;

enum RandomDistribution : int { kUniform, kStandardNormal, kTruncatedNormal, kRandomDistributions };

struct RandomKernels {
  RandomFill fill[kRandomDistributions][kDTypeSlots];
};

void fill_random(RandomKernels& kernels);

}  // namespace tracefn
