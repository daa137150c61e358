// Comparisons: set and use the flags. ucomiss reports "unordered" in the parity flag; only equality reads it, the
// others are swapped so that unordered means no.
#include <utility>

#include "exec/machine_code/translator.h"

namespace tracefn::machine_code {
namespace {

Condition signed_condition(Op op) {
  switch (op) {
    case Op::kLess:
      return Condition::less;
    case Op::kLessEqual:
      return Condition::less_equal;
    case Op::kGreater:
      return Condition::greater;
    case Op::kGreaterEqual:
      return Condition::greater_equal;
    case Op::kEqual:
    case Op::kNoBits:
      return Condition::equal;
    default:
      return Condition::not_equal;
  }
}

Op exchanged(Op op) {
  switch (op) {
    case Op::kLess:
      return Op::kGreater;
    case Op::kLessEqual:
      return Op::kGreaterEqual;
    case Op::kGreater:
      return Op::kLess;
    case Op::kGreaterEqual:
      return Op::kLessEqual;
    default:
      return op;
  }
}

}  // namespace

Translator::Flags Translator::compare(Op op, Slot a, Slot b, Type t) {
  return is_floating(t) ? compare_floats(op, a, b, width_of(t)) : compare_integers(op, a, b, t);
}

Translator::Flags Translator::compare_integers(Op op, Slot a, Slot b, Type t) {
  const Width w = width_of(t);
  if (is_immediate(a) && !is_immediate(b)) {
    std::swap(a, b);
    op = exchanged(op);
  }
  const Gpr x = in_gpr(a, Gpr::rax, t);
  if (op == Op::kNoBits || op == Op::kAnyBits) {
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

Translator::Flags Translator::compare_floats(Op op, Slot a, Slot b, Width w) {
  if (op == Op::kLess || op == Op::kLessEqual) {
    std::swap(a, b);
    op = exchanged(op);
  }
  asm_.ucomi(w, in_xmm(a, Xmm::xmm0, w), place(b));
  switch (op) {
    case Op::kGreater:
      return {Condition::above};
    case Op::kGreaterEqual:
      return {Condition::above_equal};
    case Op::kEqual:
      return {Condition::equal, Flags::kAndOrdered};
    default:
      return {Condition::not_equal, Flags::kOrUnordered};
  }
}

Translator::Flags Translator::truth(Slot condition) {
  const Rm where = place(condition);
  if (where.is_memory) {
    asm_.cmp8(where, 0);
  } else {
    asm_.test8(static_cast<Gpr>(where.reg));
  }
  return {Condition::not_equal};
}

void Translator::put_flags(Flags flags, Slot out) {
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

void Translator::jump_if(Flags flags, Label to) {
  if (flags.parity == Flags::kAndOrdered) {
    const Label past = asm_.new_label();
    asm_.jump(Condition::parity, past);
    asm_.jump(flags.condition, to);
    return asm_.bind(past);
  }
  asm_.jump(flags.condition, to);
  if (flags.parity == Flags::kOrUnordered) asm_.jump(Condition::parity, to);
}

void Translator::jump_unless(Flags flags, Label to) {
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
