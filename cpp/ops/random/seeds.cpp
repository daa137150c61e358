#include "ops/random/seeds.h"

namespace tracefn {
namespace {

// TensorFlow's scrambling of a two-number seed into a key and a counter.
Philox scrambled(std::uint64_t seed0, std::uint64_t seed1) {
  Philox mixer = Philox::of(0x02461e293ec8f720ull, seed0, seed1);
  std::uint32_t mix[4];
  mixer.words(mix);
  return {{0, 0, mix[2], mix[3]}, {mix[0], mix[1]}};
}

std::uint64_t seed_at(const Tensor& seed, std::int64_t i) {
  switch (seed.dtype()) {
    case DType::kInt32:
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(seed.data<std::int32_t>()[i]));
    case DType::kUInt32:
      return seed.data<std::uint32_t>()[i];
    default:
      return seed.data<std::uint64_t>()[i];
  }
}

}  // namespace

Philox from_seed(const Tensor& seed) {
  if (seed.rank() != 1 || seed.dim(0) != 2) invalid_argument("seed must have shape [2], not ", seed.shape().text());
  return scrambled(seed_at(seed, 0), seed_at(seed, 1));
}

Philox from_key(KernelContext& c, std::size_t key_input) {
  const Tensor& key = c.input(key_input);
  const Tensor& counter = c.input(key_input + 1);
  const Tensor& algorithm = c.input(key_input + 2);
  if (algorithm.rank() != 0)
    invalid_argument("input ", key_input + 2, " (0-based) must have shape [], not ", algorithm.shape().text());
  if (key.rank() != 1 || key.dim(0) != 1)
    invalid_argument("key must have shape [1], not ", key.shape().text(),
                     ". (Note that batched keys are not supported yet.)");
  if (counter.rank() != 1 || counter.dim(0) < 2)
    invalid_argument("counter must be a vector with length at least ", counter.rank() == 1 ? 2 : 1,
                     "; got shape: ", counter.shape().text(), ". (Note that batched counters are not supported yet.)");
  std::int32_t number = algorithm.item<std::int32_t>();
  if (number != kPhiloxAlgorithm && number != kAutoSelect && c.output(0).num_elements() > 0)
    invalid_argument("Unsupported algorithm id: ", number);
  return Philox::of(key.item<std::uint64_t>(), counter.data<std::uint64_t>()[0], counter.data<std::uint64_t>()[1]);
}

}  // namespace tracefn
