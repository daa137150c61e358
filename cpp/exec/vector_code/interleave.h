// Interleaving: a program for several vectors at once, instruction by instruction. A long chain of operations that each
// wait for the one before leaves the processor idle otherwise: it looks some hundred instructions ahead, and the next
// vector is further away.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/vector_code/program.h"

namespace tracefn::vector_code {

struct Interleaved {
  std::vector<Instruction> instructions;
  std::vector<std::uint8_t> vectors;  // by instruction: which one it is for
};

// Bit k of `scalars` says that place k holds one element. What is the same for all vectors is there once.
Interleaved interleave(const Program& program, std::uint64_t scalars, int num_vectors);

// Whether the instruction makes a constant or reads one element: for the whole run.
bool is_uniform(const Instruction& made, std::uint64_t scalars);

// For how many vectors at once, a power of two, the registers permitting.
int num_vectors_worth(const Program& program);

}  // namespace tracefn::vector_code
