// Encodings with VEX prefixes, after Intel's Software Developer's Manual, volume 2.
#include "jit/x64/vector_assembler.h"

#include <iterator>

#include "base/consecutive.h"

namespace tracefn::vector_code {

void VectorAssembler::data(std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) byte(value >> (8 * i) & 0xFF);
}

void VectorAssembler::zero_upper() {
  byte(0xC5);
  byte(0xF8);
  byte(0x77);
}

VectorAssembler::Opcode VectorAssembler::opcode_of(Binary op, LaneWidth w) {
  // Bitwise operations have the prefix 66 for both widths.
  struct Opcodes {
    std::uint8_t narrow, wide;
    bool of_bits;
    std::uint8_t map = 1;
  };
  static constexpr Opcodes kOpcodes[] = {
      {0x58, 0x58, false}, {0x5C, 0x5C, false},   {0x59, 0x59, false}, {0x5E, 0x5E, false}, {0x5F, 0x5F, false},
      {0x5D, 0x5D, false}, {0xDB, 0xDB, true},    {0xEB, 0xEB, true},  {0xEF, 0xEF, true},  {0xFE, 0xD4, true},
      {0xFA, 0xFB, true},  {0x40, 0x40, true, 2}, {0xDA, 0xDA, true}};
  static_assert(consecutive(Binary::add, Binary::sub, Binary::mul, Binary::div, Binary::max, Binary::min, Binary::and_,
                            Binary::or_, Binary::xor_, Binary::add_bits, Binary::sub_bits, Binary::mul_bits,
                            Binary::min_bits));
  static_assert(static_cast<int>(Binary::add) == 0 && std::size(kOpcodes) == 13);
  const Opcodes& opcodes = kOpcodes[static_cast<std::size_t>(op)];
  return {opcodes.map, static_cast<std::uint8_t>(opcodes.of_bits || is_wide(w)),
          is_wide(w) ? opcodes.wide : opcodes.narrow};
}

void VectorAssembler::vex(const VexEncoding& e, unsigned reg, unsigned second, const machine_code::Rm& rm,
                          std::uint32_t immediate) {
  // The bits that extend register numbers are stored inverted.
  unsigned extension = 0;
  if (!rm.is_memory) {
    extension = static_cast<unsigned>(rm.reg & 8) << 2;
  } else if (!rm.memory.at_label) {
    extension = (static_cast<unsigned>(rm.memory.index) & 8) << 3 | (static_cast<unsigned>(rm.memory.base) & 8) << 2;
  }
  const unsigned high = (reg & 8) << 4 ^ 0x80;
  const unsigned last = (second ^ 15) << 3 | static_cast<unsigned>(e.length) << 2 | e.prefix;
  if (extension || e.map != 1 || e.wide) {
    byte(0xC4);
    byte(high | (extension ^ 0x60) | e.map);
    byte(static_cast<unsigned>(e.wide) << 7 | last);
  } else {
    byte(0xC5);
    byte(high | last);
  }
  byte(e.opcode);
  operand(reg, rm, immediate);
}

}  // namespace tracefn::vector_code
