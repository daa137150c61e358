// Floating-point numbers and casts. Operand order is the interpreter's: of two NaNs the first one is the result.
// Instructions that keep the upper part of their target get one that is ready.
#include <bit>
#include <utility>

#include "jit/x64/translator.h"
#include "ops/kernel_table.h"

namespace tracefn::machine_code {
namespace {

constexpr std::uint64_t kSign32 = 0x8000'0000, kSign64 = 0x8000'0000'0000'0000;

Mem sign_mask(Assembler& a, Width w, bool inverted) {
  const std::uint64_t sign = w == Width::k64 ? kSign64 : kSign32;
  const std::uint64_t all = w == Width::k64 ? ~std::uint64_t{0} : 0xffff'ffff;
  return a.constant(inverted ? all & ~sign : sign, 0);
}
Mem one(Assembler& a, Width w) {
  return a.constant(w == Width::k64 ? std::bit_cast<std::uint64_t>(1.0) : std::bit_cast<std::uint32_t>(1.0f), 0);
}

}  // namespace

void ScalarTranslator::floating(const BytecodeInstruction& s, const Operation& o) {
  if (o.op == MachineOp::kCast) return cast(s);
  const Type t = o.in[o.num_inputs - 1];
  const Width w = width_of(t);
  const Xmm to = target(s.out, Xmm::xmm0);
  switch (o.op) {
    case MachineOp::kAdd:
      return arithmetic(Sse::add, s, w);
    case MachineOp::kSub:
      return arithmetic(Sse::sub, s, w);
    case MachineOp::kMul:
      return arithmetic(Sse::mul, s, w);
    case MachineOp::kDiv:
      return arithmetic(Sse::div, s, w);
    case MachineOp::kMultiplyAdd:
      return multiply_add(s, w);
    case MachineOp::kFloorDiv:
      get(Xmm::xmm0, s.in[0], w);
      asm_.sse(Sse::div, w, Xmm::xmm0, place(s.in[1]));
      asm_.round(w, Xmm::xmm0, Xmm::xmm0, Rounding::down);
      return put(s.out, Xmm::xmm0, w);
    case MachineOp::kSquaredDifference:
      get(Xmm::xmm0, s.in[0], w);
      asm_.sse(Sse::sub, w, Xmm::xmm0, place(s.in[1]));
      asm_.sse(Sse::mul, w, Xmm::xmm0, Xmm::xmm0);
      return put(s.out, Xmm::xmm0, w);
    case MachineOp::kMaximum:
    case MachineOp::kMinimum:
      return extreme_floating(o.op, s, w);
    case MachineOp::kSelect:
      return select_floating(s, w);
    case MachineOp::kNeg:
    case MachineOp::kAbs:
      get(to, s.in[0], w);
      asm_.packed(o.op == MachineOp::kNeg ? Packed::xor_ : Packed::and_, to,
                  sign_mask(asm_, w, o.op == MachineOp::kAbs));
      return put(s.out, to, w);
    case MachineOp::kSquare:
      get(to, s.in[0], w);
      asm_.sse(Sse::mul, w, to, to);
      return put(s.out, to, w);
    case MachineOp::kSqrt:
      get(to, s.in[0], w);
      asm_.sse(Sse::sqrt, w, to, to);
      return put(s.out, to, w);
    case MachineOp::kReciprocal:
      asm_.movs(w, Xmm::xmm0, one(asm_, w));
      asm_.sse(Sse::div, w, Xmm::xmm0, place(s.in[0]));
      return put(s.out, Xmm::xmm0, w);
    case MachineOp::kFloor:
    case MachineOp::kCeil:
    case MachineOp::kRound:
      get(to, s.in[0], w);
      asm_.round(w, to, to,
                 o.op == MachineOp::kFloor  ? Rounding::down
                 : o.op == MachineOp::kCeil ? Rounding::up
                                            : Rounding::nearest_even);
      return put(s.out, to, w);
    case MachineOp::kIsNan: {
      const Xmm x = in_xmm(s.in[0], Xmm::xmm0, w);
      asm_.ucomi(w, x, x);
      return put_flags({Condition::parity}, s.out);
    }
    default:
      return put_flags(compare(o.op, s.in[0], s.in[1], t), s.out);
  }
}

void ScalarTranslator::arithmetic(Sse op, const BytecodeInstruction& s, Width w) {
  Xmm to = target(s.out, Xmm::xmm0);
  const Rm x = place(s.in[0]), y = place(s.in[1]);
  if (y.is(to) && !x.is(to)) to = Xmm::xmm0;
  get(to, s.in[0], w);
  asm_.sse(op, w, to, y);
  put(s.out, to, w);
}

void ScalarTranslator::multiply_add(const BytecodeInstruction& s, Width w) {
  const Rm a = place(s.in[0]), b = place(s.in[1]), c = place(s.in[2]);
  Xmm to = target(s.out, Xmm::xmm0);
  if ((a.is(to) || b.is(to)) && !c.is(to)) to = Xmm::xmm0;
  if (!kernels_multiply_add()) {
    get(Xmm::xmm1, s.in[0], w);
    asm_.sse(Sse::mul, w, Xmm::xmm1, b);
    asm_.sse(Sse::add, w, Xmm::xmm1, c);
    return put(s.out, Xmm::xmm1, w);
  }
  if (c.is(to) && (a.is(to) || b.is(to))) to = Xmm::xmm0;
  get(to, s.in[2], w);
  asm_.multiply_add(w, to, in_xmm(s.in[0], Xmm::xmm1, w), b);
  put(s.out, to, w);
}

// a >= b or a is NaN: a, else b. maxss would flush subnormals to zero, and preserves only one of the NaNs.
void ScalarTranslator::extreme_floating(MachineOp op, const BytecodeInstruction& s, Width w) {
  const Slot a = s.in[0], b = s.in[1];
  const bool maximum = op == MachineOp::kMaximum;
  get(Xmm::xmm0, maximum ? b : a, w);
  asm_.compare(w, Xmm::xmm0, place(maximum ? a : b), SseCompare::less_equal);
  get(Xmm::xmm1, a, w);
  asm_.compare(w, Xmm::xmm1, Xmm::xmm1, SseCompare::unordered);
  asm_.packed(Packed::or_, Xmm::xmm0, Xmm::xmm1);
  blend(a, b, s.out, w);
}

// a if the sign of xmm0 is set, else b.
void ScalarTranslator::blend(Slot a, Slot b, Slot out, Width w) {
  get(Xmm::xmm1, b, w);
  asm_.blendv(w, Xmm::xmm1, in_xmm(a, Xmm::xmm2, w));
  put(out, Xmm::xmm1, w);
}

void ScalarTranslator::select_floating(const BytecodeInstruction& s, Width w) {
  get(Gpr::rax, s.in[0], Type::kBool);
  asm_.neg(w, Gpr::rax);
  asm_.movd(w, Xmm::xmm0, Gpr::rax);
  blend(s.in[1], s.in[2], s.out, w);
}

void ScalarTranslator::compare_to_mask(std::size_t i) {
  const Operation& o = operations_[i];
  Slot a = instructions_[i].in[0], b = instructions_[i].in[1];
  if (o.op == MachineOp::kGreater || o.op == MachineOp::kGreaterEqual) std::swap(a, b);
  const bool strict = o.op == MachineOp::kLess || o.op == MachineOp::kGreater;
  const Width w = width_of(o.in[0]);
  get(Xmm::xmm0, a, w);
  asm_.compare(w, Xmm::xmm0, place(b), strict ? SseCompare::less : SseCompare::less_equal);
}

void ScalarTranslator::cast(const BytecodeInstruction& s) {
  const Type from = type_of(s.operand), to = type_of(s.result);
  const Width narrow = width_of(from), w = width_of(to);
  if (is_floating(to)) {
    const Xmm x = target(s.out, Xmm::xmm0);
    if (is_floating(from)) {
      get(x, s.in[0], narrow);
      if (from != to) asm_.resize(narrow, x, x);
    } else {
      const Gpr number = in_gpr(s.in[0], Gpr::rax, from);
      asm_.packed(Packed::xor_, x, x);
      asm_.to_floating(narrow, w, x, number);
    }
    return put(s.out, x, w);
  }
  if (to == Type::kBool) {
    if (is_floating(from)) {
      asm_.packed(Packed::xor_, Xmm::xmm0, Xmm::xmm0);
      asm_.ucomi(narrow, Xmm::xmm0, place(s.in[0]));
      return put_flags({Condition::not_equal, Flags::kOrUnordered}, s.out);
    }
    asm_.alu(Alu::cmp, narrow, Rm(in_gpr(s.in[0], Gpr::rax, from)), 0);
    return put_flags({Condition::not_equal}, s.out);
  }
  const Gpr x = target(s.out, Gpr::rax);
  if (is_floating(from)) {
    asm_.to_integer(narrow, w, x, place(s.in[0]));
  } else if (from == Type::kInt32 && to == Type::kInt64 && !is_immediate(s.in[0])) {
    asm_.movsxd(x, place(s.in[0]));
  } else if (is_narrow(from) && to == Type::kInt64 && !is_immediate(s.in[0])) {
    asm_.movsxd(x, in_gpr(s.in[0], x, from));
  } else if (is_narrow(to)) {
    get(x, s.in[0], from == Type::kInt64 ? Type::kInt32 : from);
    extend(x, x, to);
  } else {
    get(x, s.in[0], to == Type::kInt32 && from == Type::kInt64 ? to : from);
  }
  put(s.out, x, to);
}

}  // namespace tracefn::machine_code
