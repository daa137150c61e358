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
  // So many at the beginning make what is the same for all elements: of constants and of scalar sources.
  Id num_uniform = 0;
};

// Bit k of `scalars` says that place k holds one element.
Interleaved interleave(const Program& program, std::uint64_t scalars, int num_vectors);

// For how many vectors at once, 1, 2 or 4, it takes the fewest cycles each; of the program for one, and of how many
// values are alive in it.
int num_vectors_worth(const Interleaved& single, const Alive& alive);

}  // namespace tracefn::vector_code
