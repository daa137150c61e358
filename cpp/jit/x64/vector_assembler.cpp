// Encodings with EVEX and VEX prefixes, after Intel's Software Developer's Manual, volume 2.
#include "jit/x64/vector_assembler.h"

#include <iterator>

#include "base/check.h"
#include "base/consecutive.h"

namespace tracefn::vector_code {
namespace {

using machine_code::Rm;

unsigned number(Zmm r) { return static_cast<unsigned>(r); }
unsigned number(Mask r) { return static_cast<unsigned>(r); }
unsigned number(Gpr r) { return static_cast<unsigned>(r); }
bool is_wide(LaneWidth w) { return w == LaneWidth::k64; }
Rm operand_of(Mask r) { return static_cast<machine_code::Xmm>(r); }
VectorOperand operand_of(const Mem& m) { return {m, false}; }

}  // namespace

VectorAssembler::Encoding VectorAssembler::of_numbers(std::uint8_t opcode, LaneWidth w) {
  const bool wide = is_wide(w);
  return {1, static_cast<std::uint8_t>(wide), opcode, wide};
}

void VectorAssembler::evex(const Encoding& e, unsigned reg, unsigned second, const VectorOperand& rm, Writemask mask,
                           std::uint32_t immediate) {
  // The bits that extend register numbers are stored inverted.
  unsigned extension = (reg & 8) << 4 | (reg & 16);
  if (!rm.rm.is_memory) {
    extension |= static_cast<unsigned>(rm.rm.reg & 16) << 2 | static_cast<unsigned>(rm.rm.reg & 8) << 2;
  } else if (!rm.rm.memory.at_label) {
    extension |= (number(rm.rm.memory.index) & 8) << 3 | (number(rm.rm.memory.base) & 8) << 2;
  }
  byte(0x62);
  byte((extension ^ 0xF0) | e.map);
  byte(static_cast<unsigned>(e.wide) << 7 | ((second & 15) ^ 15) << 3 | 4 | e.prefix);
  byte(static_cast<unsigned>(mask.zeroes) << 7 | static_cast<unsigned>(e.length) << 5 |
       static_cast<unsigned>(rm.is_repeated) << 4 | (second & 16 ? 0 : 8) | number(mask.mask));
  byte(e.opcode);
  operand(reg, rm.rm, immediate, e.memory ? e.memory : rm.is_repeated ? (e.wide ? 8 : 4) : e.length == 2 ? 64 : 16);
}

void VectorAssembler::vex(unsigned length, unsigned prefix, unsigned opcode, unsigned reg, unsigned second,
                          const Rm& rm) {
  const unsigned last = (second ^ 15) << 3 | length << 2 | prefix;
  unsigned extension = 0;
  if (rm.is_memory && !rm.memory.at_label)
    extension = (number(rm.memory.index) & 8) << 3 | (number(rm.memory.base) & 8) << 2;
  if (extension) {
    byte(0xC4);
    byte((extension ^ 0xE0) | 1);
    byte(last);
  } else {
    byte(0xC5);
    byte(last | 0x80);
  }
  byte(opcode);
  operand(reg, rm, 0);
}

void VectorAssembler::data(std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) byte(value >> (8 * i) & 0xFF);
}

void VectorAssembler::binary(Binary op, LaneWidth w, Zmm to, Zmm a, const VectorOperand& b) {
  // Bitwise operations with the prefix 66 for both widths.
  struct Opcodes {
    std::uint8_t narrow, wide;
    bool of_bits;
  };
  static constexpr Opcodes kOpcodes[] = {{0x58, 0x58, false}, {0x5C, 0x5C, false}, {0x59, 0x59, false},
                                         {0x5E, 0x5E, false}, {0x5F, 0x5F, false}, {0x5D, 0x5D, false},
                                         {0xDB, 0xDB, true},  {0xEB, 0xEB, true},  {0xEF, 0xEF, true},
                                         {0xFE, 0xD4, true},  {0xFA, 0xFB, true}};
  static_assert(consecutive(Binary::add, Binary::sub, Binary::mul, Binary::div, Binary::max, Binary::min, Binary::and_,
                            Binary::or_, Binary::xor_, Binary::add_bits, Binary::sub_bits));
  static_assert(static_cast<int>(Binary::add) == 0 && std::size(kOpcodes) == 11);
  const Opcodes& opcodes = kOpcodes[static_cast<std::size_t>(op)];
  Encoding e = of_numbers(is_wide(w) ? opcodes.wide : opcodes.narrow, w);
  if (opcodes.of_bits) e.prefix = 1;
  evex(e, number(to), number(a), b);
}

void VectorAssembler::multiply_add(MultiplyAdd form, LaneWidth w, Zmm to, Zmm b, const VectorOperand& c) {
  evex({2, 1, static_cast<std::uint8_t>(form), is_wide(w)}, number(to), number(b), c);
}
void VectorAssembler::combine_bits(BitTable table, LaneWidth w, Zmm to, Zmm b, const VectorOperand& c) {
  evex({3, 1, 0x25, is_wide(w)}, number(to), number(b), c, {}, 1);
  byte(table);
}
void VectorAssembler::sqrt(LaneWidth w, Zmm to, const VectorOperand& from) {
  evex(of_numbers(0x51, w), number(to), 0, from);
}
void VectorAssembler::round(LaneWidth w, Zmm to, const VectorOperand& from, Rounding mode) {
  const bool wide = is_wide(w);
  evex({3, 1, static_cast<std::uint8_t>(wide ? 0x09 : 0x08), wide}, number(to), 0, from, {}, 1);
  byte(static_cast<unsigned>(mode));
}
void VectorAssembler::shift_bits(BitShift op, LaneWidth w, Zmm to, const VectorOperand& from, std::uint8_t by) {
  const bool wide = is_wide(w);
  evex({1, 1, static_cast<std::uint8_t>(wide ? 0x73 : 0x72), wide}, static_cast<unsigned>(op), number(to), from, {}, 1);
  byte(by);
}
void VectorAssembler::signed_value(Zmm to, const VectorOperand& from) {
  evex({1, 0, 0x5B, false}, number(to), 0, from);
}
void VectorAssembler::compare(Comparison how, LaneWidth w, Mask to, Zmm a, const VectorOperand& b) {
  evex(of_numbers(0xC2, w), number(to), number(a), b, {}, 1);
  byte(static_cast<unsigned>(how));
}
void VectorAssembler::sign_bits(LaneWidth w, Mask to, Zmm from) { evex({2, 2, 0x39, is_wide(w)}, number(to), 0, from); }
void VectorAssembler::blend(LaneWidth w, Zmm to, Mask condition, Zmm no, const VectorOperand& yes) {
  evex({2, 1, 0x65, is_wide(w)}, number(to), number(no), yes, {condition, false});
}

void VectorAssembler::move(Zmm to, Zmm from) { evex(of_numbers(0x28, LaneWidth::k32), number(to), 0, from); }
void VectorAssembler::move(LaneWidth w, Zmm to, Zmm from, Lanes lanes) {
  evex(of_numbers(0x28, w), number(to), 0, from, zeroing(lanes));
}
void VectorAssembler::load(LaneWidth w, Zmm to, const Mem& from, Lanes lanes) {
  evex(of_numbers(0x10, w), number(to), 0, operand_of(from), zeroing(lanes));
}
void VectorAssembler::store(LaneWidth w, const Mem& to, Zmm from, Lanes lanes) {
  evex(of_numbers(0x11, w), number(from), 0, operand_of(to), {lanes.mask, false});
}
void VectorAssembler::store_first(LaneWidth w, const Mem& to, Zmm from) {
  const bool wide = is_wide(w);
  evex({1, static_cast<std::uint8_t>(wide ? 3 : 2), 0x11, wide, 0, static_cast<std::uint8_t>(wide ? 8 : 4)},
       number(from), 0, operand_of(to));
}
void VectorAssembler::repeat(LaneWidth w, Zmm to, const Mem& from, Lanes lanes) {
  const bool wide = is_wide(w);
  const auto bytes = static_cast<std::uint8_t>(wide ? 8 : 4);
  evex({2, 1, static_cast<std::uint8_t>(wide ? 0x19 : 0x18), wide, 2, bytes}, number(to), 0, operand_of(from),
       zeroing(lanes));
}

void VectorAssembler::load_bytes(Zmm to, const Mem& from, Lanes lanes) {
  evex({1, 3, 0x6F, false, 0}, number(to), 0, operand_of(from), zeroing(lanes));
}
void VectorAssembler::load_eight_bytes(Zmm to, const Mem& from) {
  evex({1, 1, 0x6E, true, 0, 8}, number(to), 0, operand_of(from));
}
void VectorAssembler::store_bytes(const Mem& to, Zmm from, Lanes lanes) {
  evex({1, 3, 0x7F, false, 0}, number(from), 0, operand_of(to), {lanes.mask, false});
}
void VectorAssembler::store_eight_bytes(const Mem& to, Zmm from) {
  evex({1, 1, 0x7E, true, 0, 8}, number(from), 0, operand_of(to));
}
void VectorAssembler::nonzero_bytes(Mask to, Zmm from) { evex({2, 1, 0x26, false, 0}, number(to), number(from), from); }

void VectorAssembler::mask(MaskOp op, Mask to, Mask a, Mask b) {
  vex(1, 0, static_cast<unsigned>(op), number(to), number(a), operand_of(b));
}
void VectorAssembler::mask_not(Mask to, Mask from) { vex(0, 0, 0x44, number(to), 0, operand_of(from)); }
void VectorAssembler::mask_load(Mask to, const Mem& from) { vex(0, 0, 0x90, number(to), 0, from); }
void VectorAssembler::mask_store(const Mem& to, Mask from) { vex(0, 0, 0x91, number(from), 0, to); }
void VectorAssembler::mask_test(LaneWidth w, Mask a) { vex(0, is_wide(w) ? 1 : 0, 0x98, number(a), 0, operand_of(a)); }

void VectorAssembler::zero_upper() {
  byte(0xC5);
  byte(0xF8);
  byte(0x77);
}

}  // namespace tracefn::vector_code
