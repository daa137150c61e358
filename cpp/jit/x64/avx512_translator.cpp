// The instructions of each step.
#include "jit/x64/avx512_translator.h"

#include <algorithm>
#include <cstdint>

namespace tracefn::vector_code {
namespace {

using machine_code::Condition;

// Those of lanes that do not fit, and of the lanes chosen.
constexpr Mask kScratchMask{0}, kElements{1};
// Nothing is in registers at the start of a row.
constexpr Zmm kFirst{0};

Zmm zmm_of(const MachineOperand& o) { return Zmm{static_cast<std::uint8_t>(o.index)}; }
Mask mask_of(const MachineOperand& o) { return Mask{static_cast<std::uint8_t>(o.index)}; }
Lanes elements(bool is_full) { return is_full ? Lanes{} : Lanes{kElements}; }

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

Avx512Translator::Avx512Translator(const Allocation& whole, const Allocation& single)
    : VectorTranslator(whole, single, false), ones_(a_.new_label()), element_masks_(a_.new_label()) {}

void Avx512Translator::lay_out_frame() {
  place_uniforms(static_cast<std::size_t>(repeats() ? kWordBytes : single_.target.vector_bytes));
  mask_slots_at_ = take_frame(std::max(whole_.num_mask_slots, single_.num_mask_slots) * std::size_t{kWordBytes});
}

void Avx512Translator::fill_uniforms() {
  for (std::uint32_t k = 0; k < single_.uniforms.size(); ++k) {
    const Uniform& u = single_.uniforms[k];
    if (u.kind != Uniform::kPlace) continue;
    if (!repeats()) {
      a_.mov(GprWidth::k64, kFree, pointer_to(u.value));
      a_.repeat(width_, kFirst, {kFree, 0});
      a_.store(width_, uniform(k), kFirst);
      continue;
    }
    const GprWidth w = width_ == LaneWidth::k32 ? GprWidth::k32 : GprWidth::k64;
    a_.mov(GprWidth::k64, kFree, pointer_to(u.value));
    a_.mov(w, kFree, Mem{kFree, 0});
    a_.mov(w, uniform(k), kFree);
  }
  for (std::uint32_t k = 0; k < single_.uniform_masks.size(); ++k) {
    const Uniform& u = single_.uniform_masks[k];
    if (u.kind == Uniform::kComputed) continue;
    if (u.kind == Uniform::kPlace) {
      load_condition(u.value);
    } else {
      a_.mov(kFree, u.value ? -1 : 0);
    }
    a_.mov(GprWidth::k32, mask_slot(k), kFree);
  }
}

void Avx512Translator::write_data() {
  a_.align(16);
  a_.bind(ones_);
  for (int k = 0; k < 2; ++k) a_.data(0x0101010101010101, 8);
  a_.bind(element_masks_);
  for (std::int32_t k = 0; k <= lanes(); ++k)
    a_.data(k < 64 ? (std::uint64_t{1} << k) - 1 : ~std::uint64_t{0}, lanes() == 64 ? 8 : 2);
  for (std::uint32_t k = 0; k < single_.uniforms.size(); ++k) {
    if (single_.uniforms[k].kind != Uniform::kConstant) continue;
    a_.bind(uniform(k).label);
    for (std::int32_t again = repeats() ? 1 : lanes(); again > 0; --again)
      a_.data(single_.uniforms[k].value, static_cast<unsigned>(number_bytes()));
  }
}

void Avx512Translator::choose_lanes() {
  a_.lea(GprWidth::k64, kFree, at(element_masks_));
  a_.mask_load(width_, kElements, {kFree, 0, kLimit, static_cast<std::uint8_t>(lanes() == 64 ? 8 : 2)});
}

Mem Avx512Translator::mask_slot(std::uint64_t number) const {
  return in_frame(mask_slots_at_ + static_cast<std::int32_t>(number) * kWordBytes);
}

VectorOperand Avx512Translator::operand(const MachineOperand& from) const {
  if (from.kind == MachineOperand::kUniform) return {uniform(from.index), repeats()};
  if (from.kind == MachineOperand::kSlot) return {slot(from.index), false};
  return zmm_of(from);
}

void Avx512Translator::load(const MachineInstruction& s, bool is_full) {
  const Zmm to{s.to};
  if (s.in[0].kind == MachineOperand::kRegister) {
    a_.move(to, zmm_of(s.in[0]));
  } else if (s.in[0].kind == MachineOperand::kUniform && repeats()) {
    a_.repeat(width_, to, uniform(s.in[0].index));
  } else if (s.in[0].kind != MachineOperand::kPlace) {
    a_.load(width_, to, operand(s.in[0]).rm.memory);
  } else {
    a_.load(width_, to, numbers(s.in[0].index, s.vector), elements(is_full));
  }
}

void Avx512Translator::spill(const MachineInstruction& s) {
  if (s.in[1].kind == MachineOperand::kUniform && repeats()) {
    a_.store_first(width_, uniform(s.in[1].index), zmm_of(s.in[0]));
  } else {
    a_.store(width_, operand(s.in[1]).rm.memory, zmm_of(s.in[0]));
  }
}
void Avx512Translator::spill_mask(const MachineInstruction& s) {
  a_.mask_store(mask_slot(s.in[1].index), mask_of(s.in[0]));
}

void Avx512Translator::compute(const MachineInstruction& s, bool is_full) {
  const Zmm to{s.to};
  const Mask to_mask{s.to};
  switch (s.op) {
    case LaneOp::kMultiplyAdd:
      a_.multiply_add(multiply_add_of(s), width_, to, zmm_of(s.in[0]), operand(s.in[1]));
      break;
    case LaneOp::kChooseBits:
      a_.combine_bits(choice_of(s), width_, to, zmm_of(s.in[0]), operand(s.in[1]));
      break;
    case LaneOp::kSqrt:
      a_.sqrt(width_, to, operand(s.in[0]));
      break;
    case LaneOp::kRoundDown:
    case LaneOp::kRoundUp:
    case LaneOp::kRoundToEven:
      a_.round(width_, to, operand(s.in[0]), rounding_of(s.op));
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
        a_.blend(width_, to, mask_of(s.in[0]), zmm_of(s.in[2]), operand(s.in[1]));
      } else if (s.in[1].kind == MachineOperand::kUniform) {
        a_.repeat(width_, to, uniform(s.in[1].index), {mask_of(s.in[0])});
      } else if (s.in[1].kind == MachineOperand::kSlot) {
        a_.load(width_, to, slot(s.in[1].index), {mask_of(s.in[0])});
      } else {
        a_.move(width_, to, zmm_of(s.in[1]), {mask_of(s.in[0])});
      }
      break;
    case LaneOp::kLess:
    case LaneOp::kLessEqual:
    case LaneOp::kEqual:
    case LaneOp::kNotEqual:
      a_.compare(comparison_of(s), width_, to_mask, zmm_of(s.in[0]), operand(s.in[1]));
      break;
    case LaneOp::kMoreBits:
      a_.compare_bits(s.swapped ? BitComparison::less : BitComparison::greater, width_, to_mask, zmm_of(s.in[0]),
                      operand(s.in[1]));
      break;
    case LaneOp::kEqualBits:
      a_.compare_bits(BitComparison::equal, width_, to_mask, zmm_of(s.in[0]), operand(s.in[1]));
      break;
    case LaneOp::kSignBit:
      a_.sign_bits(width_, to_mask, zmm_of(s.in[0]));
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
    case LaneOp::kSkipIfNone:
    case LaneOp::kSkipIfAll:
      skip(s);
      break;
    case LaneOp::kSkipEnd:
      a_.bind(behind_skip_);
      break;
    case LaneOp::kGuard:
      guard(s, is_full);
      break;
    case LaneOp::kStore:
      a_.store(width_, numbers(s.bits, s.vector), zmm_of(s.in[0]), elements(is_full));
      break;
    case LaneOp::kMaskStore:
      store_mask(s, is_full);
      break;
    default:
      a_.binary(binary_of(s.op), width_, to, zmm_of(s.in[0]), operand(s.in[1]));
  }
}

void Avx512Translator::load_mask(const MachineInstruction& s, bool is_full) {
  if (s.in[0].kind == MachineOperand::kSlot) {
    a_.mask_load(LaneWidth::k32, Mask{s.to}, mask_slot(s.in[0].index));
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

void Avx512Translator::skip(const MachineInstruction& s) {
  behind_skip_ = a_.new_label();
  a_.mask_test(width_, mask_of(s.in[0]));
  a_.jump(s.op == LaneOp::kSkipIfNone ? Condition::equal : Condition::below, behind_skip_);
}

// Nothing of the current vectors has been stored: guards come before stores. If a guard fails, the whole vectors are
// processed again one by one.
void Avx512Translator::guard(const MachineInstruction& s, bool is_full) {
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

void Avx512Translator::store_mask(const MachineInstruction& s, bool is_full) {
  const Zmm scratch{s.scratch};
  a_.load_bytes(scratch, at(ones_), {mask_of(s.in[0])});
  const Mem to = bytes(s.bits, s.vector);
  if (is_full && width_ == LaneWidth::k64) {
    a_.store_eight_bytes(to, scratch);
  } else {
    a_.store_bytes(to, scratch, elements(is_full));
  }
}

}  // namespace tracefn::vector_code
