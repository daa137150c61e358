// One walk through the program. When registers run out, the value that is read again last makes room (Belady, 1966),
// with some favour for values that need not be saved. Constants and scalar sources cost no register where an operand
// may be in memory; what registers the program never needs hold the commonest of them over the whole loop.
#include "exec/vector_code/allocation.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "exec/vector_code/interleave.h"
#include "exec/vector_code/register_file.h"
#include "exec/vector_code/uses.h"

namespace tracefn::vector_code {
namespace {

// Left free of constants, for operands on the way.
constexpr std::uint32_t kVectorsInReserve = 3;
constexpr std::uint32_t kMasksInReserve = 1;

bool is_commutative(Op op) {
  return op == Op::kAdd || op == Op::kMul || op == Op::kAnd || op == Op::kOr || op == Op::kXor || op == Op::kAddBits;
}
bool is_comparison(Op op) { return op >= Op::kLess && op <= Op::kNotEqual; }

class Allocator {
 public:
  Allocator(const Program& program, std::uint64_t scalars, int num_vectors)
      : copies_(interleave(program, scalars, num_vectors)),
        scalars_(scalars),
        uses_(instructions_),
        values_(instructions_.size()) {
    result_.width = program.width();
    result_.num_vectors = num_vectors;
  }

  Allocation allocate() {
    result_.steps.reserve(instructions_.size() + instructions_.size() / 4);
    find_homes();
    // Their slots are the first.
    for (std::size_t k = 0; k < result_.uniform_masks.size(); ++k) masks_.new_slot();
    result_.alive = most_alive(instructions_, uses_, scalars_);
    keep_uniforms();
    for (now_ = 0; now_ < instructions_.size(); ++now_) {
      vectors_.next_instruction();
      masks_.next_instruction();
      instruction(instructions_[now_]);
    }
    result_.num_slots = vectors_.num_slots();
    result_.num_mask_slots = masks_.num_slots();
    return std::move(result_);
  }

 private:
  static constexpr std::uint8_t kNowhere = 0xFF;
  struct Value {
    std::uint8_t reg = kNowhere;
    Operand home = {};  // where it can be read again, so that it need not be saved
  };

  RegisterFile& file_of(Id value) { return is_mask(instructions_[value].op) ? masks_ : vectors_; }
  bool is_uniform(Id value) const { return vector_code::is_uniform(instructions_[value], scalars_); }
  bool is_zero(Id value) const {
    const Instruction& made = instructions_[value];
    return made.op == Op::kConstant && (result_.width == Width::k32 ? made.bits << 32 : made.bits) == 0;
  }

  // Sources are loaded when they are first read, and may be loaded again. Not so those that are stored as they are:
  // their place may have been stored to by then.
  void find_homes() {
    std::vector<char> is_stored(instructions_.size(), 0);
    for (std::size_t i = instructions_.size(); i-- > 0 && instructions_[i].op >= Op::kStore;)
      is_stored[instructions_[i].in[0]] = 1;
    for (Id value = 0; value < instructions_.size(); ++value) {
      const Instruction& made = instructions_[value];
      const bool is_source = made.op == Op::kSource || made.op == Op::kMaskSource;
      if (!uses_.any(value)) continue;
      if (is_uniform(value)) {
        std::vector<Uniform>& uniforms = is_mask(made.op) ? result_.uniform_masks : result_.uniforms;
        values_[value].home = {is_mask(made.op) ? Operand::kSlot : Operand::kUniform,
                               static_cast<std::uint32_t>(uniforms.size())};
        uniforms.push_back({is_source, made.bits});
        uniform_values_.push_back(value);
      } else if (is_source && !is_stored[value]) {
        values_[value].home = {Operand::kPlace, static_cast<std::uint32_t>(made.bits)};
      }
    }
  }

  void keep_uniforms() {
    std::stable_sort(uniform_values_.begin(), uniform_values_.end(),
                     [&](Id a, Id b) { return uses_.count(a) > uses_.count(b); });
    std::uint32_t needed[2] = {result_.alive.vectors + kVectorsInReserve, result_.alive.masks + kMasksInReserve};
    for (Id value : uniform_values_) {
      const bool of_mask = is_mask(instructions_[value].op);
      if (needed[of_mask] >= static_cast<std::uint32_t>(of_mask ? kNumMasks : kNumVectors)) continue;
      ++needed[of_mask];
      Value& v = values_[value];
      v.reg = file_of(value).keep_highest();
      Step& step = result_.before.emplace_back(Step{of_mask ? Step::kLoadMask : Step::kLoad});
      step.to = v.reg;
      step.in[0] = v.home;
    }
  }

  // A free register, whatever has to leave it.
  std::uint8_t take(RegisterFile& file) {
    if (!file.any_free()) make_room(file);
    return file.take();
  }

  void make_room(RegisterFile& file) {
    std::uint64_t best = 0;
    std::uint8_t chosen = kNowhere;
    for (std::uint32_t left = file.movable(); left; left &= left - 1) {
      const auto reg = static_cast<std::uint8_t>(std::countr_zero(left));
      const Id value = file.held(reg);
      std::uint64_t away = uses_.next(value) - now_;
      if (values_[value].home.kind != Operand::kNone) away *= 2;
      if (chosen != kNowhere && away <= best) continue;
      best = away;
      chosen = reg;
    }
    TRACEFN_CHECK(chosen != kNowhere);
    Value& value = values_[file.held(chosen)];
    if (value.home.kind == Operand::kNone) {
      value.home = {Operand::kSlot, file.new_slot()};
      Step& step = result_.steps.emplace_back(Step{&file == &masks_ ? Step::kSaveMask : Step::kSave});
      step.in[0] = {Operand::kRegister, chosen};
      step.bits = value.home.index;
    }
    value.reg = kNowhere;
    file.release(chosen);
  }

  std::uint8_t scratch() {
    const std::uint8_t reg = take(vectors_);
    vectors_.release(reg);
    return reg;
  }

  void load(Id value, std::uint8_t to) {
    const bool of_mask = is_mask(instructions_[value].op);
    const bool has_home = values_[value].home.kind != Operand::kNone;
    const Operand from = has_home ? values_[value].home
                                  : Operand{Operand::kPlace, static_cast<std::uint32_t>(instructions_[value].bits)};
    const std::uint8_t on_the_way = of_mask && from.kind == Operand::kPlace ? scratch() : 0;
    Step& step = result_.steps.emplace_back(Step{of_mask ? Step::kLoadMask : Step::kLoad});
    step.to = to;
    step.vector = copies_.vectors[value];
    step.scratch = on_the_way;
    step.in[0] = from;
  }

  void settle(Id value, std::uint8_t reg) {
    values_[value].reg = reg;
    file_of(value).hold(reg, value);
  }

  bool is_last_use(Id value) const { return uses_.last(value) == now_; }
  bool in_register(Id value) const { return values_[value].reg != kNowhere; }
  // Whether it is best read from memory, by an instruction that can.
  bool in_memory(Id value) const {
    const Operand::Kind home = values_[value].home.kind;
    return !in_register(value) && (home == Operand::kUniform || (home == Operand::kSlot && is_last_use(value)));
  }

  Operand to_register(Id value) {
    RegisterFile& file = file_of(value);
    if (!in_register(value)) {
      const std::uint8_t reg = take(file);
      load(value, reg);
      settle(value, reg);
    }
    file.pin(values_[value].reg);
    return {Operand::kRegister, values_[value].reg};
  }
  Operand to_operand(Id value) { return in_memory(value) ? values_[value].home : to_register(value); }

  void pass_inputs(const Instruction& made) {
    for (int k = 0; k < num_inputs(made.op); ++k) uses_.pass(made.in[k]);
    for (int k = 0; k < num_inputs(made.op); ++k) {
      const Id value = made.in[k];
      if (uses_.next(value) == Uses::kNever) leave(value);
    }
  }
  // After its last use. A second call does nothing.
  void leave(Id value) {
    RegisterFile& file = file_of(value);
    Value& v = values_[value];
    if (v.home.kind == Operand::kSlot && !is_uniform(value)) file.release_slot(v.home.index);
    if (v.reg != kNowhere && !file.is_kept(v.reg)) {
      file.release(v.reg);
      v.reg = kNowhere;
    }
    v.home = {};
  }

  void instruction(const Instruction& made) {
    if (!is_effect(made.op) && (!uses_.any(now_) || values_[now_].home.kind != Operand::kNone)) return;
    if (made.op == Op::kSource || made.op == Op::kMaskSource) {
      const std::uint8_t reg = take(file_of(now_));
      load(now_, reg);
      settle(now_, reg);
    } else if (made.op == Op::kMultiplyAdd) {
      multiply_add(made);
    } else {
      compute(made);
    }
  }

  void compute(const Instruction& made) {
    Step step{Step::kCompute, made.op};
    step.vector = copies_.vectors[now_];
    step.bits = made.bits;
    Id in[3] = {made.in[0], made.in[1], made.in[2]};
    if (made.op == Op::kSelect) {
      step.in[0] = to_register(in[0]);
      if (!is_zero(in[2])) step.in[2] = to_register(in[2]);
      step.in[1] = to_operand(in[1]);
    } else if (is_mask(made.op) && !is_comparison(made.op)) {
      for (int k = 0; k < num_inputs(made.op); ++k) step.in[k] = to_register(in[k]);
    } else if (is_effect(made.op)) {
      step.in[0] = to_register(in[0]);
      if (made.op == Op::kMaskStore) step.scratch = scratch();
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

  // One of the operands is overwritten: best one that is not read again, next best a constant, loaded for that.
  void multiply_add(const Instruction& made) {
    for (Id value : made.in)
      if (!in_memory(value)) to_register(value);
    int over = -1;
    for (int k = 0; k < 3 && over < 0; ++k) {
      const Id value = made.in[k];
      if (in_register(value) && is_last_use(value) && !vectors_.is_kept(values_[value].reg)) over = k;
    }
    Step step{Step::kCompute, made.op};
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
        Step copy{Step::kLoad};
        copy.to = step.to;
        copy.in[0] = to_register(made.in[over]);
        result_.steps.push_back(copy);
      }
    }
    // At most one of the others in memory.
    Id first = made.in[over == 0 ? 1 : 0], second = made.in[over == 2 ? 1 : 2];
    step.form = over == 2 ? MultiplyAdd::b_c_to : MultiplyAdd::b_to_c;
    if (in_memory(first) && !in_memory(second)) {
      std::swap(first, second);
      if (over != 2) step.form = MultiplyAdd::to_c_b;
    }
    step.in[0] = to_register(first);
    step.in[1] = to_operand(second);
    pass_inputs(made);
    vectors_.take(step.to);
    settle(now_, step.to);
    result_.steps.push_back(step);
  }

  const Interleaved copies_;
  const std::vector<Instruction>& instructions_ = copies_.instructions;
  const std::uint64_t scalars_;
  Uses uses_;
  std::vector<Value> values_;
  std::vector<Id> uniform_values_;
  RegisterFile vectors_{0, kNumVectors}, masks_{kFirstMask, kNumMasks};
  Id now_ = 0;
  Allocation result_;
};

}  // namespace

Allocation allocate(const Program& program, std::uint64_t scalars) { return Allocator(program, scalars, 1).allocate(); }

std::optional<Allocation> allocate_interleaved(const Program& program, std::uint64_t scalars,
                                               const Allocation& single) {
  const int num_vectors = num_vectors_worth(program, single.alive);
  if (num_vectors == 1) return std::nullopt;
  return Allocator(program, scalars, num_vectors).allocate();
}

}  // namespace tracefn::vector_code
