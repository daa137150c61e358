// Random programs of bools alone, from a seed: one of masks, and one of bytes that computes the same.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "jit/vector/program.h"
#include "jit/vector/random_program.h"

namespace tracefn::test {

class RandomBools {
 public:
  using LaneOp = vector_code::LaneOp;
  using Place = RandomProgram<float>::Place;

  std::vector<Place> places;
  std::uint64_t scalars = 0;
  vector_code::LaneProgram program{vector_code::LaneWidth::k32}, bytes{vector_code::LaneWidth::k8};

  RandomBools(std::uint64_t seed, std::size_t num_sources, std::size_t length) : random_(seed) {
    for (std::size_t k = 0; k < num_sources; ++k) {
      const Place place{true, k < 64 && below(4) == 0};
      places.push_back(place);
      if (place.is_scalar) scalars |= std::uint64_t{1} << k;
      add(LaneOp::kMaskSource, 0, 0, k);
    }
    for (std::size_t k = 0; k < length; ++k) {
      constexpr LaneOp kOps[] = {LaneOp::kMaskAnd, LaneOp::kMaskOr, LaneOp::kMaskXor, LaneOp::kMaskNot};
      if (below(16) == 0) {
        add(LaneOp::kMaskConstant, 0, 0, below(2));
      } else {
        const std::size_t a = below(made_.size()), b = below(made_.size());
        add(kOps[below(4)], a, b, 0);
      }
    }
    std::vector<vector_code::LaneProgram::Store> of_masks, of_bytes;
    for (std::size_t k = 1 + below(4); k > 0; --k) {
      const Both& both = made_[made_.size() - 1 - below(made_.size() / 2 + 1)];
      of_masks.push_back({both.mask, places.size()});
      of_bytes.push_back({both.byte, places.size()});
      places.push_back({true, false, true});
    }
    program.finish(of_masks);
    bytes.finish(of_bytes);
  }

  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  struct Both {
    vector_code::Id mask, byte;
  };
  // The operands are numbers of what was made before.
  void add(LaneOp op, std::size_t a, std::size_t b, std::uint64_t bits) {
    const Both x = num_inputs(op) > 0 ? made_[a] : Both{}, y = num_inputs(op) > 1 ? made_[b] : Both{};
    made_.push_back({program.add(op, x.mask, y.mask, 0, bits), bytes.add(op, x.byte, y.byte, 0, bits)});
  }

  std::mt19937_64 random_;
  std::vector<Both> made_;
};

}  // namespace tracefn::test
