// Four numbers at once, as the code that works on small tensors has them. What is in memory is aligned: it is a slot,
// or a constant.
#include <bit>

#include "jit/x64/translator.h"

namespace tracefn::machine_code {
namespace {

// A constant of 32 bits, four times.
Mem repeated(Assembler& a, std::uint32_t value) {
  const std::uint64_t two = std::uint64_t{value} * 0x1'0000'0001;
  return a.constant(two, two);
}
Mem all_bits(Assembler& a) { return repeated(a, 0xffff'ffff); }

}  // namespace

void ScalarTranslator::four(std::size_t i) {
  const BytecodeInstruction& s = instructions_[i];
  const Operation& o = operations_[i];
  switch (o.op) {
    case MachineOp::kBroadcast:
      return broadcast(s, o.in[0]);
    case MachineOp::kInsert:
      return insert(s, o.in[1]);
    case MachineOp::kExtract:
      return extract(s, o.out);
    case MachineOp::kCast:
      return cast_four(s);
    case MachineOp::kSelect:
      get(Xmm::xmm0, s.in[0], Form::ps);
      return blend(s.in[1], s.in[2], s.out, Form::ps);
    default:
      if (is_comparison(o.op)) return compare_four(s, o);
      is_floating(o.out) ? floating(s, o) : four_integers(s, o);
  }
}

void ScalarTranslator::four_integers(const BytecodeInstruction& s, const Operation& o) {
  const Xmm to = target(s.out, Xmm::xmm0);
  switch (o.op) {
    case MachineOp::kAdd:
      return packed(PackedInteger::add, s);
    case MachineOp::kSub:
      return packed(PackedInteger::sub, s);
    case MachineOp::kMul:
      return packed(PackedInteger::mul, s);
    case MachineOp::kMaximum:
      return packed(PackedInteger::max, s);
    case MachineOp::kMinimum:
      return packed(PackedInteger::min, s);
    case MachineOp::kAnd:
      return packed(PackedInteger::and_, s);
    case MachineOp::kOr:
      return packed(PackedInteger::or_, s);
    case MachineOp::kXor:
      return packed(PackedInteger::xor_, s);
    case MachineOp::kSquaredDifference:
      get(Xmm::xmm0, s.in[0], Form::ps);
      asm_.packed(PackedInteger::sub, Xmm::xmm0, place(s.in[1]));
      asm_.packed(PackedInteger::mul, Xmm::xmm0, Xmm::xmm0);
      return put(s.out, Xmm::xmm0, Form::ps);
    case MachineOp::kSquare:
      get(to, s.in[0], Form::ps);
      asm_.packed(PackedInteger::mul, to, to);
      return put(s.out, to, Form::ps);
    case MachineOp::kAbs:
      asm_.packed(PackedInteger::abs, to, place(s.in[0]));
      return put(s.out, to, Form::ps);
    case MachineOp::kNeg:
      asm_.packed(PackedInteger::xor_, Xmm::xmm0, Xmm::xmm0);
      asm_.packed(PackedInteger::sub, Xmm::xmm0, place(s.in[0]));
      return put(s.out, Xmm::xmm0, Form::ps);
    default:  // not
      get(Xmm::xmm0, s.in[0], Form::ps);
      invert_masks(s.out);
  }
}

void ScalarTranslator::packed(PackedInteger op, const BytecodeInstruction& s) {
  Xmm to = target(s.out, Xmm::xmm0);
  const Rm x = place(s.in[0]), y = place(s.in[1]);
  if (y.is(to) && !x.is(to)) to = Xmm::xmm0;
  get(to, s.in[0], Form::ps);
  asm_.packed(op, to, y);
  put(s.out, to, Form::ps);
}

void ScalarTranslator::invert_masks(Slot out) {
  asm_.packed(PackedInteger::xor_, Xmm::xmm0, all_bits(asm_));
  put(out, Xmm::xmm0, Form::ps);
}

// There is greater, and equal; less_equal is not greater.
void ScalarTranslator::compare_four(const BytecodeInstruction& s, const Operation& o) {
  if (o.in[0] == Type::kFloats) {
    compare_to_mask(s, o);
    return put(s.out, Xmm::xmm0, Form::ps);
  }
  const bool equality = o.op == MachineOp::kEqual || o.op == MachineOp::kNotEqual;
  const bool exchanged = o.op == MachineOp::kLess || o.op == MachineOp::kGreaterEqual;
  get(Xmm::xmm0, s.in[exchanged ? 1 : 0], Form::ps);
  asm_.packed(equality ? PackedInteger::equal : PackedInteger::greater, Xmm::xmm0, place(s.in[exchanged ? 0 : 1]));
  if (o.op == MachineOp::kNotEqual || o.op == MachineOp::kLessEqual || o.op == MachineOp::kGreaterEqual)
    return invert_masks(s.out);
  put(s.out, Xmm::xmm0, Form::ps);
}

void ScalarTranslator::cast_four(const BytecodeInstruction& s) {
  const Type from = four_of(type_of(s.operand)), to_type = four_of(type_of(s.result));
  const Xmm to = target(s.out, Xmm::xmm0);
  if (from == Type::kMasks) {
    const std::uint32_t one = to_type == Type::kFloats ? std::bit_cast<std::uint32_t>(1.0f) : 1;
    get(to, s.in[0], Form::ps);
    asm_.packed(PackedInteger::and_, to, repeated(asm_, one));
    return put(s.out, to, Form::ps);
  }
  if (to_type == Type::kMasks) {
    get(Xmm::xmm0, s.in[0], Form::ps);
    if (from == Type::kFloats) {
      asm_.compare(Form::ps, Xmm::xmm0, repeated(asm_, 0), SseCompare::not_equal);
      return put(s.out, Xmm::xmm0, Form::ps);
    }
    asm_.packed(PackedInteger::equal, Xmm::xmm0, repeated(asm_, 0));
    return invert_masks(s.out);
  }
  if (to_type == Type::kFloats) {
    asm_.integers_to_floats(to, place(s.in[0]));
  } else {
    asm_.floats_to_integers(to, place(s.in[0]));
  }
  put(s.out, to, Form::ps);
}

void ScalarTranslator::broadcast(const BytecodeInstruction& s, Type from) {
  const Xmm to = target(s.out, Xmm::xmm0);
  if (from == Type::kFloat) {
    asm_.shuffle(to, in_xmm(s.in[0], to, Form::ss), 0);
  } else {
    Gpr number = Gpr::rax;
    if (from == Type::kBool) {
      get(number, s.in[0], from);
      asm_.neg(Width::k32, number);
    } else {
      number = in_gpr(s.in[0], number, from);
    }
    asm_.movd(Width::k32, to, number);
    asm_.shuffle(to, to, 0);
  }
  put(s.out, to, Form::ps);
}

void ScalarTranslator::insert(const BytecodeInstruction& s, Type of) {
  const auto lane = static_cast<std::uint8_t>(s.offset);
  Xmm to = target(s.out, Xmm::xmm0);
  if (of == Type::kFloat) {
    const Rm number = place(s.in[1]);
    if (number.is(to)) to = Xmm::xmm0;
    get(to, s.in[0], Form::ps);
    asm_.insert(to, number, lane);
  } else {
    get(to, s.in[0], Form::ps);
    Gpr number = Gpr::rax;
    if (of == Type::kBool) {
      get(number, s.in[1], of);
      asm_.neg(Width::k32, number);
    } else {
      number = in_gpr(s.in[1], number, of);
    }
    asm_.insert_integer(to, number, lane);
  }
  put(s.out, to, Form::ps);
}

void ScalarTranslator::extract(const BytecodeInstruction& s, Type of) {
  const auto lane = static_cast<std::uint8_t>(s.offset);
  const Rm from = place(s.in[0]);
  Mem number = from.memory;
  number.disp += 4 * lane;
  if (of == Type::kFloat) {
    const Xmm to = target(s.out, Xmm::xmm0);
    if (from.is_memory) {
      asm_.movs(Form::ss, to, number);
    } else if (lane == 0) {
      get(to, s.in[0], Form::ss);
    } else {
      asm_.shuffle(to, from, lane);
    }
    return put(s.out, to, Form::ss);
  }
  const Gpr to = target(s.out, Gpr::rax);
  if (from.is_memory) {
    asm_.mov(Width::k32, to, number);
  } else {
    asm_.extract_integer(to, static_cast<Xmm>(from.reg), lane);
  }
  if (of == Type::kBool) asm_.alu(Alu::and_, Width::k32, Rm(to), 1);
  put(s.out, to, of);
}

// Whatever is not zero is true.
void ScalarTranslator::load_masks(const Mem& from, Slot out) {
  const Xmm to = target(out, Xmm::xmm0);
  asm_.packed(PackedInteger::widen_bytes, to, from);
  asm_.packed(PackedInteger::greater, to, repeated(asm_, 0));
  put(out, to, Form::ps);
}

void ScalarTranslator::store_masks(const Mem& to, Slot value) {
  get(Xmm::xmm0, value, Form::ps);
  asm_.packed(PackedInteger::narrow, Xmm::xmm0, Xmm::xmm0);
  asm_.packed(PackedInteger::narrow_words, Xmm::xmm0, Xmm::xmm0);
  asm_.packed(PackedInteger::and_, Xmm::xmm0, repeated(asm_, 0x0101'0101));
  asm_.movd(to, Xmm::xmm0);
}

}  // namespace tracefn::machine_code
