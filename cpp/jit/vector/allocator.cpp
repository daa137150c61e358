// The walk: uniform values first, which are computed before the loop.
#include "jit/vector/allocator.h"

#include <algorithm>
#include <utility>

namespace tracefn::vector_code {
namespace {

// Kept free of constants, for temporaries.
constexpr std::uint32_t kVectorsInReserve = 3;
constexpr std::uint32_t kMasksInReserve = 1;

bool is_commutative(LaneOp op) {
  return op == LaneOp::kAdd || op == LaneOp::kMul || op == LaneOp::kAnd || op == LaneOp::kOr || op == LaneOp::kXor ||
         op == LaneOp::kAddBits || op == LaneOp::kMulBits || op == LaneOp::kMinBits;
}
bool is_comparison(LaneOp op) { return op >= LaneOp::kLess && op <= LaneOp::kEqualBits; }

}  // namespace

Allocator::Allocator(const LaneProgram& program, std::uint64_t scalars, int num_vectors, const VectorTarget& target)
    : target_(target),
      copies_(interleave(program, scalars, num_vectors)),
      uses_(instructions_),
      values_(instructions_.size()) {
  result_.target = target;
  result_.width = program.width();
  result_.num_vectors = num_vectors;
}

Allocation Allocator::allocate() {
  result_.steps.reserve(instructions_.size() + instructions_.size() / 4);
  find_homes();
  // They have the first slots.
  for (std::size_t k = 0; k < result_.uniform_masks.size(); ++k) masks_.new_slot();
  instructions_to(copies_.num_uniform);
  for (Id value = 0; value < copies_.num_uniform; ++value) leave_register(value);
  result_.before.swap(result_.steps);
  result_.alive = most_alive(instructions_, uses_, copies_.num_uniform, target_.has_masks());
  keep_uniforms();
  instructions_to(static_cast<Id>(instructions_.size()));
  result_.num_slots = vectors_.num_slots();
  result_.num_mask_slots = masks_.num_slots();
  return std::move(result_);
}

bool Allocator::is_zero(Id value) const {
  const LaneInstruction& made = instructions_[value];
  return made.op == LaneOp::kConstant && (result_.width == LaneWidth::k32 ? made.bits << 32 : made.bits) == 0;
}

// Sources are loaded on first use and may be reloaded, except those stored unchanged: their place may have been
// overwritten by then.
void Allocator::find_homes() {
  std::vector<char> is_stored(instructions_.size(), 0);
  for (std::size_t i = instructions_.size(); i-- > 0 && instructions_[i].op >= LaneOp::kStore;)
    is_stored[instructions_[i].in[0]] = 1;
  for (Id value = 0; value < instructions_.size(); ++value) {
    const LaneInstruction& made = instructions_[value];
    const bool is_source = made.op == LaneOp::kSource || made.op == LaneOp::kMaskSource;
    if (!uses_.any(value)) continue;
    if (is_uniform(value)) {
      // Computed ones are spilled for the loop, if it reads them.
      const bool is_computed = num_inputs(made.op) > 0;
      if (is_computed && uses_.last(value) < copies_.num_uniform) continue;
      std::vector<Uniform>& uniforms = is_in_mask(value) ? result_.uniform_masks : result_.uniforms;
      values_[value].home = {is_in_mask(value) ? MachineOperand::kSlot : MachineOperand::kUniform,
                             static_cast<std::uint32_t>(uniforms.size())};
      uniforms.push_back({is_computed ? Uniform::kComputed
                          : is_source ? Uniform::kPlace
                                      : Uniform::kConstant,
                          made.bits, is_mask(made.op)});
      uniform_values_.push_back(value);
    } else if (is_source && !is_stored[value]) {
      values_[value].home = {MachineOperand::kPlace, static_cast<std::uint32_t>(made.bits)};
    }
  }
}

void Allocator::instructions_to(Id end) {
  for (; now_ < end; ++now_) {
    vectors_.next_instruction();
    masks_.next_instruction();
    instruction(instructions_[now_]);
  }
}

void Allocator::keep_uniforms() {
  std::stable_sort(uniform_values_.begin(), uniform_values_.end(),
                   [&](Id a, Id b) { return uses_.count(a) > uses_.count(b); });
  std::uint32_t needed[2] = {result_.alive.vectors + kVectorsInReserve, result_.alive.masks + kMasksInReserve};
  for (Id value : uniform_values_) {
    const bool of_mask = is_in_mask(value);
    if (uses_.next(value) == Uses::kNever) continue;  // in the loop
    if (needed[of_mask] >= static_cast<std::uint32_t>(of_mask ? target_.num_masks : target_.num_vectors)) continue;
    ++needed[of_mask];
    Value& v = values_[value];
    v.reg = file_of(value).keep_highest();
    MachineInstruction& step = result_.before.emplace_back(
        MachineInstruction{of_mask ? MachineInstruction::kLoadMask : MachineInstruction::kLoad});
    step.to = v.reg;
    step.in[0] = v.home;
  }
}

void Allocator::instruction(const LaneInstruction& made) {
  if (made.op == LaneOp::kSkipEnd) return end_skip();
  if (is_jump(made.op)) return begin_skip(made);
  const bool has_home = values_[now_].home.kind != MachineOperand::kNone;
  if (!is_effect(made.op) && !uses_.any(now_)) return;
  if (num_inputs(made.op) == 0 && has_home) return;
  if (made.op == LaneOp::kSource || made.op == LaneOp::kMaskSource) {
    const std::uint8_t reg = take(file_of(now_));
    load(now_, reg);
    settle(now_, reg);
  } else if (made.op == LaneOp::kMultiplyAdd || made.op == LaneOp::kChooseBits) {
    combine_three(made);
  } else {
    compute(made);
  }
  if (has_home) save(now_);
}

void Allocator::compute(const LaneInstruction& made) {
  MachineInstruction step{MachineInstruction::kCompute, made.op};
  step.vector = copies_.vectors[now_];
  step.bits = made.bits;
  Id in[3] = {made.in[0], made.in[1], made.in[2]};
  if (made.op == LaneOp::kSelect) {
    step.in[0] = to_register(in[0]);
    if (!is_zero(in[2])) step.in[2] = to_register(in[2]);
    step.in[1] = to_operand(in[1]);
  } else if (is_mask(made.op) && !is_comparison(made.op)) {
    for (int k = 0; k < num_inputs(made.op); ++k) step.in[k] = to_register(in[k]);
  } else if (is_effect(made.op)) {
    step.in[0] = to_register(in[0]);
    if (made.op == LaneOp::kMaskStore && target_.has_masks()) step.scratch = scratch();
  } else if (num_inputs(made.op) == 1) {
    step.in[0] = to_operand(in[0]);
  } else {
    step.swapped = (is_commutative(made.op) || is_comparison(made.op)) && in_memory(in[0]) && !in_memory(in[1]);
    if (step.swapped) std::swap(in[0], in[1]);
    step.in[0] = to_register(in[0]);
    step.in[1] = to_operand(in[1]);
  }
  pass_inputs(made);
  if (!is_effect(made.op)) {
    step.to = take(file_of(now_));
    settle(now_, step.to);
  }
  result_.steps.push_back(step);
}

// One operand is overwritten: preferably one that is dead, else a constant, loaded for that.
void Allocator::combine_three(const LaneInstruction& made) {
  for (Id value : made.in)
    if (!in_memory(value)) to_register(value);
  int over = -1;
  for (int k = 0; k < 3 && over < 0; ++k) {
    const Id value = made.in[k];
    if (in_register(value) && is_last_use(value) && !vectors_.is_kept(values_[value].reg)) over = k;
  }
  MachineInstruction step{MachineInstruction::kCompute, made.op};
  if (over >= 0) {
    step.to = values_[made.in[over]].reg;
  } else {
    step.to = take(vectors_);
    vectors_.pin(step.to);
    for (int k = 0; k < 3 && over < 0; ++k)
      if (in_memory(made.in[k])) over = k;
    if (over >= 0) {
      load(made.in[over], step.to);
    } else {
      over = 0;
      MachineInstruction copy{MachineInstruction::kLoad};
      copy.to = step.to;
      copy.in[0] = to_register(made.in[over]);
      result_.steps.push_back(copy);
    }
  }
  // At most one of the others in memory.
  Id first = made.in[over == 0 ? 1 : 0], second = made.in[over == 2 ? 1 : 2];
  step.over = static_cast<std::uint8_t>(over);
  step.swapped = in_memory(first) && !in_memory(second);
  if (step.swapped) std::swap(first, second);
  step.in[0] = to_register(first);
  step.in[1] = to_operand(second);
  pass_inputs(made);
  vectors_.take(step.to);
  settle(now_, step.to);
  result_.steps.push_back(step);
}

void Allocator::begin_skip(const LaneInstruction& made) {
  MachineInstruction step{MachineInstruction::kCompute, made.op};
  step.in[0] = to_register(made.in[0]);
  pass_inputs(made);
  in_skip_ = true;
  skip_ = now_;
  skip_step_ = result_.steps.size();
  result_.steps.push_back(step);
  in_registers_.resize(now_);
  for (Id value = 0; value < now_; ++value) in_registers_[value] = values_[value].reg;
}

// Where the jump leads, only what was in a register before it is there.
void Allocator::end_skip() {
  in_skip_ = false;
  for (Id value = 0; value < skip_; ++value)
    if (in_register(value) && values_[value].reg != in_registers_[value]) leave_register(value);
  result_.steps.push_back(MachineInstruction{MachineInstruction::kCompute, LaneOp::kSkipEnd});
}

Allocation allocate(const LaneProgram& program, std::uint64_t scalars, const VectorTarget& target) {
  return Allocator(program, scalars, 1, target).allocate();
}

std::optional<Allocation> allocate_interleaved(const LaneProgram& program, std::uint64_t scalars,
                                               const Allocation& single) {
  const int num_vectors = num_vectors_worth(interleave(program, scalars, 1), single.alive, single.target);
  if (num_vectors == 1) return std::nullopt;
  return Allocator(program, scalars, num_vectors, single.target).allocate();
}

}  // namespace tracefn::vector_code
