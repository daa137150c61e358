// Floating-point numbers and casts. Operand order is the interpreter's: of two NaNs the first one is the result.
// Instructions that keep the upper part of their target get one that is ready.
#include <bit>
#include <utility>

#include "jit/x64/translator.h"
#include "ops/kernel_table.h"

namespace tracefn::machine_code {
namespace {

constexpr std::uint64_t kSigns32 = 0x8000'0000'8000'0000, kSign64 = 0x8000'0000'0000'0000;

// The same for each number of the register.
Mem sign_mask(Assembler& a, Form form, bool inverted) {
  const std::uint64_t sign = form == Form::sd ? kSign64 : kSigns32, mask = inverted ? ~sign : sign;
  return a.constant(mask, mask);
}
Mem one(Assembler& a, Form form) {
  const std::uint64_t ones = std::uint64_t{std::bit_cast<std::uint32_t>(1.0f)} * 0x1'0000'0001;
  const std::uint64_t value = form == Form::sd ? std::bit_cast<std::uint64_t>(1.0) : ones;
  return a.constant(value, value);
}

SseCompare sse_comparison(MachineOp op) {
  switch (op) {
    case MachineOp::kLess:
    case MachineOp::kGreater:
      return SseCompare::less;
    case MachineOp::kLessEqual:
    case MachineOp::kGreaterEqual:
      return SseCompare::less_equal;
    case MachineOp::kEqual:
      return SseCompare::equal;
    default:
      return SseCompare::not_equal;
  }
}

}  // namespace

void ScalarTranslator::floating(const BytecodeInstruction& s, const Operation& o) {
  if (o.op == MachineOp::kCast) return cast(s);
  const Type t = o.in[o.num_inputs - 1];
  const Form form = form_of(t);
  const Xmm to = target(s.out, Xmm::xmm0);
  switch (o.op) {
    case MachineOp::kAdd:
      return arithmetic(Sse::add, s, form);
    case MachineOp::kSub:
      return arithmetic(Sse::sub, s, form);
    case MachineOp::kMul:
      return arithmetic(Sse::mul, s, form);
    case MachineOp::kDiv:
      return arithmetic(Sse::div, s, form);
    case MachineOp::kMultiplyAdd:
      return multiply_add(s, form);
    case MachineOp::kFloorDiv:
      asm_.sse(Sse::div, form, Xmm::xmm0, in_xmm(s.in[0], Xmm::xmm0, form), place(s.in[1]));
      asm_.round(form, Xmm::xmm0, Xmm::xmm0, Rounding::down);
      return put(s.out, Xmm::xmm0, form);
    case MachineOp::kSquaredDifference:
      asm_.sse(Sse::sub, form, Xmm::xmm0, in_xmm(s.in[0], Xmm::xmm0, form), place(s.in[1]));
      asm_.sse(Sse::mul, form, to, Xmm::xmm0, Xmm::xmm0);
      return put(s.out, to, form);
    case MachineOp::kMaximum:
    case MachineOp::kMinimum:
      return extreme_floating(o.op, s, form);
    case MachineOp::kSelect:
      return select_floating(s, form);
    case MachineOp::kNeg:
    case MachineOp::kAbs:
      asm_.packed(o.op == MachineOp::kNeg ? Packed::xor_ : Packed::and_, to, in_xmm(s.in[0], Xmm::xmm0, form),
                  sign_mask(asm_, form, o.op == MachineOp::kAbs));
      return put(s.out, to, form);
    case MachineOp::kSquare: {
      const Xmm x = in_xmm(s.in[0], Xmm::xmm0, form);
      asm_.sse(Sse::mul, form, to, x, x);
      return put(s.out, to, form);
    }
    case MachineOp::kSqrt:
      get(to, s.in[0], form);
      asm_.sse(Sse::sqrt, form, to, to);
      return put(s.out, to, form);
    case MachineOp::kReciprocal:
      asm_.movs(form, Xmm::xmm0, one(asm_, form));
      asm_.sse(Sse::div, form, Xmm::xmm0, place(s.in[0]));
      return put(s.out, Xmm::xmm0, form);
    case MachineOp::kFloor:
    case MachineOp::kCeil:
    case MachineOp::kRound:
      get(to, s.in[0], form);
      asm_.round(form, to, to,
                 o.op == MachineOp::kFloor  ? Rounding::down
                 : o.op == MachineOp::kCeil ? Rounding::up
                                            : Rounding::nearest_even);
      return put(s.out, to, form);
    case MachineOp::kIsNan: {
      const Xmm x = in_xmm(s.in[0], Xmm::xmm0, form);
      asm_.ucomi(form, x, x);
      return put_flags({Condition::parity}, s.out);
    }
    default:
      return put_flags(compare(o.op, s.in[0], s.in[1], t), s.out);
  }
}

void ScalarTranslator::arithmetic(Sse op, const BytecodeInstruction& s, Form form) {
  const Xmm x = in_xmm(s.in[0], Xmm::xmm0, form);
  const Rm y = place(s.in[1]);
  Xmm to = target(s.out, Xmm::xmm0);
  if (!asm_.has_avx() && y.is(to) && x != to) to = Xmm::xmm0;
  asm_.sse(op, form, to, x, y);
  put(s.out, to, form);
}

void ScalarTranslator::multiply_add(const BytecodeInstruction& s, Form form) {
  const Rm a = place(s.in[0]), b = place(s.in[1]), c = place(s.in[2]);
  Xmm to = target(s.out, Xmm::xmm0);
  if ((a.is(to) || b.is(to)) && !c.is(to)) to = Xmm::xmm0;
  if (!kernels_multiply_add()) {
    get(Xmm::xmm1, s.in[0], form);
    asm_.sse(Sse::mul, form, Xmm::xmm1, b);
    asm_.sse(Sse::add, form, Xmm::xmm1, c);
    return put(s.out, Xmm::xmm1, form);
  }
  if (c.is(to) && (a.is(to) || b.is(to))) to = Xmm::xmm0;
  get(to, s.in[2], form);
  asm_.multiply_add(form, to, in_xmm(s.in[0], Xmm::xmm1, form), b);
  put(s.out, to, form);
}

// a >= b or a is NaN: a, else b. maxss would flush subnormals to zero, and preserves only one of the NaNs.
void ScalarTranslator::extreme_floating(MachineOp op, const BytecodeInstruction& s, Form form) {
  const Slot a = s.in[0], b = s.in[1];
  const bool maximum = op == MachineOp::kMaximum;
  asm_.compare(form, Xmm::xmm0, in_xmm(maximum ? b : a, Xmm::xmm0, form), place(maximum ? a : b),
               SseCompare::less_equal);
  const Xmm x = in_xmm(a, Xmm::xmm1, form);
  asm_.compare(form, Xmm::xmm1, x, x, SseCompare::unordered);
  asm_.packed(Packed::or_, Xmm::xmm0, Xmm::xmm1);
  blend(a, b, s.out, form);
}

// a if the sign of xmm0 is set, else b.
void ScalarTranslator::blend(Slot a, Slot b, Slot out, Form form) {
  const Xmm to = asm_.has_avx() ? target(out, Xmm::xmm1) : Xmm::xmm1;
  const Xmm no = in_xmm(b, Xmm::xmm1, form);
  asm_.blendv(form, to, no, in_xmm(a, Xmm::xmm2, form));
  put(out, to, form);
}

void ScalarTranslator::select_floating(const BytecodeInstruction& s, Form form) {
  const Width w = form == Form::sd ? Width::k64 : Width::k32;
  get(Gpr::rax, s.in[0], Type::kBool);
  asm_.neg(w, Gpr::rax);
  asm_.movd(w, Xmm::xmm0, Gpr::rax);
  blend(s.in[1], s.in[2], s.out, form);
}

void ScalarTranslator::compare_to_mask(const BytecodeInstruction& s, const Operation& o) {
  Slot a = s.in[0], b = s.in[1];
  if (o.op == MachineOp::kGreater || o.op == MachineOp::kGreaterEqual) std::swap(a, b);
  const Form form = form_of(o.in[0]);
  asm_.compare(form, Xmm::xmm0, in_xmm(a, Xmm::xmm0, form), place(b), sse_comparison(o.op));
}

void ScalarTranslator::cast(const BytecodeInstruction& s) {
  const Type from = type_of(s.operand), to = type_of(s.result);
  if (is_floating(to)) {
    const Xmm x = target(s.out, Xmm::xmm0);
    if (is_floating(from)) {
      get(x, s.in[0], form_of(from));
      if (from != to) asm_.resize(form_of(from), x, x);
    } else {
      const Gpr number = in_gpr(s.in[0], Gpr::rax, from);
      asm_.packed(Packed::xor_, x, x);
      asm_.to_floating(width_of(from), form_of(to), x, number);
    }
    return put(s.out, x, form_of(to));
  }
  if (to == Type::kBool) {
    if (is_floating(from)) {
      asm_.packed(Packed::xor_, Xmm::xmm0, Xmm::xmm0);
      asm_.ucomi(form_of(from), Xmm::xmm0, place(s.in[0]));
      return put_flags({Condition::not_equal, Flags::kOrUnordered}, s.out);
    }
    asm_.alu(Alu::cmp, width_of(from), Rm(in_gpr(s.in[0], Gpr::rax, from)), 0);
    return put_flags({Condition::not_equal}, s.out);
  }
  const Gpr x = target(s.out, Gpr::rax);
  if (is_floating(from)) {
    asm_.to_integer(form_of(from), width_of(to), x, place(s.in[0]));
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
