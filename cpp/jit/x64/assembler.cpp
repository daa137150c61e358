// Encodings, after Intel's Software Developer's Manual, volume 2.
#include "jit/x64/assembler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace tracefn::machine_code {
namespace {

std::uint8_t prefix(Form form) { return form == Form::sd ? 0xF2 : form == Form::ss ? 0xF3 : 0; }
bool is_small(std::int32_t value) { return value >= -128 && value <= 127; }

}  // namespace

Label Assembler::new_label() {
  labels_.push_back(kUnbound);
  return {static_cast<std::uint32_t>(labels_.size() - 1)};
}

void Assembler::bind(Label label) { labels_[label.number] = code_.size(); }

Mem Assembler::constant(std::uint64_t low, std::uint64_t high) {
  Mem at;
  at.at_label = true;
  for (const Constant& c : constants_) {
    if (c.value[0] != low || c.value[1] != high) continue;
    at.label = c.label;
    return at;
  }
  at.label = new_label();
  constants_.push_back({{low, high}, at.label});
  return at;
}

void Assembler::align(std::uint32_t to) {
  // Nine bytes is the longest no-op that is one instruction everywhere.
  static constexpr std::uint8_t kNops[9][9] = {{0x90},
                                               {0x66, 0x90},
                                               {0x0F, 0x1F, 0x00},
                                               {0x0F, 0x1F, 0x40, 0x00},
                                               {0x0F, 0x1F, 0x44, 0x00, 0x00},
                                               {0x66, 0x0F, 0x1F, 0x44, 0x00, 0x00},
                                               {0x0F, 0x1F, 0x80, 0x00, 0x00, 0x00, 0x00},
                                               {0x0F, 0x1F, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
                                               {0x66, 0x0F, 0x1F, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00}};
  std::size_t missing = (to - code_.size() % to) % to;
  while (missing > 0) {
    std::size_t n = std::min<std::size_t>(missing, 9);
    code_.insert(code_.end(), kNops[n - 1], kNops[n - 1] + n);
    missing -= n;
  }
}

std::vector<std::uint8_t> Assembler::finish() {
  while (code_.size() % 16 != 0) byte(0xCC);
  for (const Constant& c : constants_) {
    bind(c.label);
    for (std::uint64_t part : c.value) {
      four(static_cast<std::uint32_t>(part));
      four(static_cast<std::uint32_t>(part >> 32));
    }
  }
  for (const Fixup& f : fixups_) {
    TRACEFN_CHECK(labels_[f.label] != kUnbound);
    const auto distance = static_cast<std::int32_t>(static_cast<std::int64_t>(labels_[f.label]) -
                                                    static_cast<std::int64_t>(f.at + 4 + f.behind));
    std::memcpy(code_.data() + f.at, &distance, sizeof distance);
  }
  return std::move(code_);
}

void Assembler::four(std::uint32_t value) {
  for (int i = 0; i < 4; ++i) byte(value >> (8 * i) & 0xFF);
}

void Assembler::relative(Label label, std::uint32_t behind) {
  fixups_.push_back({code_.size(), label.number, behind});
  four(0);
}

void Assembler::op(std::uint8_t prefix, Width w, std::uint32_t opcode, unsigned reg, const Rm& rm,
                   std::uint32_t immediate, bool low_byte) {
  if (prefix) byte(prefix);
  unsigned rex = w == Width::k64 ? 0x48 : 0;
  if (reg >= 8) rex |= 0x44;
  if (rm.is_memory && !rm.memory.at_label) {
    if (number(rm.memory.base) >= 8) rex |= 0x41;
    if (number(rm.memory.index) >= 8) rex |= 0x42;
  } else if (!rm.is_memory && rm.reg >= 8) {
    rex |= 0x41;
  }
  // Without it, the low bytes of rsp, rbp, rsi and rdi encode the second bytes of rax to rdx.
  if (low_byte && (reg >= 4 || (!rm.is_memory && rm.reg >= 4))) rex |= 0x40;
  if (rex) byte(rex);
  if (opcode > 0xFFFF) byte(opcode >> 16 & 0xFF);
  if (opcode > 0xFF) byte(opcode >> 8 & 0xFF);
  byte(opcode & 0xFF);
  operand(reg, rm, immediate);
}

void Assembler::operand(unsigned reg, const Rm& rm, std::uint32_t immediate, std::int32_t unit) {
  const unsigned middle = (reg & 7) << 3;
  if (!rm.is_memory) {
    byte(0xC0 | middle | (rm.reg & 7));
    return;
  }
  const Mem& m = rm.memory;
  if (m.at_label) {
    byte(middle | 5);
    relative(m.label, immediate);
    return;
  }
  const unsigned base = number(m.base) & 7;
  const bool indexed = m.index != Gpr::rsp;
  // A base of rbp or r13 without a displacement encodes another form.
  const bool small = m.disp % unit == 0 && is_small(m.disp / unit);
  const unsigned mode = m.disp == 0 && base != 5 ? 0 : small ? 0x40 : 0x80;
  if (indexed || base == 4) {
    unsigned scale = m.scale == 8 ? 3 : m.scale == 4 ? 2 : m.scale == 2 ? 1 : 0;
    byte(mode | middle | 4);
    byte(scale << 6 | (number(m.index) & 7) << 3 | base);
  } else {
    byte(mode | middle | base);
  }
  if (mode == 0x40) byte(static_cast<std::uint8_t>(m.disp / unit));
  if (mode == 0x80) four(static_cast<std::uint32_t>(m.disp));
}

void Assembler::mov(Width w, Gpr to, const Rm& from) { op(0, w, 0x8B, number(to), from); }
void Assembler::mov(Width w, const Mem& to, Gpr from) { op(0, w, 0x89, number(from), to); }
void Assembler::mov(Gpr to, std::int64_t value) {
  if (value == static_cast<std::int32_t>(value) && value < 0) {
    op(0, Width::k64, 0xC7, 0, to, 4);
    four(static_cast<std::uint32_t>(value));
    return;
  }
  const bool wide = value != static_cast<std::int64_t>(static_cast<std::uint32_t>(value));
  if (wide || number(to) >= 8) byte((wide ? 0x48 : 0x40) | (number(to) >= 8 ? 1 : 0));
  byte(0xB8 | (number(to) & 7));
  four(static_cast<std::uint32_t>(value));
  if (wide) four(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> 32));
}
void Assembler::mov8(const Mem& to, Gpr from) { op(0, Width::k32, 0x88, number(from), to, 0, true); }
void Assembler::mov16(const Mem& to, Gpr from) { op(0x66, Width::k32, 0x89, number(from), to); }
void Assembler::movzx8(Gpr to, const Rm& from) { op(0, Width::k32, 0x0FB6, number(to), from, 0, true); }
void Assembler::movsx8(Gpr to, const Rm& from) { op(0, Width::k32, 0x0FBE, number(to), from, 0, true); }
void Assembler::movzx16(Gpr to, const Rm& from) { op(0, Width::k32, 0x0FB7, number(to), from); }
void Assembler::movsx16(Gpr to, const Rm& from) { op(0, Width::k32, 0x0FBF, number(to), from); }
void Assembler::movsxd(Gpr to, const Rm& from) { op(0, Width::k64, 0x63, number(to), from); }
void Assembler::lea(Width w, Gpr to, const Mem& from) { op(0, w, 0x8D, number(to), from); }

void Assembler::alu(Alu op_, Width w, Gpr to, const Rm& from) {
  op(0, w, static_cast<unsigned>(op_) << 3 | 3, number(to), from);
}
void Assembler::alu(Alu op_, Width w, const Rm& to, std::int32_t value) {
  const bool small = is_small(value);
  op(0, w, small ? 0x83 : 0x81, static_cast<unsigned>(op_), to, small ? 1 : 4);
  if (small) {
    byte(static_cast<std::uint8_t>(value));
  } else {
    four(static_cast<std::uint32_t>(value));
  }
}
void Assembler::cmp8(const Rm& a, std::int8_t value) {
  op(0, Width::k32, 0x80, 7, a, 1, !a.is_memory);
  byte(static_cast<std::uint8_t>(value));
}
void Assembler::test(Width w, Gpr a, Gpr b) { op(0, w, 0x85, number(b), a); }
void Assembler::test(Width w, Gpr a, std::int32_t bits) {
  op(0, w, 0xF7, 0, a, 4);
  four(static_cast<std::uint32_t>(bits));
}
void Assembler::test8(Gpr a) { op(0, Width::k32, 0x84, number(a), a, 0, true); }
void Assembler::imul(Width w, Gpr to, const Rm& from) { op(0, w, 0x0FAF, number(to), from); }
void Assembler::imul(Width w, Gpr to, const Rm& from, std::int32_t factor) {
  const bool small = is_small(factor);
  op(0, w, small ? 0x6B : 0x69, number(to), from, small ? 1 : 4);
  if (small) {
    byte(static_cast<std::uint8_t>(factor));
  } else {
    four(static_cast<std::uint32_t>(factor));
  }
}
void Assembler::idiv(Width w, Gpr by) { op(0, w, 0xF7, 7, by); }
void Assembler::sign_extend(Width w) {
  if (w == Width::k64) byte(0x48);
  byte(0x99);
}
void Assembler::neg(Width w, Gpr r) { op(0, w, 0xF7, 3, r); }
void Assembler::shift(Shift op_, Width w, Gpr r, std::uint8_t by) {
  op(0, w, 0xC1, static_cast<unsigned>(op_), r, 1);
  byte(by);
}
void Assembler::inc(Width w, const Rm& r) { op(0, w, 0xFF, 0, r); }
void Assembler::dec(Width w, const Rm& r) { op(0, w, 0xFF, 1, r); }
void Assembler::set(Condition c, Gpr to) { op(0, Width::k32, 0x0F90 | static_cast<unsigned>(c), 0, to, 0, true); }
void Assembler::cmov(Condition c, Width w, Gpr to, const Rm& from) {
  op(0, w, 0x0F40 | static_cast<unsigned>(c), number(to), from);
}
void Assembler::push(Gpr r) {
  if (number(r) >= 8) byte(0x41);
  byte(0x50 | (number(r) & 7));
}
void Assembler::pop(Gpr r) {
  if (number(r) >= 8) byte(0x41);
  byte(0x58 | (number(r) & 7));
}
void Assembler::call(Gpr target) { op(0, Width::k32, 0xFF, 2, target); }
void Assembler::ret() { byte(0xC3); }
void Assembler::jump(Label to) {
  byte(0xE9);
  relative(to, 0);
}
void Assembler::jump(Condition c, Label to) {
  byte(0x0F);
  byte(0x80 | static_cast<unsigned>(c));
  relative(to, 0);
}

void Assembler::sse(Sse op_, Form form, Xmm to, const Rm& from) {
  op(prefix(form), Width::k32, 0x0F00 | static_cast<unsigned>(op_), number(to), from);
}
void Assembler::packed(Packed op_, Xmm to, const Rm& from) {
  op(0, Width::k32, 0x0F00 | static_cast<unsigned>(op_), number(to), from);
}
void Assembler::movs(Form form, Xmm to, const Rm& from) {
  if (from.is_memory) {
    op(prefix(form), Width::k32, 0x0F10, number(to), from);
  } else {
    op(0, Width::k32, 0x0F28, number(to), from);
  }
}
void Assembler::movs(Form form, const Mem& to, Xmm from) { op(prefix(form), Width::k32, 0x0F11, number(from), to); }
void Assembler::shuffle(Xmm to, const Rm& from, std::uint8_t which) {
  op(0x66, Width::k32, 0x0F70, number(to), from, 1);
  byte(which);
}
void Assembler::insert(Xmm to, const Rm& from, std::uint8_t at) {
  op(0x66, Width::k32, 0x0F3A21, number(to), from, 1);
  byte(static_cast<unsigned>(at) << 4);
}
void Assembler::packed(PackedInteger op_, Xmm to, const Rm& from) {
  op(0x66, Width::k32, static_cast<std::uint32_t>(op_), number(to), from);
}
void Assembler::insert_integer(Xmm to, const Rm& from, std::uint8_t at) {
  op(0x66, Width::k32, 0x0F3A22, number(to), from, 1);
  byte(at);
}
void Assembler::extract_integer(Gpr to, Xmm from, std::uint8_t at) {
  if (at == 0) return op(0x66, Width::k32, 0x0F7E, number(from), to);
  op(0x66, Width::k32, 0x0F3A16, number(from), to, 1);
  byte(at);
}
void Assembler::floats_to_integers(Xmm to, const Rm& from) { op(0xF3, Width::k32, 0x0F5B, number(to), from); }
void Assembler::integers_to_floats(Xmm to, const Rm& from) { op(0, Width::k32, 0x0F5B, number(to), from); }
void Assembler::movd(const Mem& to, Xmm from) { op(0x66, Width::k32, 0x0F7E, number(from), to); }
void Assembler::movd(Width w, Xmm to, Gpr from) { op(0x66, w, 0x0F6E, number(to), from); }
void Assembler::ucomi(Form form, Xmm a, const Rm& b) {
  op(form == Form::sd ? 0x66 : 0, Width::k32, 0x0F2E, number(a), b);
}
void Assembler::compare(Form form, Xmm to, const Rm& with, SseCompare how) {
  op(prefix(form), Width::k32, 0x0FC2, number(to), with, 1);
  byte(static_cast<unsigned>(how));
}
void Assembler::round(Form form, Xmm to, const Rm& from, Rounding mode) {
  const std::uint32_t opcode = form == Form::sd ? 0x0F3A0B : form == Form::ss ? 0x0F3A0A : 0x0F3A08;
  op(0x66, Width::k32, opcode, number(to), from, 1);
  byte(static_cast<unsigned>(mode));
}
void Assembler::blendv(Form form, Xmm to, const Rm& from) {
  op(0x66, Width::k32, form == Form::sd ? 0x0F3815 : 0x0F3814, number(to), from);
}
void Assembler::to_floating(Width integer, Form floating, Xmm to, const Rm& from) {
  op(prefix(floating), integer, 0x0F2A, number(to), from);
}
void Assembler::to_integer(Form floating, Width integer, Gpr to, const Rm& from) {
  op(prefix(floating), integer, 0x0F2C, number(to), from);
}
void Assembler::vex(std::uint8_t prefix, unsigned map, bool wide, std::uint8_t opcode, Xmm to, Xmm a, const Rm& b,
                    std::uint32_t immediate) {
  // The high bits of the registers are inverted, as all of `a` is.
  const unsigned high = number(to) >= 8 ? 0 : 0x80;
  bool extends_index = false, extends_base = false;
  if (b.is_memory && !b.memory.at_label) {
    extends_index = number(b.memory.index) >= 8;
    extends_base = number(b.memory.base) >= 8;
  } else if (!b.is_memory) {
    extends_base = b.reg >= 8;
  }
  const unsigned last = (~number(a) & 15) << 3 | (prefix == 0x66 ? 1 : prefix == 0xF3 ? 2 : prefix == 0xF2 ? 3 : 0);
  if (map == 1 && !wide && !extends_index && !extends_base) {
    byte(0xC5);
    byte(high | last);
  } else {
    byte(0xC4);
    byte(high | (extends_index ? 0 : 0x40) | (extends_base ? 0 : 0x20) | map);
    byte((wide ? 0x80 : 0) | last);
  }
  byte(opcode);
  operand(number(to), b, immediate);
}
void Assembler::copy_first(Form form, Xmm to, Xmm a) {
  if (to != a) movs(form, to, a);
}
void Assembler::sse(Sse op_, Form form, Xmm to, Xmm a, const Rm& b) {
  if (has_avx_) return vex(prefix(form), 1, false, static_cast<std::uint8_t>(op_), to, a, b);
  copy_first(form, to, a);
  sse(op_, form, to, b);
}
void Assembler::packed(Packed op_, Xmm to, Xmm a, const Rm& b) {
  if (has_avx_) return vex(0, 1, false, static_cast<std::uint8_t>(op_), to, a, b);
  copy_first(Form::ps, to, a);
  packed(op_, to, b);
}
void Assembler::compare(Form form, Xmm to, Xmm a, const Rm& b, SseCompare how) {
  if (!has_avx_) {
    copy_first(form, to, a);
    return compare(form, to, b, how);
  }
  vex(prefix(form), 1, false, 0xC2, to, a, b, 1);
  byte(static_cast<unsigned>(how));
}
void Assembler::blendv(Form form, Xmm to, Xmm a, const Rm& b) {
  if (!has_avx_) {
    copy_first(form, to, a);
    return blendv(form, to, b);
  }
  vex(0x66, 3, false, form == Form::sd ? 0x4B : 0x4A, to, a, b, 1);
  byte(0);
}
void Assembler::multiply_add(Form form, Xmm to, Xmm a, const Rm& b) {
  vex(0x66, 2, form == Form::sd, form == Form::ps ? 0xB8 : 0xB9, to, a, b);
}
void Assembler::resize(Form of_from, Xmm to, const Rm& from) {
  op(prefix(of_from), Width::k32, 0x0F5A, number(to), from);
}

}  // namespace tracefn::machine_code
