// VectorCode: a program compiled to machine code: x86-64 with AVX2 and FMA, or with AVX-512. Immutable, so any number
// of threads may run it at once; fork() copies it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "jit/code_memory.h"
#include "jit/vector/entry.h"
#include "jit/vector/program.h"
#include "jit/vector/target.h"

namespace tracefn::vector_code {

class VectorCode {
 public:
  // Whether this processor can run vector code of the instruction set.
  static bool is_possible(Isa isa);
  // Compiles a finished program; bit k of `scalars` says that place k is one element repeated. Null on other
  // processors, if the system refuses executable memory, and for a program too long (2,000 instructions) or with more
  // live values than a small stack holds (some 500).
  // `overlaps`: elements may be computed twice, since none is read after it was stored. Then a row that ends within a
  // vector ends with a whole one, which begins within the one before, where the instruction set has no masks.
  static std::unique_ptr<const VectorCode> translate(const LaneProgram& program, std::uint64_t scalars, Isa isa,
                                                     bool overlaps = false);

  // Computes elements 0 to n, and returns how many were done: fewer than n if a guard failed, then a multiple of the
  // vector length, with everything before stored. A place may be both read and stored.
  std::int64_t run(void* const* places, std::int64_t n) const;
  // The same for rows of n elements.
  std::int64_t run(void** places, std::int64_t n, const std::int64_t* steps, std::int64_t& rows) const {
    return entry()(places, n, steps, &rows);
  }
  // Valid as long as this is.
  Entry entry() const { return reinterpret_cast<Entry>(reinterpret_cast<std::uintptr_t>(memory_.start())); }

 private:
  explicit VectorCode(machine_code::CodeMemory memory) : memory_(std::move(memory)) {}
  machine_code::CodeMemory memory_;
};

}  // namespace tracefn::vector_code
