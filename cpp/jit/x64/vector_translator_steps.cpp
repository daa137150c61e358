// The instructions of each step.
#include <cstdint>

#include "base/check.h"
#include "jit/x64/vector_translator.h"

namespace tracefn::vector_code {
namespace {

using machine_code::Condition;

constexpr Mask kScratchMask{0}, kElements{1};

Zmm vector_of(const MachineOperand& o) { return Zmm{static_cast<std::uint8_t>(o.index)}; }
Mask mask_of(const MachineOperand& o) { return Mask{static_cast<std::uint8_t>(o.index)}; }
Lanes elements(bool is_full) { return is_full ? Lanes{} : Lanes{kElements}; }

Binary binary_of(LaneOp op) {
  switch (op) {
    case LaneOp::kAdd:
      return Binary::add;
    case LaneOp::kSub:
      return Binary::sub;
    case LaneOp::kMul:
      return Binary::mul;
    case LaneOp::kDiv:
      return Binary::div;
    case LaneOp::kMax:
      return Binary::max;
    case LaneOp::kMin:
      return Binary::min;
    case LaneOp::kAnd:
      return Binary::and_;
    case LaneOp::kOr:
      return Binary::or_;
    case LaneOp::kXor:
      return Binary::xor_;
    case LaneOp::kAddBits:
      return Binary::add_bits;
    case LaneOp::kSubBits:
      return Binary::sub_bits;
    default:
      check_failed(__FILE__, __LINE__, "an operation on two numbers");
  }
}

Comparison comparison_of(LaneOp op, bool swapped) {
  switch (op) {
    case LaneOp::kLess:
      return swapped ? Comparison::greater : Comparison::less;
    case LaneOp::kLessEqual:
      return swapped ? Comparison::greater_equal : Comparison::less_equal;
    case LaneOp::kEqual:
      return Comparison::equal;
    default:
      return Comparison::not_equal;
  }
}

// The first two operands are factors.
MultiplyAdd multiply_add_of(const MachineInstruction& s) {
  if (s.over == 2) return MultiplyAdd::b_c_to;
  return s.swapped ? MultiplyAdd::to_c_b : MultiplyAdd::b_to_c;
}

BitTable choice_of(const MachineInstruction& s) {
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

VectorOperand VectorTranslator::operand(const MachineOperand& from) const {
  if (from.kind == MachineOperand::kUniform) return {uniform(from.index), true};
  if (from.kind == MachineOperand::kSlot) return {slot(from.index), false};
  return vector_of(from);
}

void VectorTranslator::step(const MachineInstruction& s, bool is_full) {
  const Zmm to{s.to};
  switch (s.kind) {
    case MachineInstruction::kCompute:
      compute(s, is_full);
      break;
    case MachineInstruction::kLoad:
      if (s.in[0].kind == MachineOperand::kRegister) {
        a_.move(to, vector_of(s.in[0]));
      } else if (s.in[0].kind == MachineOperand::kUniform) {
        a_.repeat(width_, to, uniform(s.in[0].index));
      } else if (s.in[0].kind == MachineOperand::kSlot) {
        a_.load(width_, to, slot(s.in[0].index));
      } else {
        a_.load(width_, to, numbers(s.in[0].index, s.vector), elements(is_full));
      }
      break;
    case MachineInstruction::kLoadMask:
      load_mask(s, is_full);
      break;
    case MachineInstruction::kSpill:
      if (s.in[1].kind == MachineOperand::kUniform) {
        a_.store_first(width_, uniform(s.in[1].index), vector_of(s.in[0]));
      } else {
        a_.store(width_, slot(s.in[1].index), vector_of(s.in[0]));
      }
      break;
    case MachineInstruction::kSpillMask:
      a_.mask_store(mask_slot(s.in[1].index), mask_of(s.in[0]));
      break;
  }
}

void VectorTranslator::compute(const MachineInstruction& s, bool is_full) {
  const Zmm to{s.to};
  const Mask to_mask{s.to};
  switch (s.op) {
    case LaneOp::kMultiplyAdd:
      a_.multiply_add(multiply_add_of(s), width_, to, vector_of(s.in[0]), operand(s.in[1]));
      break;
    case LaneOp::kChooseBits:
      a_.combine_bits(choice_of(s), width_, to, vector_of(s.in[0]), operand(s.in[1]));
      break;
    case LaneOp::kSqrt:
      a_.sqrt(width_, to, operand(s.in[0]));
      break;
    case LaneOp::kRoundDown:
      a_.round(width_, to, operand(s.in[0]), Rounding::down);
      break;
    case LaneOp::kRoundUp:
      a_.round(width_, to, operand(s.in[0]), Rounding::up);
      break;
    case LaneOp::kRoundToEven:
      a_.round(width_, to, operand(s.in[0]), Rounding::nearest_even);
      break;
    case LaneOp::kShiftLeft:
      a_.shift_bits(BitShift::left, width_, to, operand(s.in[0]), static_cast<std::uint8_t>(s.bits));
      break;
    case LaneOp::kShiftRight:
      a_.shift_bits(BitShift::right, width_, to, operand(s.in[0]), static_cast<std::uint8_t>(s.bits));
      break;
    case LaneOp::kSignedValue:
      a_.signed_value(to, operand(s.in[0]));
      break;
    case LaneOp::kSelect:
      if (s.in[2].kind != MachineOperand::kNone) {
        a_.blend(width_, to, mask_of(s.in[0]), vector_of(s.in[2]), operand(s.in[1]));
      } else if (s.in[1].kind == MachineOperand::kUniform) {
        a_.repeat(width_, to, uniform(s.in[1].index), {mask_of(s.in[0])});
      } else if (s.in[1].kind == MachineOperand::kSlot) {
        a_.load(width_, to, slot(s.in[1].index), {mask_of(s.in[0])});
      } else {
        a_.move(width_, to, vector_of(s.in[1]), {mask_of(s.in[0])});
      }
      break;
    case LaneOp::kLess:
    case LaneOp::kLessEqual:
    case LaneOp::kEqual:
    case LaneOp::kNotEqual:
      a_.compare(comparison_of(s.op, s.swapped), width_, to_mask, vector_of(s.in[0]), operand(s.in[1]));
      break;
    case LaneOp::kSignBit:
      a_.sign_bits(width_, to_mask, vector_of(s.in[0]));
      break;
    case LaneOp::kMaskAnd:
      a_.mask(MaskOp::and_, to_mask, mask_of(s.in[0]), mask_of(s.in[1]));
      break;
    case LaneOp::kMaskOr:
      a_.mask(MaskOp::or_, to_mask, mask_of(s.in[0]), mask_of(s.in[1]));
      break;
    case LaneOp::kMaskXor:
      a_.mask(MaskOp::xor_, to_mask, mask_of(s.in[0]), mask_of(s.in[1]));
      break;
    case LaneOp::kMaskNot:
      a_.mask_not(to_mask, mask_of(s.in[0]));
      break;
    case LaneOp::kGuard:
      guard(s, is_full);
      break;
    case LaneOp::kStore:
      a_.store(width_, numbers(s.bits, s.vector), vector_of(s.in[0]), elements(is_full));
      break;
    case LaneOp::kMaskStore:
      store_mask(s, is_full);
      break;
    default:
      a_.binary(binary_of(s.op), width_, to, vector_of(s.in[0]), operand(s.in[1]));
  }
}

void VectorTranslator::load_mask(const MachineInstruction& s, bool is_full) {
  if (s.in[0].kind == MachineOperand::kSlot) {
    a_.mask_load(Mask{s.to}, mask_slot(s.in[0].index));
    return;
  }
  const Zmm scratch{s.scratch};
  const Mem from = bytes(s.in[0].index, s.vector);
  if (is_full && width_ == LaneWidth::k64) {
    a_.load_eight_bytes(scratch, from);
  } else {
    a_.load_bytes(scratch, from, elements(is_full));
  }
  a_.nonzero_bytes(Mask{s.to}, scratch);
}

// Nothing of the current vectors has been stored: guards come before stores. If a guard fails, the whole vectors are
// processed again one by one.
void VectorTranslator::guard(const MachineInstruction& s, bool is_full) {
  const Mask fits = mask_of(s.in[0]);
  if (is_full) {
    a_.mask_test(width_, fits);
    a_.jump(Condition::above_equal, rest_);
  } else {
    a_.mask(MaskOp::not_and, kScratchMask, fits, kElements);
    a_.mask_test(LaneWidth::k32, kScratchMask);
    a_.jump(Condition::not_equal, exit_);
  }
}

void VectorTranslator::store_mask(const MachineInstruction& s, bool is_full) {
  const Zmm scratch{s.scratch};
  Mem ones;
  ones.at_label = true;
  ones.label = ones_;
  a_.load_bytes(scratch, ones, {mask_of(s.in[0])});
  const Mem to = bytes(s.bits, s.vector);
  if (is_full && width_ == LaneWidth::k64) {
    a_.store_eight_bytes(to, scratch);
  } else {
    a_.store_bytes(to, scratch, elements(is_full));
  }
}

}  // namespace tracefn::vector_code
