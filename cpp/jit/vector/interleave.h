// Interleaving: runs a program for several vectors at once, instruction by instruction. Otherwise a long dependency
// chain leaves the processor idle: its out-of-order window is some hundred instructions, and the next vector is further
// away.
#pragma once

#include <cstdint>
#include <vector>

#include "jit/vector/program.h"
#include "jit/vector/target.h"
#include "jit/vector/uses.h"

namespace tracefn::vector_code {

struct Interleaved {
  std::vector<LaneInstruction> instructions;
  std::vector<std::uint8_t> vectors;  // by instruction: which vector it is for
  // The first ones compute the uniform values: constants and scalar sources.
  Id num_uniform = 0;
};

// Bit k of `scalars` says that place k holds one element.
Interleaved interleave(const LaneProgram& program, std::uint64_t scalars, int num_vectors);

// The interleaving, 1, 2 or 4, with the fewest cycles per vector; from the program for one, and the number of values
// live in it.
int num_vectors_worth(const Interleaved& single, const Alive& alive, const VectorTarget& target);

}  // namespace tracefn::vector_code
