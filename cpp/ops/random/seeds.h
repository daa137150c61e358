// Where the stream of a stateless random op begins: a seed, or a key and a counter.
#pragma once

#include "math/philox.h"
#include "ops/kernel.h"

namespace tracefn {

inline constexpr std::int64_t kPhiloxAlgorithm = 1, kThreeFryAlgorithm = 2, kAutoSelect = 3;

// From an integer vector of two elements. Error(kInvalidArgument) for another shape.
Philox from_seed(const Tensor& seed);
// From inputs key, counter and algorithm, which are consecutive. Error(kInvalidArgument) if one is wrong; TensorFlow
// looks at the algorithm only if there is something to draw.
Philox from_key(KernelContext& c, std::size_t key_input);

}  // namespace tracefn
