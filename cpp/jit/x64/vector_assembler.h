// VectorAssembler: what the assemblers of vector code share: the names of operations, VEX prefixes, and data behind the
// code. Knows nothing of programs; runs on every machine. Used by one thread.
#pragma once

#include <cstdint>

#include "jit/vector/program.h"
#include "jit/x64/assembler.h"

namespace tracefn::vector_code {

using machine_code::Gpr;
using machine_code::Label;
using machine_code::Mem;
using machine_code::Rounding;
using GprWidth = machine_code::Width;

// Binary operations. Numbers, then bits.
enum class Binary : std::uint8_t {
  add,
  sub,
  mul,
  div,
  max,
  min,
  and_,
  or_,
  xor_,
  add_bits,
  sub_bits,
  mul_bits,
  min_bits
};
// Which operand `to` initially is, and which are multiplied: to * c + b, b * to + c, b * c + to.
enum class MultiplyAdd : std::uint8_t { to_c_b = 0x98, b_to_c = 0xA8, b_c_to = 0xB8 };
enum class BitShift : std::uint8_t { left = 6, right = 2 };
// Values match the encoding; none signals.
enum class Comparison : std::uint8_t {
  equal = 0,
  not_equal = 4,
  less = 0x11,
  less_equal = 0x12,
  greater_equal = 0x1D,
  greater = 0x1E
};

class VectorAssembler : public machine_code::Assembler {
 public:
  // Numbers at a label, behind the code: to be emitted last.
  void data(std::uint64_t value, unsigned bytes);
  void zero_upper();

 protected:
  static bool is_wide(LaneWidth w) { return w == LaneWidth::k64; }
  // Of an operation on two vectors.
  struct Opcode {
    std::uint8_t map, prefix, opcode;
  };
  static Opcode opcode_of(Binary op, LaneWidth w);

  struct VexEncoding {
    std::uint8_t map;     // 1: 0F, 2: 0F 38, 3: 0F 3A
    std::uint8_t prefix;  // 0: none, 1: 66, 2: F3, 3: F2
    std::uint8_t opcode;
    bool wide = false;        // the bit W
    std::uint8_t length = 1;  // 0: 128 bits, 1: 256
  };
  void vex(const VexEncoding& e, unsigned reg, unsigned second, const machine_code::Rm& rm,
           std::uint32_t immediate = 0);
};

}  // namespace tracefn::vector_code
