// Uses: which instructions read each value of a program, relative to a walk through it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "jit/vector/program.h"

namespace tracefn::vector_code {

class Uses {
 public:
  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

  explicit Uses(const std::vector<LaneInstruction>& instructions);

  bool any(Id value) const { return first_[value] < first_[value + 1]; }
  std::uint32_t count(Id value) const { return first_[value + 1] - first_[value]; }
  std::uint32_t first(Id value) const { return readers_[first_[value]]; }
  std::uint32_t last(Id value) const { return readers_[first_[value + 1] - 1]; }
  // The value's next use.
  std::uint32_t next(Id value) const { return next_[value] < first_[value + 1] ? readers_[next_[value]] : kNever; }
  // Marks one operand as read.
  void pass(Id value) { ++next_[value]; }

 private:
  std::vector<std::uint32_t> first_, next_;  // by value, into the readers
  std::vector<std::uint32_t> readers_;       // concatenated by value, in program order, once for each operand
};

// The maximum number of live values, with sources loaded as late as possible; without the first `num_uniform` values,
// which are the same for all elements. Masks count as vectors where they are not apart.
struct Alive {
  std::uint32_t vectors = 0, masks = 0;
};
Alive most_alive(const std::vector<LaneInstruction>& instructions, const Uses& uses, Id num_uniform,
                 bool masks_are_apart);

}  // namespace tracefn::vector_code
