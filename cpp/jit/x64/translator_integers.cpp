// Integers and booleans. A result's register is written last, or only where its operand is the first one.
#include <bit>
#include <limits>

#include "jit/x64/translator.h"
#include "ops/elementwise/block.h"

namespace tracefn::machine_code {
namespace {

Type integer_of(Width w) { return w == Width::k64 ? Type::kInt64 : Type::kInt32; }
// The exponent of a power of two.
std::uint8_t exponent(std::int32_t number) {
  return static_cast<std::uint8_t>(std::countr_zero(static_cast<std::uint32_t>(number)));
}

}  // namespace

void ScalarTranslator::integer(std::size_t i) {
  const BytecodeInstruction& s = instructions_[i];
  const Operation& o = operations_[i];
  const Type t = o.in[o.num_inputs - 1];
  const Width w = width_of(t);
  switch (o.op) {
    case MachineOp::kAdd:
      return add(s, w);
    case MachineOp::kSub:
      return subtract(s, w);
    case MachineOp::kMul:
      return multiply(s, w);
    case MachineOp::kScaledAdd:
      return add_scaled(s, w);
    case MachineOp::kSquaredDifference:
      get(Gpr::rax, s.in[0], t);
      asm_.alu(Alu::sub, w, Gpr::rax, place(s.in[1]));
      asm_.imul(w, Gpr::rax, Gpr::rax);
      return put(s.out, Gpr::rax, t);
    case MachineOp::kAnd:
      return bitwise(Alu::and_, s, t);
    case MachineOp::kOr:
      return bitwise(Alu::or_, s, t);
    case MachineOp::kXor:
      return bitwise(Alu::xor_, s, t);
    case MachineOp::kNot:
      get(Gpr::rax, s.in[0], t);
      asm_.alu(Alu::xor_, w, Rm(Gpr::rax), 1);
      return put(s.out, Gpr::rax, t);
    case MachineOp::kNeg:
      get(Gpr::rax, s.in[0], t);
      asm_.neg(w, Gpr::rax);
      return put(s.out, Gpr::rax, t);
    case MachineOp::kAbs:
      get(Gpr::rax, s.in[0], t);
      asm_.sign_extend(w);
      asm_.alu(Alu::xor_, w, Gpr::rax, Gpr::rdx);
      asm_.alu(Alu::sub, w, Gpr::rax, Gpr::rdx);
      return put(s.out, Gpr::rax, t);
    case MachineOp::kSquare:
      get(Gpr::rax, s.in[0], t);
      asm_.imul(w, Gpr::rax, Gpr::rax);
      return put(s.out, Gpr::rax, t);
    case MachineOp::kMaximum:
    case MachineOp::kMinimum:
      return extreme(o.op, s, w);
    case MachineOp::kSelect:
      return select_integer(s, truth(s.in[0]));
    case MachineOp::kFloorDiv:
    case MachineOp::kFloorMod:
    case MachineOp::kTruncateDiv:
    case MachineOp::kTruncateMod:
      return divide(i, w);
    default:
      return put_flags(compare(o.op, s.in[0], s.in[1], t), s.out);
  }
}

void ScalarTranslator::add(const BytecodeInstruction& s, Width w) {
  Slot a = s.in[0], b = s.in[1];
  if (is_immediate(a)) std::swap(a, b);
  const Type t = integer_of(w);
  const Gpr to = target(s.out, Gpr::rax);
  const Rm x = place(a), y = place(b);
  if (is_immediate(b)) {
    if (!x.is_memory && !x.is(to)) {
      asm_.lea(w, to, Mem{static_cast<Gpr>(x.reg), value(b)});
    } else {
      get(to, a, t);
      asm_.alu(Alu::add, w, Rm(to), value(b));
    }
  } else if (y.is(to)) {
    asm_.alu(Alu::add, w, to, x);
  } else if (!x.is_memory && !y.is_memory && !x.is(to)) {
    asm_.lea(w, to, Mem{static_cast<Gpr>(x.reg), 0, static_cast<Gpr>(y.reg)});
  } else {
    get(to, a, t);
    asm_.alu(Alu::add, w, to, y);
  }
  put(s.out, to, t);
}

void ScalarTranslator::subtract(const BytecodeInstruction& s, Width w) {
  const Slot a = s.in[0], b = s.in[1];
  const Type t = integer_of(w);
  const Rm x = place(a), y = place(b);
  Gpr to = target(s.out, Gpr::rax);
  if (is_immediate(b)) {
    if (!x.is_memory && !x.is(to) && value(b) != std::numeric_limits<std::int32_t>::min()) {
      asm_.lea(w, to, Mem{static_cast<Gpr>(x.reg), -value(b)});
    } else {
      get(to, a, t);
      asm_.alu(Alu::sub, w, Rm(to), value(b));
    }
  } else {
    if (y.is(to) && !x.is(to)) to = Gpr::rax;
    get(to, a, t);
    asm_.alu(Alu::sub, w, to, y);
  }
  put(s.out, to, t);
}

void ScalarTranslator::multiply(const BytecodeInstruction& s, Width w) {
  Slot a = s.in[0], b = s.in[1];
  if (is_immediate(a)) std::swap(a, b);
  const Type t = integer_of(w);
  const Gpr to = target(s.out, Gpr::rax);
  if (!is_immediate(b)) {
    if (place(b).is(to)) std::swap(a, b);
    get(to, a, t);
    asm_.imul(w, to, place(b));
    return put(s.out, to, t);
  }
  const std::int32_t factor = value(b);
  if (is_small_power_of_two(factor)) {
    get(to, a, t);
    if (factor > 1) asm_.shift(Shift::shl, w, to, exponent(factor));
  } else if (factor == 3 || factor == 5 || factor == 9) {
    const Gpr x = in_gpr(a, to, t);
    asm_.lea(w, to, Mem{x, 0, x, static_cast<std::uint8_t>(factor - 1)});
  } else {
    asm_.imul(w, to, place(a), factor);
  }
  put(s.out, to, t);
}

void ScalarTranslator::add_scaled(const BytecodeInstruction& s, Width w) {
  const Type t = integer_of(w);
  const Gpr to = target(s.out, Gpr::rax), x = in_gpr(s.in[0], to, t);
  asm_.lea(w, to, Mem{x, value(s.in[1]), x, static_cast<std::uint8_t>(s.function - 1)});
  put(s.out, to, t);
}

void ScalarTranslator::bitwise(Alu op, const BytecodeInstruction& s, Type t) {
  const Width w = width_of(t);
  Slot a = s.in[0], b = s.in[1];
  if (is_immediate(a)) std::swap(a, b);
  get(Gpr::rax, a, t);
  if (is_immediate(b)) {
    asm_.alu(op, w, Rm(Gpr::rax), value(b));
  } else {
    asm_.alu(op, w, Gpr::rax, in_gpr(b, Gpr::rcx, t));
  }
  put(s.out, Gpr::rax, t);
}

// Floored division by a power of two.
bool ScalarTranslator::divide_by_shift(const BytecodeInstruction& s, MachineOp op, Width w) {
  if (op != MachineOp::kFloorDiv && op != MachineOp::kFloorMod) return false;
  if (!is_immediate(s.in[1]) || !is_small_power_of_two(value(s.in[1]))) return false;
  const std::int32_t divisor = value(s.in[1]);
  const Type t = integer_of(w);
  const Gpr to = target(s.out, Gpr::rax);
  get(to, s.in[0], t);
  if (op == MachineOp::kFloorMod) {
    asm_.alu(Alu::and_, w, Rm(to), divisor - 1);
  } else if (divisor > 1) {
    asm_.shift(Shift::sar, w, to, exponent(divisor));
  }
  put(s.out, to, t);
  return true;
}

// rax / rcx: the quotient in rax, the remainder, which has the sign of the dividend, in rdx.
void ScalarTranslator::divide(std::size_t i, Width w) {
  const BytecodeInstruction& s = instructions_[i];
  const MachineOp op = operations_[i].op;
  if (divide_by_shift(s, op, w)) return;
  const Type t = integer_of(w);
  const bool quotient = op == MachineOp::kFloorDiv || op == MachineOp::kTruncateDiv;
  const bool floors = op == MachineOp::kFloorDiv || op == MachineOp::kFloorMod;
  const bool safe = is_immediate(s.in[1]) && value(s.in[1]) != 0 && value(s.in[1]) != -1;
  const Label done = asm_.new_label();
  get(Gpr::rcx, s.in[1], t);
  get(Gpr::rax, s.in[0], t);
  if (!safe) {
    const Label by_zero = asm_.new_label(), by_minus_one = asm_.new_label();
    asm_.test(w, Gpr::rcx, Gpr::rcx);
    asm_.jump(Condition::equal, by_zero);
    asm_.alu(Alu::cmp, w, Rm(Gpr::rcx), -1);
    asm_.jump(Condition::equal, by_minus_one);
    out_of_line([=, this] {
      asm_.bind(by_zero);
      fail(i, kBlockDivisionByZero);
      asm_.bind(by_minus_one);  // the processor traps on the lowest integer divided by -1
      if (quotient) {
        asm_.neg(w, Gpr::rax);
      } else {
        asm_.mov(Gpr::rax, 0);
      }
      asm_.jump(done);
    });
  }
  asm_.sign_extend(w);
  asm_.idiv(w, Gpr::rcx);
  const Label exact = asm_.new_label();
  if (floors) {
    asm_.test(w, Gpr::rdx, Gpr::rdx);
    asm_.jump(Condition::equal, exact);
  }
  if (op == MachineOp::kFloorDiv) {
    asm_.alu(Alu::xor_, w, Gpr::rdx, Gpr::rcx);
    asm_.jump(Condition::not_sign, exact);
    asm_.dec(w, Gpr::rax);
  } else if (op == MachineOp::kFloorMod) {
    asm_.mov(w, Gpr::rax, Gpr::rdx);
    asm_.alu(Alu::xor_, w, Gpr::rax, Gpr::rcx);
    asm_.jump(Condition::not_sign, exact);
    asm_.alu(Alu::add, w, Gpr::rdx, Gpr::rcx);
  }
  asm_.bind(exact);
  if (!quotient) asm_.mov(w, Gpr::rax, Gpr::rdx);
  asm_.bind(done);
  put(s.out, Gpr::rax, t);
}

void ScalarTranslator::extreme(MachineOp op, const BytecodeInstruction& s, Width w) {
  const Type t = integer_of(w);
  Slot a = s.in[0], b = s.in[1];
  const Gpr to = target(s.out, Gpr::rax);
  if (place(b).is(to)) std::swap(a, b);
  get(to, a, t);
  const Gpr other = in_gpr(b, Gpr::rcx, t);
  asm_.alu(Alu::cmp, w, to, other);
  asm_.cmov(op == MachineOp::kMaximum ? Condition::less : Condition::greater, w, to, other);
  put(s.out, to, t);
}

// Preserves the flags for another select.
void ScalarTranslator::select_integer(const BytecodeInstruction& s, Flags flags) {
  const Type t = type_of(s.result);
  Slot chosen = s.in[1], other = s.in[2];
  Condition condition = flags.condition;
  Gpr to = target(s.out, Gpr::rax);
  if (place(chosen).is(to)) {
    std::swap(chosen, other);
    condition = opposite(condition);
  }
  if (place(chosen).is(to)) to = Gpr::rax;  // both
  get(to, other, t);
  asm_.cmov(condition, width_of(t), to, in_gpr(chosen, Gpr::rcx, t));
  put(s.out, to, t);
}

}  // namespace tracefn::machine_code
