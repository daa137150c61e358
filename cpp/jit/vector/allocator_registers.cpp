// Registers, spill slots, and moves between them.
#include <bit>

#include "base/check.h"
#include "jit/vector/allocator.h"

namespace tracefn::vector_code {

std::uint8_t Allocator::take(RegisterFile& file) {
  if (!file.any_free()) make_room(file);
  return file.take();
}

void Allocator::make_room(RegisterFile& file) {
  std::uint64_t best = 0;
  std::uint8_t chosen = kNowhere;
  for (std::uint32_t left = file.movable(); left; left &= left - 1) {
    const auto reg = static_cast<std::uint8_t>(std::countr_zero(left));
    const Id value = file.held(reg);
    std::uint64_t away = uses_.next(value) - now_;
    if (values_[value].home.kind != MachineOperand::kNone) away *= 2;
    if (chosen != kNowhere && away <= best) continue;
    best = away;
    chosen = reg;
  }
  TRACEFN_CHECK(chosen != kNowhere);
  Value& value = values_[file.held(chosen)];
  if (value.home.kind == MachineOperand::kNone) {
    const bool is_early = is_before_skip(file.held(chosen));
    value.home = {MachineOperand::kSlot, is_early ? file.unused_slot() : file.new_slot()};
    save(file.held(chosen));
  }
  value.reg = kNowhere;
  file.release(chosen);
}

void Allocator::save(Id value) {
  MachineInstruction step{is_in_mask(value) ? MachineInstruction::kSpillMask : MachineInstruction::kSpill};
  step.in[0] = {MachineOperand::kRegister, values_[value].reg};
  step.in[1] = values_[value].home;
  if (is_before_skip(value)) {
    result_.steps.insert(result_.steps.begin() + static_cast<std::ptrdiff_t>(skip_step_++), step);
  } else {
    result_.steps.push_back(step);
  }
}

std::uint8_t Allocator::scratch() {
  const std::uint8_t reg = take(vectors_);
  vectors_.release(reg);
  return reg;
}

void Allocator::load(Id value, std::uint8_t to) {
  const bool has_home = values_[value].home.kind != MachineOperand::kNone;
  const MachineOperand from =
      has_home ? values_[value].home
               : MachineOperand{MachineOperand::kPlace, static_cast<std::uint32_t>(instructions_[value].bits)};
  const bool is_of_bytes = is_mask(instructions_[value].op) && from.kind == MachineOperand::kPlace;
  const std::uint8_t on_the_way = is_of_bytes && target_.has_masks() ? scratch() : 0;
  MachineInstruction& step = result_.steps.emplace_back(
      MachineInstruction{is_of_bytes || is_in_mask(value) ? MachineInstruction::kLoadMask : MachineInstruction::kLoad});
  step.to = to;
  step.vector = copies_.vectors[value];
  step.scratch = on_the_way;
  step.in[0] = from;
}

void Allocator::settle(Id value, std::uint8_t reg) {
  values_[value].reg = reg;
  file_of(value).hold(reg, value);
}

bool Allocator::in_memory(Id value) const {
  const MachineOperand::Kind home = values_[value].home.kind;
  return !in_register(value) &&
         (home == MachineOperand::kUniform || (home == MachineOperand::kSlot && is_last_use(value)));
}

MachineOperand Allocator::to_register(Id value) {
  RegisterFile& file = file_of(value);
  if (!in_register(value)) {
    const std::uint8_t reg = take(file);
    load(value, reg);
    settle(value, reg);
  }
  file.pin(values_[value].reg);
  return {MachineOperand::kRegister, values_[value].reg};
}

void Allocator::pass_inputs(const LaneInstruction& made) {
  for (int k = 0; k < num_inputs(made.op); ++k) uses_.pass(made.in[k]);
  for (int k = 0; k < num_inputs(made.op); ++k) {
    const Id value = made.in[k];
    if (uses_.next(value) == Uses::kNever) leave(value);
  }
}

void Allocator::leave(Id value) {
  Value& v = values_[value];
  if (v.home.kind == MachineOperand::kSlot && !is_uniform(value)) file_of(value).release_slot(v.home.index);
  leave_register(value);
  v.home = {};
}

void Allocator::leave_register(Id value) {
  Value& v = values_[value];
  if (v.reg == kNowhere || file_of(value).is_kept(v.reg)) return;
  file_of(value).release(v.reg);
  v.reg = kNowhere;
}

}  // namespace tracefn::vector_code
