#include "exec/vector_code/uses.h"

namespace tracefn::vector_code {

Uses::Uses(const std::vector<Instruction>& instructions) : first_(instructions.size() + 1) {
  for (const Instruction& made : instructions)
    for (int k = 0; k < num_inputs(made.op); ++k) ++first_[made.in[k] + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  next_ = first_;
  readers_.resize(first_.back());
  for (std::uint32_t i = 0; i < instructions.size(); ++i)
    for (int k = 0; k < num_inputs(instructions[i].op); ++k) readers_[next_[instructions[i].in[k]]++] = i;
  next_.assign(first_.begin(), first_.end() - 1);
}

}  // namespace tracefn::vector_code
