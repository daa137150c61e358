// Encodings of AVX2 and FMA, after Intel's Software Developer's Manual, volume 2.
#include "jit/x64/avx2_assembler.h"

namespace tracefn::vector_code {
namespace {

unsigned number(Ymm r) { return static_cast<unsigned>(r); }
machine_code::Rm operand_of(Ymm r) { return static_cast<machine_code::Xmm>(r); }

// The immediate operand of vpshufd that copies the upper half of each 64 bits to the lower one.
constexpr unsigned kUpperHalves = 0xF5;

}  // namespace

void Avx2Assembler::binary(Binary op, LaneWidth w, Ymm to, Ymm a, const YmmOperand& b) {
  const Opcode code = opcode_of(op, w);
  vex({code.map, code.prefix, code.opcode}, number(to), number(a), b.rm);
}
void Avx2Assembler::multiply_add(MultiplyAdd form, LaneWidth w, Ymm to, Ymm b, const YmmOperand& c) {
  vex({2, 1, static_cast<std::uint8_t>(form), is_wide(w)}, number(to), number(b), c.rm);
}
void Avx2Assembler::and_not(Ymm to, Ymm a, const YmmOperand& b) { vex({1, 1, 0xDF}, number(to), number(a), b.rm); }
void Avx2Assembler::sqrt(LaneWidth w, Ymm to, const YmmOperand& from) {
  vex({1, static_cast<std::uint8_t>(is_wide(w)), 0x51}, number(to), 0, from.rm);
}
void Avx2Assembler::round(LaneWidth w, Ymm to, const YmmOperand& from, Rounding mode) {
  vex({3, 1, static_cast<std::uint8_t>(is_wide(w) ? 0x09 : 0x08)}, number(to), 0, from.rm, 1);
  byte(static_cast<unsigned>(mode));
}
void Avx2Assembler::shift_bits(BitShift op, LaneWidth w, Ymm to, Ymm from, std::uint8_t by) {
  vex({1, 1, static_cast<std::uint8_t>(is_wide(w) ? 0x73 : 0x72)}, static_cast<unsigned>(op), number(to),
      operand_of(from), 1);
  byte(by);
}
void Avx2Assembler::signed_value(Ymm to, const YmmOperand& from) { vex({1, 0, 0x5B}, number(to), 0, from.rm); }
void Avx2Assembler::compare(Comparison how, LaneWidth w, Ymm to, Ymm a, const YmmOperand& b) {
  vex({1, static_cast<std::uint8_t>(is_wide(w)), 0xC2}, number(to), number(a), b.rm, 1);
  byte(static_cast<unsigned>(how));
}
void Avx2Assembler::more_bits(LaneWidth w, Ymm to, Ymm a, const YmmOperand& b) {
  const VexEncoding wide{2, 1, 0x37}, narrow{1, 1, 0x66};
  vex(is_wide(w) ? wide : narrow, number(to), number(a), b.rm);
}
void Avx2Assembler::equal_bits(LaneWidth w, Ymm to, Ymm a, const YmmOperand& b) {
  const VexEncoding wide{2, 1, 0x29}, narrow{1, 1, 0x76};
  vex(is_wide(w) ? wide : narrow, number(to), number(a), b.rm);
}
void Avx2Assembler::sign_mask(LaneWidth w, Ymm to, Ymm from) {
  constexpr unsigned kShiftRight = 4;  // arithmetic
  vex({1, 1, 0x72}, kShiftRight, number(to), operand_of(from), 1);
  byte(31);
  if (!is_wide(w)) return;
  vex({1, 1, 0x70}, number(to), 0, operand_of(to), 1);
  byte(kUpperHalves);
}
void Avx2Assembler::blend(LaneWidth w, Ymm to, Ymm condition, Ymm no, const YmmOperand& yes) {
  vex({3, 1, static_cast<std::uint8_t>(is_wide(w) ? 0x4B : 0x4A)}, number(to), number(no), yes.rm, 1);
  byte(number(condition) << 4);
}

void Avx2Assembler::move(Ymm to, Ymm from) { vex({1, 0, 0x28}, number(to), 0, operand_of(from)); }
void Avx2Assembler::load(Ymm to, const Mem& from) { vex({1, 0, 0x10}, number(to), 0, from); }
void Avx2Assembler::store(const Mem& to, Ymm from) { vex({1, 0, 0x11}, number(from), 0, to); }
void Avx2Assembler::load_lanes(LaneWidth w, Ymm to, Ymm mask, const Mem& from) {
  vex({2, 1, static_cast<std::uint8_t>(is_wide(w) ? 0x2D : 0x2C)}, number(to), number(mask), from);
}
void Avx2Assembler::store_lanes(LaneWidth w, const Mem& to, Ymm mask, Ymm from) {
  vex({2, 1, static_cast<std::uint8_t>(is_wide(w) ? 0x2F : 0x2E)}, number(from), number(mask), to);
}
void Avx2Assembler::store_first(unsigned bytes, const Mem& to, Ymm from) {
  const VexEncoding sixteen{1, 0, 0x11, false, 0}, eight{1, 1, 0xD6, false, 0}, four{1, 1, 0x7E, false, 0};
  vex(bytes == 16 ? sixteen : bytes == 8 ? eight : four, number(from), 0, to);
}
void Avx2Assembler::load_half(Ymm to, const Mem& from) { vex({1, 0, 0x10, false, 0}, number(to), 0, from); }
void Avx2Assembler::upper_half(Ymm to, Ymm from) {
  vex({3, 1, 0x39}, number(from), 0, operand_of(to), 1);
  byte(1);
}
void Avx2Assembler::without_first_eight(Ymm to, Ymm from) {
  constexpr unsigned kShiftBytes = 3;
  vex({1, 1, 0x73, false, 0}, kShiftBytes, number(to), operand_of(from), 1);
  byte(8);
}
void Avx2Assembler::repeat(LaneWidth w, Ymm to, const Mem& from) {
  const unsigned opcode = w == LaneWidth::k8 ? 0x78 : is_wide(w) ? 0x19 : 0x18;
  vex({2, 1, static_cast<std::uint8_t>(opcode)}, number(to), 0, from);
}

void Avx2Assembler::widen_bytes(LaneWidth w, Ymm to, const Mem& from) {
  vex({2, 1, static_cast<std::uint8_t>(is_wide(w) ? 0x32 : 0x31)}, number(to), 0, from);
}
void Avx2Assembler::narrow_mask(LaneWidth w, Ymm to, Ymm mask) {
  // The upper half to `to`, and then, with the lower one, lanes of half the size until they are bytes.
  const VexEncoding to_words{1, 1, 0x6B, false, 0}, to_bytes{1, 1, 0x63, false, 0}, magnitudes{2, 1, 0x1C, false, 0};
  upper_half(to, mask);
  vex(to_words, number(to), number(mask), operand_of(to));
  if (is_wide(w)) vex(to_words, number(to), number(to), operand_of(to));
  vex(to_bytes, number(to), number(to), operand_of(to));
  vex(magnitudes, number(to), 0, operand_of(to));
}
void Avx2Assembler::store_bytes(LaneWidth w, const Mem& to, Ymm from) { store_first(is_wide(w) ? 4 : 8, to, from); }

void Avx2Assembler::lane_bits(LaneWidth w, Gpr to, Ymm mask) {
  vex({1, static_cast<std::uint8_t>(is_wide(w)), 0x50}, number(to), 0, operand_of(mask));
}

}  // namespace tracefn::vector_code
