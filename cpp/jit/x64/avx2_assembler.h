// Avx2Assembler: an assembler that also knows the AVX2 and FMA instructions of vector code: 256-bit registers. A mask
// is a vector whose lanes have all bits set, or none. Knows nothing of programs; runs on every machine. Used by one
// thread.
#pragma once

#include <cstdint>

#include "jit/x64/vector_assembler.h"

namespace tracefn::vector_code {

enum class Ymm : std::uint8_t {};  // 0 to 15

// A register, or a vector in memory.
struct YmmOperand {
  YmmOperand(Ymm r) : rm(static_cast<machine_code::Xmm>(r)) {}  // NOLINT(google-explicit-constructor)
  YmmOperand(const Mem& m) : rm(m) {}                           // NOLINT(google-explicit-constructor)

  machine_code::Rm rm;
};

class Avx2Assembler : public VectorAssembler {
 public:
  void binary(Binary op, LaneWidth w, Ymm to, Ymm a, const YmmOperand& b);
  void multiply_add(MultiplyAdd form, LaneWidth w, Ymm to, Ymm b, const YmmOperand& c);
  void and_not(Ymm to, Ymm a, const YmmOperand& b);  // the complement of `a`
  void sqrt(LaneWidth w, Ymm to, const YmmOperand& from);
  void round(LaneWidth w, Ymm to, const YmmOperand& from, Rounding mode);
  void shift_bits(BitShift op, LaneWidth w, Ymm to, Ymm from, std::uint8_t by);
  void signed_value(Ymm to, const YmmOperand& from);  // of 32 bits
  void compare(Comparison how, LaneWidth w, Ymm to, Ymm a, const YmmOperand& b);
  void more_bits(LaneWidth w, Ymm to, Ymm a, const YmmOperand& b);  // a > b, as signed integers
  void equal_bits(LaneWidth w, Ymm to, Ymm a, const YmmOperand& b);
  void sign_mask(LaneWidth w, Ymm to, Ymm from);
  void blend(LaneWidth w, Ymm to, Ymm condition, Ymm no, const YmmOperand& yes);

  void move(Ymm to, Ymm from);
  void load(Ymm to, const Mem& from);
  void store(const Mem& to, Ymm from);
  // The lanes of a mask; the others become zero, or are not written.
  void load_lanes(LaneWidth w, Ymm to, Ymm mask, const Mem& from);
  void store_lanes(LaneWidth w, const Mem& to, Ymm mask, Ymm from);
  // The first 16, 8 or 4 bytes of a vector.
  void store_first(unsigned bytes, const Mem& to, Ymm from);
  void load_half(Ymm to, const Mem& from);  // the lower one; the other becomes zero
  // The upper half, or the lower one without its first eight bytes, moved to the beginning.
  void upper_half(Ymm to, Ymm from);
  void without_first_eight(Ymm to, Ymm from);
  void repeat(LaneWidth w, Ymm to, const Mem& from);

  // Bytes, one for each lane: eight, or four of wide lanes.
  void widen_bytes(LaneWidth w, Ymm to, const Mem& from);
  // The low bytes of `to`: 1 where the mask has a lane, else 0. `to` is not `mask`.
  void narrow_mask(LaneWidth w, Ymm to, Ymm mask);
  void store_bytes(LaneWidth w, const Mem& to, Ymm from);

  void lane_bits(LaneWidth w, Gpr to, Ymm mask);  // one bit for each lane
};

}  // namespace tracefn::vector_code
