// The instructions of each step.
#include <cstdint>

#include "base/check.h"
#include "exec/vector_code/translator.h"

namespace tracefn::vector_code {
namespace {

using machine_code::Condition;

constexpr Mask kScratchMask{0}, kElements{1};

Zmm vector_of(const Operand& o) { return Zmm{static_cast<std::uint8_t>(o.index)}; }
Mask mask_of(const Operand& o) { return Mask{static_cast<std::uint8_t>(o.index)}; }
Lanes elements(bool is_full) { return is_full ? Lanes{} : Lanes{kElements}; }

Binary binary_of(Op op) {
  switch (op) {
    case Op::kAdd:
      return Binary::add;
    case Op::kSub:
      return Binary::sub;
    case Op::kMul:
      return Binary::mul;
    case Op::kDiv:
      return Binary::div;
    case Op::kMax:
      return Binary::max;
    case Op::kMin:
      return Binary::min;
    case Op::kAnd:
      return Binary::and_;
    case Op::kOr:
      return Binary::or_;
    case Op::kXor:
      return Binary::xor_;
    case Op::kAddBits:
      return Binary::add_bits;
    case Op::kSubBits:
      return Binary::sub_bits;
    default:
      check_failed(__FILE__, __LINE__, "an operation on two numbers");
  }
}

Comparison comparison_of(Op op, bool swapped) {
  switch (op) {
    case Op::kLess:
      return swapped ? Comparison::greater : Comparison::less;
    case Op::kLessEqual:
      return swapped ? Comparison::greater_equal : Comparison::less_equal;
    case Op::kEqual:
      return Comparison::equal;
    default:
      return Comparison::not_equal;
  }
}

// The first two operands are factors.
MultiplyAdd multiply_add_of(const Step& s) {
  if (s.over == 2) return MultiplyAdd::b_c_to;
  return s.swapped ? MultiplyAdd::to_c_b : MultiplyAdd::b_to_c;
}

BitTable choice_of(const Step& s) {
  BitTable table = 0;
  for (unsigned row = 0; row < 8; ++row) {
    // By operand, those that are not overwritten, in order.
    bool bits[3] = {};
    const bool second = row & 2, third = row & 1;
    bits[s.over] = row & 4;
    bits[s.over == 0 ? 1 : 0] = s.swapped ? third : second;
    bits[s.over == 2 ? 1 : 2] = s.swapped ? second : third;
    table |= static_cast<BitTable>((bits[0] ? bits[1] : bits[2]) << row);
  }
  return table;
}

}  // namespace

VectorOperand Translator::operand(const Operand& from) const {
  if (from.kind == Operand::kUniform) return {uniform(from.index), true};
  if (from.kind == Operand::kSlot) return {slot(from.index), false};
  return vector_of(from);
}

void Translator::step(const Step& s, bool is_full) {
  const Zmm to{s.to};
  switch (s.kind) {
    case Step::kCompute:
      compute(s, is_full);
      break;
    case Step::kLoad:
      if (s.in[0].kind == Operand::kRegister) {
        a_.move(to, vector_of(s.in[0]));
      } else if (s.in[0].kind == Operand::kUniform) {
        a_.repeat(width_, to, uniform(s.in[0].index));
      } else if (s.in[0].kind == Operand::kSlot) {
        a_.load(width_, to, slot(s.in[0].index));
      } else {
        a_.load(width_, to, numbers(s.in[0].index, s.vector), elements(is_full));
      }
      break;
    case Step::kLoadMask:
      load_mask(s, is_full);
      break;
    case Step::kSave:
      if (s.in[1].kind == Operand::kUniform) {
        a_.store_first(width_, uniform(s.in[1].index), vector_of(s.in[0]));
      } else {
        a_.store(width_, slot(s.in[1].index), vector_of(s.in[0]));
      }
      break;
    case Step::kSaveMask:
      a_.mask_store(mask_slot(s.in[1].index), mask_of(s.in[0]));
      break;
  }
}

void Translator::compute(const Step& s, bool is_full) {
  const Zmm to{s.to};
  const Mask to_mask{s.to};
  switch (s.op) {
    case Op::kMultiplyAdd:
      a_.multiply_add(multiply_add_of(s), width_, to, vector_of(s.in[0]), operand(s.in[1]));
      break;
    case Op::kChooseBits:
      a_.combine_bits(choice_of(s), width_, to, vector_of(s.in[0]), operand(s.in[1]));
      break;
    case Op::kSqrt:
      a_.sqrt(width_, to, operand(s.in[0]));
      break;
    case Op::kRoundDown:
      a_.round(width_, to, operand(s.in[0]), Rounding::down);
      break;
    case Op::kRoundUp:
      a_.round(width_, to, operand(s.in[0]), Rounding::up);
      break;
    case Op::kRoundToEven:
      a_.round(width_, to, operand(s.in[0]), Rounding::nearest_even);
      break;
    case Op::kShiftLeft:
      a_.shift_bits(BitShift::left, width_, to, operand(s.in[0]), static_cast<std::uint8_t>(s.bits));
      break;
    case Op::kShiftRight:
      a_.shift_bits(BitShift::right, width_, to, operand(s.in[0]), static_cast<std::uint8_t>(s.bits));
      break;
    case Op::kSignedValue:
      a_.signed_value(to, operand(s.in[0]));
      break;
    case Op::kSelect:
      if (s.in[2].kind != Operand::kNone) {
        a_.blend(width_, to, mask_of(s.in[0]), vector_of(s.in[2]), operand(s.in[1]));
      } else if (s.in[1].kind == Operand::kUniform) {
        a_.repeat(width_, to, uniform(s.in[1].index), {mask_of(s.in[0])});
      } else if (s.in[1].kind == Operand::kSlot) {
        a_.load(width_, to, slot(s.in[1].index), {mask_of(s.in[0])});
      } else {
        a_.move(width_, to, vector_of(s.in[1]), {mask_of(s.in[0])});
      }
      break;
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kEqual:
    case Op::kNotEqual:
      a_.compare(comparison_of(s.op, s.swapped), width_, to_mask, vector_of(s.in[0]), operand(s.in[1]));
      break;
    case Op::kSignBit:
      a_.sign_bits(width_, to_mask, vector_of(s.in[0]));
      break;
    case Op::kMaskAnd:
      a_.mask(MaskOp::and_, to_mask, mask_of(s.in[0]), mask_of(s.in[1]));
      break;
    case Op::kMaskOr:
      a_.mask(MaskOp::or_, to_mask, mask_of(s.in[0]), mask_of(s.in[1]));
      break;
    case Op::kMaskXor:
      a_.mask(MaskOp::xor_, to_mask, mask_of(s.in[0]), mask_of(s.in[1]));
      break;
    case Op::kMaskNot:
      a_.mask_not(to_mask, mask_of(s.in[0]));
      break;
    case Op::kGuard:
      guard(s, is_full);
      break;
    case Op::kStore:
      a_.store(width_, numbers(s.bits, s.vector), vector_of(s.in[0]), elements(is_full));
      break;
    case Op::kMaskStore:
      store_mask(s, is_full);
      break;
    default:
      a_.binary(binary_of(s.op), width_, to, vector_of(s.in[0]), operand(s.in[1]));
  }
}

void Translator::load_mask(const Step& s, bool is_full) {
  if (s.in[0].kind == Operand::kSlot) {
    a_.mask_load(Mask{s.to}, mask_slot(s.in[0].index));
    return;
  }
  const Zmm scratch{s.scratch};
  const Mem from = bytes(s.in[0].index, s.vector);
  if (is_full && width_ == Width::k64) {
    a_.load_eight_bytes(scratch, from);
  } else {
    a_.load_bytes(scratch, from, elements(is_full));
  }
  a_.nonzero_bytes(Mask{s.to}, scratch);
}

// Nothing of the current vectors has been stored: guards come before stores. If a guard fails, the whole vectors are
// processed again one by one.
void Translator::guard(const Step& s, bool is_full) {
  const Mask fits = mask_of(s.in[0]);
  if (is_full) {
    a_.mask_test(width_, fits);
    a_.jump(Condition::above_equal, rest_);
  } else {
    a_.mask(MaskOp::not_and, kScratchMask, fits, kElements);
    a_.mask_test(Width::k32, kScratchMask);
    a_.jump(Condition::not_equal, exit_);
  }
}

void Translator::store_mask(const Step& s, bool is_full) {
  const Zmm scratch{s.scratch};
  Mem ones;
  ones.at_label = true;
  ones.label = ones_;
  a_.load_bytes(scratch, ones, {mask_of(s.in[0])});
  const Mem to = bytes(s.bits, s.vector);
  if (is_full && width_ == Width::k64) {
    a_.store_eight_bytes(to, scratch);
  } else {
    a_.store_bytes(to, scratch, elements(is_full));
  }
}

}  // namespace tracefn::vector_code
