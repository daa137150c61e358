// Comparisons: set and use the flags. ucomiss reports "unordered" in the parity flag; only equality reads it, the
// others are swapped so that unordered means no.
#include <utility>

#include "jit/x64/translator.h"

namespace tracefn::machine_code {
namespace {

Condition signed_condition(MachineOp op) {
  switch (op) {
    case MachineOp::kLess:
      return Condition::less;
    case MachineOp::kLessEqual:
      return Condition::less_equal;
    case MachineOp::kGreater:
      return Condition::greater;
    case MachineOp::kGreaterEqual:
      return Condition::greater_equal;
    case MachineOp::kEqual:
    case MachineOp::kNoBits:
      return Condition::equal;
    default:
      return Condition::not_equal;
  }
}

MachineOp exchanged(MachineOp op) {
  switch (op) {
    case MachineOp::kLess:
      return MachineOp::kGreater;
    case MachineOp::kLessEqual:
      return MachineOp::kGreaterEqual;
    case MachineOp::kGreater:
      return MachineOp::kLess;
    case MachineOp::kGreaterEqual:
      return MachineOp::kLessEqual;
    default:
      return op;
  }
}

}  // namespace

ScalarTranslator::Flags ScalarTranslator::compare(MachineOp op, Slot a, Slot b, Type t) {
  return is_floating(t) ? compare_floats(op, a, b, form_of(t)) : compare_integers(op, a, b, t);
}

ScalarTranslator::Flags ScalarTranslator::compare_integers(MachineOp op, Slot a, Slot b, Type t) {
  const Width w = width_of(t);
  if (is_immediate(a) && !is_immediate(b)) {
    std::swap(a, b);
    op = exchanged(op);
  }
  const Gpr x = in_gpr(a, Gpr::rax, t);
  if (op == MachineOp::kNoBits || op == MachineOp::kAnyBits) {
    asm_.test(w, x, value(b));
    return {signed_condition(op)};
  }
  if (!is_immediate(b)) {
    asm_.alu(Alu::cmp, w, x, in_gpr(b, Gpr::rcx, t));
  } else if (value(b) == 0) {
    asm_.test(w, x, x);
  } else {
    asm_.alu(Alu::cmp, w, Rm(x), value(b));
  }
  return {signed_condition(op)};
}

ScalarTranslator::Flags ScalarTranslator::compare_floats(MachineOp op, Slot a, Slot b, Form form) {
  if (op == MachineOp::kLess || op == MachineOp::kLessEqual) {
    std::swap(a, b);
    op = exchanged(op);
  }
  asm_.ucomi(form, in_xmm(a, Xmm::xmm0, form), place(b));
  switch (op) {
    case MachineOp::kGreater:
      return {Condition::above};
    case MachineOp::kGreaterEqual:
      return {Condition::above_equal};
    case MachineOp::kEqual:
      return {Condition::equal, Flags::kAndOrdered};
    default:
      return {Condition::not_equal, Flags::kOrUnordered};
  }
}

ScalarTranslator::Flags ScalarTranslator::truth(Slot condition) {
  const Rm where = place(condition);
  if (where.is_memory) {
    asm_.cmp8(where, 0);
  } else {
    asm_.test8(static_cast<Gpr>(where.reg));
  }
  return {Condition::not_equal};
}

void ScalarTranslator::put_flags(Flags flags, Slot out) {
  asm_.set(flags.condition, Gpr::rax);
  if (flags.parity != Flags::kIgnored) {
    const bool both = flags.parity == Flags::kAndOrdered;
    asm_.set(both ? Condition::not_parity : Condition::parity, Gpr::rcx);
    asm_.alu(both ? Alu::and_ : Alu::or_, Width::k32, Gpr::rax, Gpr::rcx);
  }
  const Gpr to = target(out, Gpr::rax);
  asm_.movzx8(to, Gpr::rax);
  put(out, to, Type::kBool);
}

void ScalarTranslator::jump_if(Flags flags, Label to) {
  if (flags.parity == Flags::kAndOrdered) {
    const Label past = asm_.new_label();
    asm_.jump(Condition::parity, past);
    asm_.jump(flags.condition, to);
    return asm_.bind(past);
  }
  asm_.jump(flags.condition, to);
  if (flags.parity == Flags::kOrUnordered) asm_.jump(Condition::parity, to);
}

void ScalarTranslator::jump_unless(Flags flags, Label to) {
  if (flags.parity == Flags::kOrUnordered) {
    const Label past = asm_.new_label();
    asm_.jump(Condition::parity, past);
    asm_.jump(opposite(flags.condition), to);
    return asm_.bind(past);
  }
  asm_.jump(opposite(flags.condition), to);
  if (flags.parity == Flags::kAndOrdered) asm_.jump(Condition::parity, to);
}

}  // namespace tracefn::machine_code
