// The state of a tf.random.Generator: a Variable of dtype int64 that holds a Philox counter and key.
#pragma once

#include "math/philox.h"
#include "ops/kernel.h"

namespace tracefn {

// The generator in the Variable behind input 0, which then advances by `blocks`; checks the state as TensorFlow does.
Philox take_from_generator(KernelContext& c, std::uint64_t blocks);
// Throws unless input `i`, a scalar, is the number of an algorithm that there is.
void require_philox(const KernelContext& c, std::size_t i);

}  // namespace tracefn
