// Seeds and advances generators.
#include "ops/random/random_state.h"

#include <atomic>
#include <random>

namespace tracefn {
namespace {

std::atomic<std::uint64_t> epoch{0};

std::uint64_t entropy() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

Philox seeded(std::uint64_t seed, std::uint64_t seed2) {
  return seed == 0 && seed2 == 0 ? Philox::of(entropy(), 0, entropy()) : Philox::of(seed, 0, seed2);
}

}  // namespace

RandomState::RandomState(std::int64_t seed, std::int64_t seed2)
    : seed_(static_cast<std::uint64_t>(seed)),
      seed2_(static_cast<std::uint64_t>(seed2)),
      epoch_(random_epoch()),
      generator_(seeded(seed_, seed2_)) {}

Philox RandomState::reserve(std::uint64_t blocks) {
  std::lock_guard lock(mutex_);
  if (std::uint64_t now = random_epoch(); epoch_ != now) {
    epoch_ = now;
    generator_ = seeded(seed_, seed2_);
  }
  Philox at = generator_;
  generator_.skip(blocks);
  return at;
}

void reset_random_states() { epoch.fetch_add(1); }
std::uint64_t random_epoch() { return epoch.load(); }

RandomState& random_state(KernelContext& c) {
  Ref<RefCounted>& state = c.state();
  if (!state) state = make_ref<RandomState>(c.attr("seed").i(), c.attr("seed2").i());
  c.close_state();  // drawing may take long, and a signal handler may draw from the same generator
  return static_cast<RandomState&>(*state);
}

}  // namespace tracefn
