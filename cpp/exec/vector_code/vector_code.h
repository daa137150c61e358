// VectorCode: a program translated for the processor: x86-64 with AVX-512 (F, DQ, BW, VL) as yet. Immutable, so any
// number of threads may run it at once; fork() copies it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "exec/machine_code/code_memory.h"
#include "exec/vector_code/program.h"

namespace tracefn::vector_code {

class VectorCode {
 public:
  // Whether this processor runs such code.
  static bool is_possible();
  // Of a finished program; bit k of `scalars` says that place k is one element repeated. Null on other processors, when
  // the system refuses executable memory, and for a program longer than is worth translating (of 2,000 instructions) or
  // with more values alive at once than a small stack holds (some 500).
  static std::unique_ptr<const VectorCode> translate(const Program& program, std::uint64_t scalars);

  // Computes elements 0 to n, and says how many were done: fewer than n where a guard did not hold, a multiple of the
  // vector's length then, with everything before stored. A place that is stored to may be one that is read.
  std::int64_t run(void* const* places, std::int64_t n) const;

 private:
  explicit VectorCode(machine_code::CodeMemory memory) : memory_(std::move(memory)) {}
  machine_code::CodeMemory memory_;
};

}  // namespace tracefn::vector_code
