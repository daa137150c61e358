// Avx512Assembler: an assembler that also knows the AVX-512 instructions of vector code: 512-bit registers, and masks
// of one bit per lane. Knows nothing of programs; runs on every machine. Used by one thread.
#pragma once

#include <cstdint>

#include "jit/x64/vector_assembler.h"

namespace tracefn::vector_code {

enum class Zmm : std::uint8_t {};   // 0 to 31
enum class Mask : std::uint8_t {};  // k0 to k7

// A register, a vector in memory, or one number in memory broadcast to all lanes.
struct VectorOperand {
  VectorOperand(Zmm r)  // NOLINT(google-explicit-constructor)
      : rm(static_cast<machine_code::Xmm>(r)) {}
  VectorOperand(const Mem& m, bool repeated) : rm(m), is_repeated(repeated) {}

  machine_code::Rm rm;
  bool is_repeated = false;
};

// The lanes that an instruction writes; the others become zero. k0 means all lanes.
struct Lanes {
  Mask mask{0};
};

// Ternary logic by a table: bit 4 p + 2 q + r of it is the result if `to` has the bit p, `b` q and `c` r.
using BitTable = std::uint8_t;
// Of signed integers; values match the encoding.
enum class BitComparison : std::uint8_t { equal = 0, less = 1, greater = 6 };
enum class MaskOp : std::uint8_t { and_ = 0x41, not_and = 0x42, or_ = 0x45, xor_ = 0x47 };

class Avx512Assembler : public VectorAssembler {
 public:
  void binary(Binary op, LaneWidth w, Zmm to, Zmm a, const VectorOperand& b);
  void multiply_add(MultiplyAdd form, LaneWidth w, Zmm to, Zmm b, const VectorOperand& c);
  void combine_bits(BitTable table, LaneWidth w, Zmm to, Zmm b, const VectorOperand& c);
  void sqrt(LaneWidth w, Zmm to, const VectorOperand& from);
  void round(LaneWidth w, Zmm to, const VectorOperand& from, Rounding mode);
  void shift_bits(BitShift op, LaneWidth w, Zmm to, const VectorOperand& from, std::uint8_t by);
  void signed_value(Zmm to, const VectorOperand& from);  // of 32 bits
  void compare(Comparison how, LaneWidth w, Mask to, Zmm a, const VectorOperand& b);
  void compare_bits(BitComparison how, LaneWidth w, Mask to, Zmm a, const VectorOperand& b);
  void sign_bits(LaneWidth w, Mask to, Zmm from);
  void blend(LaneWidth w, Zmm to, Mask condition, Zmm no, const VectorOperand& yes);

  void move(Zmm to, Zmm from);
  void move(LaneWidth w, Zmm to, Zmm from, Lanes lanes);
  void load(LaneWidth w, Zmm to, const Mem& from, Lanes lanes = {});
  void store(LaneWidth w, const Mem& to, Zmm from, Lanes lanes = {});  // other lanes are not written
  void store_first(LaneWidth w, const Mem& to, Zmm from);              // the first lane
  void repeat(LaneWidth w, Zmm to, const Mem& from, Lanes lanes = {});

  // Bytes of the low lanes of `to`: sixteen, or eight and eight zeros.
  void load_bytes(Zmm to, const Mem& from, Lanes lanes = {});
  void load_eight_bytes(Zmm to, const Mem& from);
  void store_bytes(const Mem& to, Zmm from, Lanes lanes = {});
  void store_eight_bytes(const Mem& to, Zmm from);
  void nonzero_bytes(Mask to, Zmm from);  // of sixteen

  // Masks of sixteen lanes.
  void mask(MaskOp op, Mask to, Mask a, Mask b);  // not_and: the complement of `a`
  void mask_not(Mask to, Mask from);
  void mask_load(LaneWidth w, Mask to, const Mem& from);  // eight bytes for k8, else two
  void mask_store(const Mem& to, Mask from);
  // Sets the zero flag if no lane is set, and the carry flag if all are; of eight lanes if `w` is k64.
  void mask_test(LaneWidth w, Mask a);

 private:
  struct Encoding {
    std::uint8_t map;     // 1: 0F, 2: 0F 38, 3: 0F 3A
    std::uint8_t prefix;  // 0: none, 1: 66, 2: F3, 3: F2
    std::uint8_t opcode;
    bool wide;                // the bit W
    std::uint8_t length = 2;  // 0: 128 bits, 2: 512
    std::uint8_t memory = 0;  // bytes of the memory operand, if it is not a whole vector or a broadcast
  };
  struct Writemask {
    Mask mask;
    bool zeroes;
  };
  static Writemask zeroing(Lanes lanes) { return {lanes.mask, lanes.mask != Mask{0}}; }
  static Encoding of_numbers(std::uint8_t opcode, LaneWidth w);
  // Of a load or store whose mask is by elements.
  static Encoding of_elements(std::uint8_t numbers, std::uint8_t bytes, LaneWidth w);
  void evex(const Encoding& e, unsigned reg, unsigned second, const VectorOperand& rm, Writemask mask = {},
            std::uint32_t immediate = 0);
};

}  // namespace tracefn::vector_code
