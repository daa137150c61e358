// Interleaving: a program for several vectors at once, instruction by instruction. A long chain of operations that each
// wait for the one before leaves the processor idle otherwise: it looks some hundred instructions ahead, and the next
// vector is further away.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/vector_code/program.h"
#include "exec/vector_code/uses.h"

namespace tracefn::vector_code {

struct Interleaved {
  std::vector<Instruction> instructions;
  std::vector<std::uint8_t> vectors;  // by instruction: which one it is for
};

// Bit k of `scalars` says that place k holds one element. What is the same for all vectors is there once.
Interleaved interleave(const Program& program, std::uint64_t scalars, int num_vectors);

// For how many vectors at once, 1, 2 or 4, it takes the fewest cycles each, given how many values are alive in one.
int num_vectors_worth(const Program& program, const Alive& alive);

}  // namespace tracefn::vector_code
