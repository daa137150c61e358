// Encodings with EVEX prefixes, and those of masks, after Intel's Software Developer's Manual, volume 2.
#include "jit/x64/avx512_assembler.h"

namespace tracefn::vector_code {
namespace {

using machine_code::Rm;

unsigned number(Zmm r) { return static_cast<unsigned>(r); }
unsigned number(Mask r) { return static_cast<unsigned>(r); }
Rm operand_of(Mask r) { return static_cast<machine_code::Xmm>(r); }
VectorOperand operand_of(const Mem& m) { return {m, false}; }

}  // namespace

Avx512Assembler::Encoding Avx512Assembler::of_numbers(std::uint8_t opcode, LaneWidth w) {
  const bool wide = is_wide(w);
  return {1, static_cast<std::uint8_t>(wide), opcode, wide};
}

Avx512Assembler::Encoding Avx512Assembler::of_elements(std::uint8_t numbers, std::uint8_t bytes, LaneWidth w) {
  return w == LaneWidth::k8 ? Encoding{1, 3, bytes, false} : of_numbers(numbers, w);
}

void Avx512Assembler::evex(const Encoding& e, unsigned reg, unsigned second, const VectorOperand& rm, Writemask mask,
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

void Avx512Assembler::binary(Binary op, LaneWidth w, Zmm to, Zmm a, const VectorOperand& b) {
  const Opcode code = opcode_of(op, w);
  evex({code.map, code.prefix, code.opcode, is_wide(w)}, number(to), number(a), b);
}

void Avx512Assembler::multiply_add(MultiplyAdd form, LaneWidth w, Zmm to, Zmm b, const VectorOperand& c) {
  evex({2, 1, static_cast<std::uint8_t>(form), is_wide(w)}, number(to), number(b), c);
}
void Avx512Assembler::combine_bits(BitTable table, LaneWidth w, Zmm to, Zmm b, const VectorOperand& c) {
  evex({3, 1, 0x25, is_wide(w)}, number(to), number(b), c, {}, 1);
  byte(table);
}
void Avx512Assembler::sqrt(LaneWidth w, Zmm to, const VectorOperand& from) {
  evex(of_numbers(0x51, w), number(to), 0, from);
}
void Avx512Assembler::round(LaneWidth w, Zmm to, const VectorOperand& from, Rounding mode) {
  const bool wide = is_wide(w);
  evex({3, 1, static_cast<std::uint8_t>(wide ? 0x09 : 0x08), wide}, number(to), 0, from, {}, 1);
  byte(static_cast<unsigned>(mode));
}
void Avx512Assembler::shift_bits(BitShift op, LaneWidth w, Zmm to, const VectorOperand& from, std::uint8_t by) {
  const bool wide = is_wide(w);
  evex({1, 1, static_cast<std::uint8_t>(wide ? 0x73 : 0x72), wide}, static_cast<unsigned>(op), number(to), from, {}, 1);
  byte(by);
}
void Avx512Assembler::signed_value(Zmm to, const VectorOperand& from) {
  evex({1, 0, 0x5B, false}, number(to), 0, from);
}
void Avx512Assembler::compare(Comparison how, LaneWidth w, Mask to, Zmm a, const VectorOperand& b) {
  evex(of_numbers(0xC2, w), number(to), number(a), b, {}, 1);
  byte(static_cast<unsigned>(how));
}
void Avx512Assembler::compare_bits(BitComparison how, LaneWidth w, Mask to, Zmm a, const VectorOperand& b) {
  evex({3, 1, 0x1F, is_wide(w)}, number(to), number(a), b, {}, 1);
  byte(static_cast<unsigned>(how));
}
void Avx512Assembler::sign_bits(LaneWidth w, Mask to, Zmm from) { evex({2, 2, 0x39, is_wide(w)}, number(to), 0, from); }
void Avx512Assembler::blend(LaneWidth w, Zmm to, Mask condition, Zmm no, const VectorOperand& yes) {
  evex({2, 1, 0x65, is_wide(w)}, number(to), number(no), yes, {condition, false});
}

void Avx512Assembler::move(Zmm to, Zmm from) { evex(of_numbers(0x28, LaneWidth::k32), number(to), 0, from); }
void Avx512Assembler::move(LaneWidth w, Zmm to, Zmm from, Lanes lanes) {
  evex(of_numbers(0x28, w), number(to), 0, from, zeroing(lanes));
}
void Avx512Assembler::load(LaneWidth w, Zmm to, const Mem& from, Lanes lanes) {
  evex(of_elements(0x10, 0x6F, w), number(to), 0, operand_of(from), zeroing(lanes));
}
void Avx512Assembler::store(LaneWidth w, const Mem& to, Zmm from, Lanes lanes) {
  evex(of_elements(0x11, 0x7F, w), number(from), 0, operand_of(to), {lanes.mask, false});
}
void Avx512Assembler::store_first(LaneWidth w, const Mem& to, Zmm from) {
  const bool wide = is_wide(w);
  evex({1, static_cast<std::uint8_t>(wide ? 3 : 2), 0x11, wide, 0, static_cast<std::uint8_t>(wide ? 8 : 4)},
       number(from), 0, operand_of(to));
}
void Avx512Assembler::repeat(LaneWidth w, Zmm to, const Mem& from, Lanes lanes) {
  const bool wide = is_wide(w);
  const bool of_bytes = w == LaneWidth::k8;
  const auto bytes = static_cast<std::uint8_t>(of_bytes ? 1 : wide ? 8 : 4);
  const auto opcode = static_cast<std::uint8_t>(of_bytes ? 0x78 : wide ? 0x19 : 0x18);
  evex({2, 1, opcode, wide, 2, bytes}, number(to), 0, operand_of(from), zeroing(lanes));
}

void Avx512Assembler::load_bytes(Zmm to, const Mem& from, Lanes lanes) {
  evex({1, 3, 0x6F, false, 0}, number(to), 0, operand_of(from), zeroing(lanes));
}
void Avx512Assembler::load_eight_bytes(Zmm to, const Mem& from) {
  evex({1, 1, 0x6E, true, 0, 8}, number(to), 0, operand_of(from));
}
void Avx512Assembler::store_bytes(const Mem& to, Zmm from, Lanes lanes) {
  evex({1, 3, 0x7F, false, 0}, number(from), 0, operand_of(to), {lanes.mask, false});
}
void Avx512Assembler::store_eight_bytes(const Mem& to, Zmm from) {
  evex({1, 1, 0x7E, true, 0, 8}, number(from), 0, operand_of(to));
}
void Avx512Assembler::nonzero_bytes(Mask to, Zmm from) { evex({2, 1, 0x26, false, 0}, number(to), number(from), from); }

void Avx512Assembler::mask(MaskOp op, Mask to, Mask a, Mask b) {
  vex({1, 0, static_cast<std::uint8_t>(op)}, number(to), number(a), operand_of(b));
}
void Avx512Assembler::mask_not(Mask to, Mask from) { vex({1, 0, 0x44, false, 0}, number(to), 0, operand_of(from)); }
void Avx512Assembler::mask_load(LaneWidth w, Mask to, const Mem& from) {
  vex({1, 0, 0x90, w == LaneWidth::k8, 0}, number(to), 0, from);
}
void Avx512Assembler::mask_store(const Mem& to, Mask from) { vex({1, 0, 0x91, false, 0}, number(from), 0, to); }
void Avx512Assembler::mask_test(LaneWidth w, Mask a) {
  vex({1, static_cast<std::uint8_t>(is_wide(w)), 0x98, false, 0}, number(a), 0, operand_of(a));
}

}  // namespace tracefn::vector_code
