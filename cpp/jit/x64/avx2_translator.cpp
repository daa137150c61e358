// The instructions of each step.
#include "jit/x64/avx2_translator.h"

#include <cstdint>

namespace tracefn::vector_code {
namespace {

using machine_code::Alu;
using machine_code::Condition;
using machine_code::Rm;

constexpr Ymm kScratch{15};
constexpr std::int32_t kVectorBytes = 32;
constexpr std::int32_t kPageBytes = 4096;

Ymm ymm_of(const MachineOperand& o) { return Ymm{static_cast<std::uint8_t>(o.index)}; }

}  // namespace

Avx2Translator::Avx2Translator(const Allocation& whole, const Allocation& single, bool overlaps)
    : VectorTranslator(whole, single, overlaps), ones_(a_.new_label()), lane_masks_(a_.new_label()) {}

void Avx2Translator::lay_out_frame() {
  place_uniforms(kVectorBytes);
  chosen_at_ = take_frame(kVectorBytes);
  count_at_ = take_frame(kWordBytes);
  bytes_at_ = take_frame(kVectorBytes);
  places_at_ = take_frame(kWordBytes);
}

void Avx2Translator::fill_uniforms() {
  a_.mov(GprWidth::k64, in_frame(places_at_), kPlaces);
  for (std::uint32_t k = 0; k < single_.uniforms.size(); ++k) {
    const Uniform& u = single_.uniforms[k];
    if (u.kind != Uniform::kPlace) continue;
    if (u.is_mask) {
      load_condition(u.value);
      a_.mov(GprWidth::k32, in_frame(bytes_at_), kFree);
      a_.repeat(LaneWidth::k32, kScratch, in_frame(bytes_at_));
    } else {
      a_.mov(GprWidth::k64, kFree, pointer_to(u.value));
      a_.repeat(width_, kScratch, {kFree, 0});
    }
    a_.store(uniform(k), kScratch);
  }
}

void Avx2Translator::write_data() {
  const auto repeated = [&](std::uint64_t value, std::int32_t bytes) {
    for (std::int32_t at = 0; at < kVectorBytes; at += bytes) a_.data(value, static_cast<unsigned>(bytes));
  };
  a_.align(32);
  a_.bind(lane_masks_);
  repeated(~std::uint64_t{0}, 8);
  repeated(0, 8);
  a_.bind(ones_);
  repeated(~std::uint64_t{0}, 8);
  for (std::uint32_t k = 0; k < single_.uniforms.size(); ++k) {
    const Uniform& u = single_.uniforms[k];
    if (u.kind != Uniform::kConstant) continue;
    a_.bind(uniform(k).label);
    if (u.is_mask) {
      repeated(u.value ? ~std::uint64_t{0} : 0, 8);
    } else {
      repeated(u.value, number_bytes());
    }
  }
}

// Their mask begins as far before the zeros of the table as there are lanes.
void Avx2Translator::choose_lanes() {
  a_.mov(GprWidth::k64, in_frame(count_at_), kLimit);
  a_.neg(GprWidth::k64, kLimit);
  a_.lea(GprWidth::k64, kFree, at(lane_masks_));
  a_.load(kScratch, {kFree, kVectorBytes, kLimit, static_cast<std::uint8_t>(number_bytes())});
  a_.store(in_frame(chosen_at_), kScratch);
}

Ymm Avx2Translator::chosen_lanes() {
  a_.load(kScratch, in_frame(chosen_at_));
  return kScratch;
}

YmmOperand Avx2Translator::operand(const MachineOperand& from) const {
  if (from.kind == MachineOperand::kUniform) return uniform(from.index);
  if (from.kind == MachineOperand::kSlot) return slot(from.index);
  return ymm_of(from);
}

void Avx2Translator::spill(const MachineInstruction& s) { a_.store(operand(s.in[1]).rm.memory, ymm_of(s.in[0])); }
// Masks are vectors.
void Avx2Translator::spill_mask(const MachineInstruction& s) { spill(s); }

void Avx2Translator::load(const MachineInstruction& s, bool is_full) {
  const Ymm to{s.to};
  if (s.in[0].kind == MachineOperand::kRegister) {
    a_.move(to, ymm_of(s.in[0]));
  } else if (s.in[0].kind != MachineOperand::kPlace) {
    a_.load(to, operand(s.in[0]).rm.memory);
  } else if (is_full) {
    a_.load(to, numbers(s.in[0].index, s.vector));
  } else if (width_ == LaneWidth::k8) {
    read_rest(numbers(s.in[0].index, s.vector), [&](const Mem& from) { a_.load(to, from); });
  } else {
    a_.load_lanes(width_, to, chosen_lanes(), numbers(s.in[0].index, s.vector));
  }
}

void Avx2Translator::compute(const MachineInstruction& s, bool is_full) {
  const Ymm to{s.to};
  switch (s.op) {
    case LaneOp::kMultiplyAdd:
      a_.multiply_add(multiply_add_of(s), width_, to, ymm_of(s.in[0]), operand(s.in[1]));
      break;
    case LaneOp::kChooseBits:
      choose_bits(s);
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
    case LaneOp::kShiftRight: {
      const YmmOperand from = operand(s.in[0]);
      if (from.rm.is_memory) a_.load(to, from.rm.memory);
      a_.shift_bits(s.op == LaneOp::kShiftLeft ? BitShift::left : BitShift::right, width_, to,
                    from.rm.is_memory ? to : ymm_of(s.in[0]), static_cast<std::uint8_t>(s.bits));
      break;
    }
    case LaneOp::kSignedValue:
      a_.signed_value(to, operand(s.in[0]));
      break;
    case LaneOp::kSelect:
      if (s.in[2].kind != MachineOperand::kNone) {
        a_.blend(width_, to, ymm_of(s.in[0]), ymm_of(s.in[2]), operand(s.in[1]));
      } else {
        a_.binary(Binary::and_, width_, to, ymm_of(s.in[0]), operand(s.in[1]));
      }
      break;
    case LaneOp::kLess:
    case LaneOp::kLessEqual:
    case LaneOp::kEqual:
    case LaneOp::kNotEqual:
      a_.compare(comparison_of(s), width_, to, ymm_of(s.in[0]), operand(s.in[1]));
      break;
    case LaneOp::kMoreBits:
      more_bits(s);
      break;
    case LaneOp::kEqualBits:
      a_.equal_bits(width_, to, ymm_of(s.in[0]), operand(s.in[1]));
      break;
    case LaneOp::kSignBit:
      a_.sign_mask(width_, to, ymm_of(s.in[0]));
      break;
    case LaneOp::kMaskAnd:
      a_.binary(Binary::and_, width_, to, ymm_of(s.in[0]), ymm_of(s.in[1]));
      break;
    case LaneOp::kMaskOr:
      a_.binary(Binary::or_, width_, to, ymm_of(s.in[0]), ymm_of(s.in[1]));
      break;
    case LaneOp::kMaskXor:
      a_.binary(Binary::xor_, width_, to, ymm_of(s.in[0]), ymm_of(s.in[1]));
      break;
    case LaneOp::kMaskNot:
      a_.binary(Binary::xor_, width_, to, ymm_of(s.in[0]), at(ones_));
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
      if (is_full) {
        a_.store(numbers(s.bits, s.vector), ymm_of(s.in[0]));
      } else if (width_ == LaneWidth::k8) {
        a_.store(in_frame(bytes_at_), ymm_of(s.in[0]));
        a_.lea(GprWidth::k64, kFree, numbers(s.bits, s.vector));
        copy_bytes(Direction::kOut);
      } else if (!has_guards()) {
        store_rest(s);
      } else {
        a_.store_lanes(width_, numbers(s.bits, s.vector), chosen_lanes(), ymm_of(s.in[0]));
      }
      break;
    case LaneOp::kMaskStore:
      store_mask(s, is_full);
      break;
    default:
      a_.binary(binary_of(s.op), width_, to, ymm_of(s.in[0]), operand(s.in[1]));
  }
}

// In parts, by the bits of the number of lanes, since a masked store takes many cycles on some processors. Each part
// moves the index on, which then gets its value back.
void Avx2Translator::store_rest(const MachineInstruction& s) {
  const Mem to = numbers(s.bits, s.vector);
  a_.move(kScratch, ymm_of(s.in[0]));
  a_.mov(GprWidth::k64, kLimit, in_frame(count_at_));
  for (std::int32_t part = lanes() / 2; part > 0; part /= 2) {
    const Label without = a_.new_label();
    const std::int32_t bytes = part * number_bytes();
    a_.test(GprWidth::k32, kLimit, part);
    a_.jump(Condition::equal, without);
    a_.store_first(static_cast<unsigned>(bytes), to, kScratch);
    if (part > 1) {
      if (bytes == 16) {
        a_.upper_half(kScratch, kScratch);
      } else {
        a_.without_first_eight(kScratch, kScratch);
      }
      a_.alu(Alu::add, GprWidth::k64, Rm(kIndex), part);
    }
    a_.bind(without);
  }
  a_.alu(Alu::and_, GprWidth::k64, Rm(kLimit), -2);
  a_.alu(Alu::sub, GprWidth::k64, kIndex, kLimit);
}

// Only the lesser one may be in memory.
void Avx2Translator::more_bits(const MachineInstruction& s) {
  const YmmOperand other = operand(s.in[1]);
  if (!s.swapped) {
    a_.more_bits(width_, Ymm{s.to}, ymm_of(s.in[0]), other);
  } else {
    a_.load(kScratch, other.rm.memory);
    a_.more_bits(width_, Ymm{s.to}, kScratch, ymm_of(s.in[0]));
  }
}

// By the bits of the first operand, those of the second and the third. One of the three is in `to`, and the part that
// it is needed for is computed there, the other one in the scratch register.
void Avx2Translator::choose_bits(const MachineInstruction& s) {
  const Ymm to{s.to};
  const YmmOperand first = operand(s.in[s.swapped ? 1 : 0]), second = operand(s.in[s.swapped ? 0 : 1]);
  const YmmOperand in[3] = {s.over == 0 ? YmmOperand(to) : first,
                            s.over == 1   ? YmmOperand(to)
                            : s.over == 0 ? first
                                          : second,
                            s.over == 2 ? YmmOperand(to) : second};
  Ymm bits = kScratch;
  if (in[0].rm.is_memory) {
    a_.load(bits, in[0].rm.memory);
  } else {
    bits = Ymm{in[0].rm.reg};
  }
  if (s.over == 1) {
    a_.binary(Binary::and_, width_, to, bits, in[1]);
    a_.and_not(kScratch, bits, in[2]);
  } else if (s.over == 2) {
    a_.and_not(to, bits, in[2]);
    a_.binary(Binary::and_, width_, kScratch, bits, in[1]);
  } else {
    a_.and_not(kScratch, bits, in[2]);
    a_.binary(Binary::and_, width_, to, bits, in[1]);
  }
  a_.binary(Binary::or_, width_, to, to, kScratch);
}

// Reads one byte for each lane, of which the chosen ones count: what is behind them may be on a page that is not there.
void Avx2Translator::read_rest(const Mem& memory, const std::function<void(const Mem&)>& read) {
  const Label ends = a_.new_label(), done = a_.new_label();
  a_.lea(GprWidth::k64, kFree, memory);
  a_.mov(GprWidth::k32, kLimit, kFree);
  a_.alu(Alu::and_, GprWidth::k32, Rm(kLimit), kPageBytes - 1);
  a_.alu(Alu::cmp, GprWidth::k32, Rm(kLimit), kPageBytes - lanes());
  a_.jump(Condition::greater, ends);
  read({kFree, 0});
  a_.jump(done);
  a_.bind(ends);
  copy_bytes(Direction::kIn);
  read(in_frame(bytes_at_));
  a_.bind(done);
}

// In parts by the bits of their number. The places' register is needed, too; it gets its value back.
void Avx2Translator::copy_bytes(Direction direction) {
  const Mem outside{kFree, 0, kLimit, 1}, inside{Gpr::rsp, bytes_at_, kLimit, 1};
  const Mem &from = direction == Direction::kIn ? outside : inside,
            &to = direction == Direction::kIn ? inside : outside;
  // After a guard that failed they may be all.
  for (std::int32_t part = has_guards() ? lanes() : lanes() / 2; part > 0; part /= 2) {
    const Label without = a_.new_label();
    a_.mov(GprWidth::k64, kLimit, in_frame(count_at_));
    a_.test(GprWidth::k32, kLimit, part);
    a_.jump(Condition::equal, without);
    a_.alu(Alu::and_, GprWidth::k64, Rm(kLimit), -2 * part);
    if (part == 16) {
      a_.load_half(kScratch, from);
      a_.store_first(16, to, kScratch);
    } else if (part >= 4) {
      const GprWidth w = part == 8 ? GprWidth::k64 : GprWidth::k32;
      a_.mov(w, kPlaces, from);
      a_.mov(w, to, kPlaces);
    } else if (part == 2) {
      a_.movzx16(kPlaces, from);
      a_.mov16(to, kPlaces);
    } else {
      a_.movzx8(kPlaces, from);
      a_.mov8(to, kPlaces);
    }
    a_.bind(without);
  }
  a_.mov(GprWidth::k64, kPlaces, in_frame(places_at_));
}

void Avx2Translator::load_mask(const MachineInstruction& s, bool is_full) {
  const Ymm to{s.to};
  const Mem from = bytes(s.in[0].index, s.vector);
  const auto widen = [&](const Mem& memory) { a_.widen_bytes(width_, to, memory); };
  if (is_full) {
    widen(from);
  } else {
    read_rest(from, widen);
  }
  a_.binary(Binary::xor_, width_, kScratch, kScratch, kScratch);
  a_.more_bits(width_, to, to, kScratch);
}

void Avx2Translator::skip(const MachineInstruction& s) {
  behind_skip_ = a_.new_label();
  a_.lane_bits(width_, kFree, ymm_of(s.in[0]));
  if (s.op == LaneOp::kSkipIfNone) {
    a_.test(GprWidth::k32, kFree, kFree);
  } else {
    a_.alu(Alu::cmp, GprWidth::k32, Rm(kFree), (1 << lanes()) - 1);
  }
  a_.jump(Condition::equal, behind_skip_);
}

// Nothing of the current vectors has been stored: guards come before stores. If a guard fails, the whole vectors are
// processed again one by one.
void Avx2Translator::guard(const MachineInstruction& s, bool is_full) {
  const Ymm fits = ymm_of(s.in[0]);
  if (is_full) {
    a_.lane_bits(width_, kFree, fits);
    a_.alu(Alu::cmp, GprWidth::k32, Rm(kFree), (1 << lanes()) - 1);
    a_.jump(Condition::not_equal, rest_);
  } else {
    const Ymm lost = chosen_lanes();
    a_.and_not(lost, fits, lost);
    a_.lane_bits(width_, kFree, lost);
    a_.test(GprWidth::k32, kFree, kFree);
    a_.jump(Condition::not_equal, exit_);
  }
}

void Avx2Translator::store_mask(const MachineInstruction& s, bool is_full) {
  a_.narrow_mask(width_, kScratch, ymm_of(s.in[0]));
  if (is_full) {
    a_.store_bytes(width_, bytes(s.bits, s.vector), kScratch);
  } else {
    a_.store_bytes(width_, in_frame(bytes_at_), kScratch);
    a_.lea(GprWidth::k64, kFree, bytes(s.bits, s.vector));
    copy_bytes(Direction::kOut);
  }
}

}  // namespace tracefn::vector_code
