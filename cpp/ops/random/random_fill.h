// Shared by stateful and stateless random ops: fills a tensor from a position in a Philox stream.
#pragma once

#include "ops/kernel.h"
#include "ops/random/random.kernels.h"

namespace tracefn {

// Fills all of `out`, sharded; the numbers do not depend on the shards. Integers are low + word % range, or whole words
// if range is 0.
void fill_random(KernelContext& c, RandomDistribution distribution, const Philox& start, Tensor& out,
                 std::uint64_t low = 0, std::uint64_t range = 0);

// Bounds of random integers, as bits of the output's dtype.
struct IntegerRange {
  std::uint64_t low, high;
  bool is_signed, is_wide;
  // Error(kInvalidArgument) unless low < high.
  void check() const;
  std::uint64_t size() const { return is_wide ? high - low : static_cast<std::uint32_t>(high - low); }
};
// Error(kInvalidArgument) unless both are scalars.
IntegerRange integer_range(const Tensor& minval, const Tensor& maxval);

}  // namespace tracefn
