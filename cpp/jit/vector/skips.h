// Skips: the parts of a program that only one side of a select needs, which code jumps over while no lane takes that
// side.
#pragma once

#include <vector>

#include "jit/vector/program.h"

namespace tracefn::vector_code {

// The instructions in `parts` are only needed for operand `side` of the select, 1 or 2.
struct Skip {
  Id select;
  int side;
  std::vector<Id> parts;  // in order
};

// Those worth a jump, by select, for code for `num_vectors` at once. Instructions that `is_uniform` are computed before
// the loop, so they are in no part. No instruction is in two parts.
std::vector<Skip> find_skips(const std::vector<LaneInstruction>& instructions, const std::vector<char>& is_uniform,
                             int num_vectors);

}  // namespace tracefn::vector_code
