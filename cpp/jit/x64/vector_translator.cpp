// The loops and the frame. From rsp on the frame has: spill slots of vectors, what the derived class takes, saved
// registers.
#include "jit/x64/vector_translator.h"

#include <algorithm>

#include "base/check.h"

namespace tracefn::vector_code {
namespace {

using machine_code::Alu;
using machine_code::Condition;
using machine_code::Rm;
using machine_code::Shift;

// For pointers. The later ones are callee-saved.
constexpr Gpr kPointers[] = {Gpr::rdx, Gpr::r8,  Gpr::r9,  Gpr::r10, Gpr::r11, Gpr::rbx,
                             Gpr::rbp, Gpr::r12, Gpr::r13, Gpr::r14, Gpr::r15};
constexpr std::size_t kNumLostPointers = 5;
constexpr std::int32_t kPageBytes = 4096;

}  // namespace

std::vector<std::uint8_t> VectorTranslator::translate() {
  rest_ = general().new_label();
  exit_ = general().new_label();
  choose_pointers();
  enter();
  const Label row = general().new_label();
  general().bind(row);
  fill_uniforms();
  loop_over_whole_vectors();
  loop_over_rest();
  next_row(row);
  general().bind(exit_);
  leave();
  write_data();
  return general().finish();
}

void VectorTranslator::step(const MachineInstruction& s, bool is_full) {
  switch (s.kind) {
    case MachineInstruction::kCompute:
      return compute(s, is_full);
    case MachineInstruction::kLoad:
      return load(s, is_full);
    case MachineInstruction::kLoadMask:
      return load_mask(s, is_full);
    case MachineInstruction::kSpill:
      return spill(s);
    case MachineInstruction::kSpillMask:
      return spill_mask(s);
  }
}

void VectorTranslator::loop_over_whole_vectors() {
  const Label again = general().new_label();
  const std::int32_t num_elements = whole_.num_vectors * lanes();
  general().alu(Alu::xor_, GprWidth::k32, kIndex, kIndex);
  general().mov(GprWidth::k64, kLimit, in_frame(n_at_));
  for (const MachineInstruction& s : single_.before)
    if (&whole_ == &single_) step(s, true);
  general().alu(Alu::sub, GprWidth::k64, Rm(kLimit), num_elements);
  general().jump(Condition::sign, rest_);
  for (const MachineInstruction& s : whole_.before)
    if (&whole_ != &single_) step(s, true);
  general().align(32);
  general().bind(again);
  for (const MachineInstruction& s : whole_.steps) step(s, true);
  general().alu(Alu::add, GprWidth::k64, Rm(kIndex), num_elements);
  general().alu(Alu::cmp, GprWidth::k64, kIndex, kLimit);
  general().jump(Condition::less_equal, again);
}

void VectorTranslator::loop_over_rest() {
  const Label again = general().new_label(), partial = general().new_label(), done = general().new_label();
  // A guard that fails leads here, so that its vectors are not processed as whole ones again.
  const bool goes_by_single_vectors = &whole_ != &single_ && !has_guards();
  general().bind(rest_);
  for (const MachineInstruction& s : single_.before)
    if (&whole_ != &single_) step(s, true);
  general().bind(again);
  // The remainder, if it is not whole vectors. After a failed guard it may be long.
  general().mov(GprWidth::k64, kLimit, in_frame(n_at_));
  general().alu(Alu::sub, GprWidth::k64, kLimit, kIndex);
  general().jump(Condition::less_equal, done);
  general().alu(Alu::cmp, GprWidth::k64, Rm(kLimit), lanes());
  if (goes_by_single_vectors) {
    general().jump(Condition::less, partial);
    for (const MachineInstruction& s : single_.steps) step(s, true);
    general().alu(Alu::add, GprWidth::k64, Rm(kIndex), lanes());
    general().jump(again);
  } else {
    general().jump(Condition::less_equal, partial);
    general().mov(kLimit, lanes());
  }
  general().bind(partial);
  if (overlaps_ && !has_guards()) last_whole_vector(done);
  if (has_guards()) choose_lanes();
  for (const MachineInstruction& s : single_.steps) step(s, false);
  general().alu(Alu::add, GprWidth::k64, Rm(kIndex), lanes());
  general().jump(again);
  general().bind(done);
}

// The remainder as the last elements of a whole vector, if the row has that many.
void VectorTranslator::last_whole_vector(Label done) {
  const Label shorter = general().new_label();
  general().mov(GprWidth::k64, kLimit, in_frame(n_at_));
  general().alu(Alu::sub, GprWidth::k64, Rm(kLimit), lanes());
  general().jump(Condition::sign, shorter);
  general().mov(GprWidth::k64, kIndex, kLimit);
  for (const MachineInstruction& s : single_.steps) step(s, true);
  general().jump(done);
  general().bind(shorter);
}

void VectorTranslator::next_row(Label row) {
  const Label last = general().new_label();
  general().mov(GprWidth::k64, kFree, in_frame(rows_at_));
  general().dec(GprWidth::k64, Mem{kFree, 0});
  general().jump(Condition::equal, last);
  general().mov(GprWidth::k64, kFree, in_frame(steps_at_));
  for (const std::uint64_t place : places_) {
    const Mem step{kFree, static_cast<std::int32_t>(place * kWordBytes)};
    if (place < pointers_.size() && pointers_[place] != Gpr::rsp) {
      general().alu(Alu::add, GprWidth::k64, pointers_[place], step);
    } else {
      general().mov(GprWidth::k64, kIndex, step);
      general().alu(Alu::add, GprWidth::k64, kIndex, pointer_to(place));
      general().mov(GprWidth::k64, pointer_to(place), kIndex);
    }
  }
  general().jump(row);
  general().bind(last);
  general().mov(GprWidth::k64, kIndex, in_frame(n_at_));
}

bool VectorTranslator::has_guards() const {
  return std::ranges::any_of(single_.steps, [](const MachineInstruction& s) { return s.op == LaneOp::kGuard; });
}

void VectorTranslator::choose_pointers() {
  std::size_t given = 0;
  const auto use = [&](std::uint64_t place) {
    if (std::ranges::find(places_, place) == places_.end()) places_.push_back(place);
  };
  const auto want = [&](std::uint64_t place) {
    use(place);
    if (place >= pointers_.size()) pointers_.resize(place + 1, Gpr::rsp);
    if (pointers_[place] != Gpr::rsp || given == std::size(kPointers)) return;
    if (given >= kNumLostPointers) saved_.push_back(kPointers[given]);
    pointers_[place] = kPointers[given++];
  };
  for (const MachineInstruction& s : single_.steps) {
    if (s.kind == MachineInstruction::kCompute && (s.op == LaneOp::kStore || s.op == LaneOp::kMaskStore)) want(s.bits);
    if (s.in[0].kind == MachineOperand::kPlace) want(s.in[0].index);
  }
  for (const std::vector<Uniform>* uniforms : {&single_.uniforms, &single_.uniform_masks})
    for (const Uniform& u : *uniforms)
      if (u.kind == Uniform::kPlace) use(u.value);
}

std::int32_t VectorTranslator::take_frame(std::size_t bytes) {
  const std::int32_t begin = frame_;
  frame_ += static_cast<std::int32_t>(bytes);
  return begin;
}

void VectorTranslator::place_uniforms(std::size_t bytes) {
  uniforms_.reserve(single_.uniforms.size());
  for (const Uniform& u : single_.uniforms)
    uniforms_.push_back(u.kind == Uniform::kConstant ? at(general().new_label()) : in_frame(take_frame(bytes)));
}

void VectorTranslator::enter() {
  const std::int32_t vector_bytes = single_.target.vector_bytes;
  take_frame(std::max(whole_.num_slots, single_.num_slots) * static_cast<std::size_t>(vector_bytes));
  lay_out_frame();
  saved_at_ = take_frame(saved_.size() * kWordBytes);
  old_stack_at_ = take_frame(kWordBytes);
  n_at_ = take_frame(kWordBytes);
  steps_at_ = take_frame(kWordBytes);
  rows_at_ = take_frame(kWordBytes);
  frame_ = (frame_ + vector_bytes - 1) / vector_bytes * vector_bytes;

  general().mov(GprWidth::k64, kIndex, Gpr::rsp);
  // Probes page by page, since a stack may end at a guard page.
  for (std::int32_t page = kPageBytes; page < frame_; page += kPageBytes)
    general().mov(GprWidth::k64, Mem{Gpr::rsp, -page}, kIndex);
  general().alu(Alu::sub, GprWidth::k64, Rm(Gpr::rsp), frame_);
  general().alu(Alu::and_, GprWidth::k64, Rm(Gpr::rsp), -vector_bytes);
  general().mov(GprWidth::k64, in_frame(old_stack_at_), kIndex);
  general().mov(GprWidth::k64, in_frame(n_at_), kLimit);
  general().mov(GprWidth::k64, in_frame(steps_at_), Gpr::rdx);
  general().mov(GprWidth::k64, in_frame(rows_at_), kFree);
  for (std::size_t k = 0; k < saved_.size(); ++k)
    general().mov(GprWidth::k64, in_frame(saved_at_ + static_cast<std::int32_t>(k) * kWordBytes), saved_[k]);
  if (!has_guards()) {
    // Those of the last vector of each row.
    general().alu(Alu::and_, GprWidth::k64, Rm(kLimit), lanes() - 1);
    choose_lanes();
  }
  for (std::size_t place = 0; place < pointers_.size(); ++place)
    if (pointers_[place] != Gpr::rsp) general().mov(GprWidth::k64, pointers_[place], pointer_to(place));
}

void VectorTranslator::load_condition(std::uint64_t place) {
  general().mov(GprWidth::k64, kFree, pointer_to(place));
  general().movzx8(kFree, Mem{kFree, 0});
  // The negative of a nonzero byte has its sign bit set.
  general().neg(GprWidth::k32, kFree);
  general().shift(Shift::sar, GprWidth::k32, kFree, 31);
}

void VectorTranslator::leave() {
  general().zero_upper();
  for (std::size_t k = 0; k < saved_.size(); ++k)
    general().mov(GprWidth::k64, saved_[k], in_frame(saved_at_ + static_cast<std::int32_t>(k) * kWordBytes));
  general().mov(GprWidth::k64, Gpr::rsp, in_frame(old_stack_at_));
  general().ret();
}

Mem VectorTranslator::at(Label label) {
  Mem memory;
  memory.at_label = true;
  memory.label = label;
  return memory;
}

Mem VectorTranslator::element(std::uint64_t place, int vector, std::int32_t size) {
  Gpr pointer = pointers_[place];
  if (pointer == Gpr::rsp) {
    pointer = kFree;
    general().mov(GprWidth::k64, pointer, pointer_to(place));
  }
  return {pointer, vector * lanes() * size, kIndex, static_cast<std::uint8_t>(size)};
}

Mem VectorTranslator::slot(std::uint64_t number) const {
  return in_frame(static_cast<std::int32_t>(number) * single_.target.vector_bytes);
}

Binary VectorTranslator::binary_of(LaneOp op) {
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
    case LaneOp::kMulBits:
      return Binary::mul_bits;
    case LaneOp::kMinBits:
      return Binary::min_bits;
    default:
      check_failed(__FILE__, __LINE__, "an operation on two numbers");
  }
}

Comparison VectorTranslator::comparison_of(const MachineInstruction& s) {
  switch (s.op) {
    case LaneOp::kLess:
      return s.swapped ? Comparison::greater : Comparison::less;
    case LaneOp::kLessEqual:
      return s.swapped ? Comparison::greater_equal : Comparison::less_equal;
    case LaneOp::kEqual:
      return Comparison::equal;
    default:
      return Comparison::not_equal;
  }
}

Rounding VectorTranslator::rounding_of(LaneOp op) {
  return op == LaneOp::kRoundDown ? Rounding::down : op == LaneOp::kRoundUp ? Rounding::up : Rounding::nearest_even;
}

// The first two operands are factors.
MultiplyAdd VectorTranslator::multiply_add_of(const MachineInstruction& s) {
  if (s.over == 2) return MultiplyAdd::b_c_to;
  return s.swapped ? MultiplyAdd::to_c_b : MultiplyAdd::b_to_c;
}

}  // namespace tracefn::vector_code
