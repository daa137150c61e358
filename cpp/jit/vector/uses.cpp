#include "jit/vector/uses.h"

#include <algorithm>

namespace tracefn::vector_code {

Uses::Uses(const std::vector<LaneInstruction>& instructions) : first_(instructions.size() + 1) {
  for (const LaneInstruction& made : instructions)
    for (int k = 0; k < num_inputs(made.op); ++k) ++first_[made.in[k] + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  next_ = first_;
  readers_.resize(first_.back());
  for (std::uint32_t i = 0; i < instructions.size(); ++i)
    for (int k = 0; k < num_inputs(instructions[i].op); ++k) readers_[next_[instructions[i].in[k]]++] = i;
  next_.assign(first_.begin(), first_.end() - 1);
}

Alive most_alive(const std::vector<LaneInstruction>& instructions, const Uses& uses, Id num_uniform,
                 bool masks_are_apart) {
  std::uint32_t alive[2] = {}, most[2] = {};  // vectors and masks
  const auto is_apart = [&](const LaneInstruction& made) { return masks_are_apart && is_mask(made.op); };
  const auto begin = [&](const LaneInstruction& made) {
    const bool of_mask = is_apart(made);
    most[of_mask] = std::max(most[of_mask], ++alive[of_mask]);
  };
  for (Id i = num_uniform; i < instructions.size(); ++i) {
    const LaneInstruction& made = instructions[i];
    const Id* const end = made.in + num_inputs(made.op);
    const auto each_input = [&](auto visit) {
      for (const Id* in = made.in; in != end; ++in)
        if (std::find(made.in, in, *in) == in && *in >= num_uniform) visit(*in);
    };
    each_input([&](Id in) {
      if (num_inputs(instructions[in].op) == 0 && uses.first(in) == i) begin(instructions[in]);
    });
    each_input([&](Id in) {
      if (uses.last(in) == i) --alive[is_apart(instructions[in])];
    });
    if (num_inputs(made.op) > 0 && uses.any(i)) begin(made);
  }
  return {most[0], most[1]};
}

}  // namespace tracefn::vector_code
