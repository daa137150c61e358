// Assembler: encodes the x86-64 instructions that scalar loops need (32- and 64-bit integers, SSE up to 4.1) into a
// byte buffer. Knows nothing of loops; runs on every machine. Used by one thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tracefn::machine_code {

enum class Gpr : std::uint8_t { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };
enum class Xmm : std::uint8_t { xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7 };  // and so on up to 15
// As instructions encode them.
inline unsigned number(Gpr r) { return static_cast<unsigned>(r); }
inline unsigned number(Xmm r) { return static_cast<unsigned>(r); }

struct Label {
  std::uint32_t number = 0;
};

// [base + disp], [base + index * scale + disp], or the memory at a label.
struct Mem {
  Gpr base = Gpr::rax;
  std::int32_t disp = 0;
  Gpr index = Gpr::rsp;  // rsp: none
  std::uint8_t scale = 1;
  bool at_label = false;
  Label label = {};
};

// The operand that may be a general register, an XMM register or memory.
struct Rm {
  Rm(Gpr r) : reg(static_cast<std::uint8_t>(r)) {}  // NOLINT(google-explicit-constructor)
  Rm(Xmm r) : reg(static_cast<std::uint8_t>(r)) {}  // NOLINT(google-explicit-constructor)
  Rm(const Mem& m) : is_memory(true), memory(m) {}  // NOLINT(google-explicit-constructor)
  bool is(Gpr r) const { return !is_memory && reg == static_cast<std::uint8_t>(r); }
  bool is(Xmm r) const { return !is_memory && reg == static_cast<std::uint8_t>(r); }

  bool is_memory = false;
  std::uint8_t reg = 0;
  Mem memory;
};

// Operand width.
enum class Width : std::uint8_t { k32, k64 };

// Values match the encoding.
enum class Alu : std::uint8_t { add = 0, or_ = 1, and_ = 4, sub = 5, xor_ = 6, cmp = 7 };
enum class Shift : std::uint8_t { shl = 4, sar = 7 };
enum class Condition : std::uint8_t {
  below = 2,
  above_equal = 3,
  equal = 4,
  not_equal = 5,
  below_equal = 6,
  above = 7,
  sign = 8,
  not_sign = 9,
  parity = 10,
  not_parity = 11,
  less = 12,
  greater_equal = 13,
  less_equal = 14,
  greater = 15
};
constexpr Condition opposite(Condition c) { return static_cast<Condition>(static_cast<std::uint8_t>(c) ^ 1); }
static_assert(opposite(Condition::below) == Condition::above_equal &&
              opposite(Condition::equal) == Condition::not_equal);
static_assert(opposite(Condition::below_equal) == Condition::above && opposite(Condition::sign) == Condition::not_sign);
static_assert(opposite(Condition::parity) == Condition::not_parity);
static_assert(opposite(Condition::less) == Condition::greater_equal);
static_assert(opposite(Condition::less_equal) == Condition::greater);

// Of an instruction on XMM registers: one float, one double, four floats.
enum class Form : std::uint8_t { ss, sd, ps };
enum class Sse : std::uint8_t {
  sqrt = 0x51,
  add = 0x58,
  mul = 0x59,
  sub = 0x5C,
  div = 0x5E,
};
// On whole registers.
enum class Packed : std::uint8_t { and_ = 0x54, or_ = 0x56, xor_ = 0x57 };
enum class PackedInteger : std::uint32_t {
  widen_bytes = 0x0F3831,  // of 32 bits in memory
  max = 0x0F383D,
  min = 0x0F3839,
  mul = 0x0F3840,
  abs = 0x0F381E,
  narrow_words = 0x0F63,
  greater = 0x0F66,
  narrow = 0x0F6B,
  equal = 0x0F76,
  and_ = 0x0FDB,
  or_ = 0x0FEB,
  xor_ = 0x0FEF,
  sub = 0x0FFA,
  add = 0x0FFE,
};
enum class SseCompare : std::uint8_t { equal = 0, less = 1, less_equal = 2, unordered = 3, not_equal = 4 };
// The operand of roundss, roundsd and roundps.
enum class Rounding : std::uint8_t { nearest_even = 8, down = 9, up = 10 };

class Assembler {
 public:
  // Instructions with a target of their own are those of AVX with `has_avx`, else two. Everything else is the same.
  explicit Assembler(bool has_avx = false) : has_avx_(has_avx) {}
  bool has_avx() const { return has_avx_; }

  Label new_label();
  void bind(Label label);
  // Sixteen bytes behind the code, aligned; equal constants are stored once.
  Mem constant(std::uint64_t low, std::uint64_t high);
  // No-ops up to a multiple of `to`, a power of two of at most 32.
  void align(std::uint32_t to);
  // The code with jumps resolved and constants behind it. Must be loaded at a multiple of 16. Call once, last.
  std::vector<std::uint8_t> finish();

  void mov(Width w, Gpr to, const Rm& from);
  void mov(Width w, const Mem& to, Gpr from);
  void mov(Gpr to, std::int64_t value);
  void mov8(const Mem& to, Gpr from);
  void mov16(const Mem& to, Gpr from);
  void movzx8(Gpr to, const Rm& from);
  void movsx8(Gpr to, const Rm& from);
  void movzx16(Gpr to, const Rm& from);
  void movsx16(Gpr to, const Rm& from);
  void movsxd(Gpr to, const Rm& from);
  void lea(Width w, Gpr to, const Mem& from);
  void alu(Alu op, Width w, Gpr to, const Rm& from);
  void alu(Alu op, Width w, const Rm& to, std::int32_t value);
  void cmp8(const Rm& a, std::int8_t value);
  void test(Width w, Gpr a, Gpr b);
  void test(Width w, Gpr a, std::int32_t bits);
  void test8(Gpr a);
  void imul(Width w, Gpr to, const Rm& from);
  void imul(Width w, Gpr to, const Rm& from, std::int32_t factor);
  void idiv(Width w, Gpr by);
  void sign_extend(Width w);  // rax into rdx
  void neg(Width w, Gpr r);
  void shift(Shift op, Width w, Gpr r, std::uint8_t by);
  void inc(Width w, const Rm& r);
  void dec(Width w, const Rm& r);
  void set(Condition c, Gpr to);  // the low byte
  void cmov(Condition c, Width w, Gpr to, const Rm& from);
  void push(Gpr r);
  void pop(Gpr r);
  void call(Gpr target);
  void ret();
  void jump(Label to);
  void jump(Condition c, Label to);

  // Four floats in memory must be aligned, except where they are moved.
  void sse(Sse op, Form form, Xmm to, const Rm& from);
  void packed(Packed op, Xmm to, const Rm& from);
  void movs(Form form, Xmm to, const Rm& from);  // between registers, the whole register
  void movs(Form form, const Mem& to, Xmm from);
  // Each of the four floats of `to` is the one of `from` that two bits of `which` number.
  void shuffle(Xmm to, const Rm& from, std::uint8_t which);
  void insert(Xmm to, const Rm& from, std::uint8_t at);  // one float
  void packed(PackedInteger op, Xmm to, const Rm& from);
  void insert_integer(Xmm to, const Rm& from, std::uint8_t at);
  void extract_integer(Gpr to, Xmm from, std::uint8_t at);
  void floats_to_integers(Xmm to, const Rm& from);  // truncated
  void integers_to_floats(Xmm to, const Rm& from);
  void movd(Width w, Xmm to, Gpr from);
  void movd(const Mem& to, Xmm from);  // 32 bits
  void ucomi(Form form, Xmm a, const Rm& b);
  void compare(Form form, Xmm to, const Rm& with, SseCompare how);  // all bits of it set, or none
  void round(Form form, Xmm to, const Rm& from, Rounding mode);
  void blendv(Form form, Xmm to, const Rm& from);  // by the signs of xmm0
  void to_floating(Width integer, Form floating, Xmm to, const Rm& from);
  void to_integer(Form floating, Width integer, Gpr to, const Rm& from);  // truncated
  // With a target of their own, which without AVX is not `b`, unless `a` is that as well.
  void sse(Sse op, Form form, Xmm to, Xmm a, const Rm& b);  // not for a root
  void packed(Packed op, Xmm to, Xmm a, const Rm& b);
  void compare(Form form, Xmm to, Xmm a, const Rm& b, SseCompare how);
  void blendv(Form form, Xmm to, Xmm a, const Rm& b);
  // to += a * b, rounded once; the processor must have FMA.
  void multiply_add(Form form, Xmm to, Xmm a, const Rm& b);
  void resize(Form of_from, Xmm to, const Rm& from);  // float to double or back

 protected:
  // For instructions with other encodings: the bytes of an operand, whose one-byte displacement counts in `unit`s;
  // `immediate` is how many immediate bytes follow.
  void operand(unsigned reg, const Rm& rm, std::uint32_t immediate, std::int32_t unit = 1);
  void byte(unsigned value) { code_.push_back(static_cast<std::uint8_t>(value)); }
  void four(std::uint32_t value);

 private:
  struct Fixup {
    std::size_t at = 0;  // four bytes, relative to the end of them plus `behind`
    std::uint32_t label = 0;
    std::uint32_t behind = 0;
  };
  // One instruction without its immediate operand. `opcode` is up to three bytes, the last one lowest; `prefix` 0x66,
  // 0xF2, 0xF3 or 0; `immediate` is how many bytes of it follow; `low_byte` says that registers are low bytes.
  void op(std::uint8_t prefix, Width w, std::uint32_t opcode, unsigned reg, const Rm& rm, std::uint32_t immediate = 0,
          bool low_byte = false);
  void copy_first(Form form, Xmm to, Xmm a);
  // One with a prefix of AVX, likewise: `map` is 1 for 0F, 2 for 0F38, 3 for 0F3A, `prefix` as in op().
  void vex(std::uint8_t prefix, unsigned map, bool wide, std::uint8_t opcode, Xmm to, Xmm a, const Rm& b,
           std::uint32_t immediate = 0);
  void relative(Label label, std::uint32_t behind);

  static constexpr std::size_t kUnbound = static_cast<std::size_t>(-1);
  const bool has_avx_;
  std::vector<std::uint8_t> code_;
  std::vector<std::size_t> labels_;
  std::vector<Fixup> fixups_;
  struct Constant {
    std::array<std::uint64_t, 2> value;
    Label label;
  };
  std::vector<Constant> constants_;
};

}  // namespace tracefn::machine_code
