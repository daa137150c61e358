// SeedGenerator: what gives each pass over a shuffled dataset its seeds. The object behind a handle of dtype resource;
// any thread may call.
#pragma once

#include <mutex>
#include <utility>

#include "math/philox.h"
#include "ops/kernel.h"

namespace tracefn::data {

struct SeedPair {
  std::int64_t seed = 0, seed2 = 0;
};

class SeedGenerator : public RefCounted {
 public:
  // Two zeros stand for a seed that nobody knows.
  SeedGenerator(SeedPair seeds, bool reshuffle);

  const SeedPair& seeds() const { return seeds_; }
  bool reshuffles() const { return reshuffle_; }
  // The seeds of the next pass: new ones each time, if it reshuffles.
  SeedPair next();
  // How many passes have taken seeds: the position of the generator.
  std::int64_t passes();
  void set_passes(std::int64_t n);

 private:
  SeedPair seeds_;
  const bool reshuffle_;
  std::mutex mutex_;
  std::int64_t passes_ = 0;
};

// The generator behind a handle, or a new one if the handle is that of DummySeedGenerator.
Ref<SeedGenerator> seed_generator_input(const KernelContext& c, SeedPair seeds, bool reshuffle);

}  // namespace tracefn::data
