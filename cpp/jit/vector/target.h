// VectorTarget: the registers of an instruction set that vector code is compiled for.
#pragma once

#include <cstdint>

namespace tracefn::vector_code {

enum class Isa : std::uint8_t {
  kAvx2,    // with FMA
  kAvx512,  // F, DQ, BW and VL
};

struct VectorTarget {
  Isa isa;
  int vector_bytes;
  int num_vectors;  // that values may be in
  // Registers for masks; none if a mask is a vector whose lanes have all bits set, or none.
  int first_mask, num_masks;
  double division_cycles;  // until the next one can start

  bool has_masks() const { return num_masks > 0; }
};

// ymm15 is the translator's.
inline constexpr VectorTarget kAvx2{Isa::kAvx2, 32, 15, 0, 0, 6};
// k0 and k1 are the translator's.
inline constexpr VectorTarget kAvx512{Isa::kAvx512, 64, 32, 2, 6, 16};

}  // namespace tracefn::vector_code
