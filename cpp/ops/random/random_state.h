// RandomState: the generator that a stateful random op keeps between runs, one per node of a concrete function (and one
// per op and attributes in eager mode, as TensorFlow reuses its kernels).
#pragma once

#include <mutex>

#include "math/philox.h"
#include "ops/kernel.h"

namespace tracefn {

class RandomState final : public RefCounted {
 public:
  // Both seeds zero: seeded from the system's entropy.
  RandomState(std::int64_t seed, std::int64_t seed2);

  // The generator at its current position; then advances by `blocks`. Thread-safe.
  // Restarts if reset_random_states() was called since the last time.
  Philox reserve(std::uint64_t blocks);

 private:
  const std::uint64_t seed_, seed2_;
  std::mutex mutex_;
  std::uint64_t epoch_;
  Philox generator_;
};

// Makes every random op restart from its seeds at its next run (tf.random.set_seed). Thread-safe.
void reset_random_states();
// How often that was called.
std::uint64_t random_epoch();

// The state of the running node, created from its `seed` and `seed2` if it has none.
RandomState& random_state(KernelContext& c);

}  // namespace tracefn
