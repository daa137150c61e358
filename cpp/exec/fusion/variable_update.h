// VariableUpdate group: a call whose function reads variables, computes elementwise, and updates variables, as
// passes/fuse_updates.cpp makes them: one pass over their memory, in place where nobody else holds it. The variables
// are locked together meanwhile, so the update is visible as a whole. Any number of threads may run it at once.
#pragma once

#include <memory>
#include <vector>

#include "exec/fusion/fusion_group.h"
#include "exec/instruction_runner.h"
#include "ir/graph.h"

namespace tracefn {

class UpdateGroup final : public InstructionRunner {
 public:
  // Null unless the function has that form. The function outlives it.
  static std::unique_ptr<const UpdateGroup> compile(const Graph& function);

  bool run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
           const Node*& failed) const override;

 private:
  friend class UpdateCompiler;

  struct Variable {
    std::uint32_t input = 0;  // its handle
    DType dtype = DType::kInvalid;
    std::int32_t result = -1;  // of the group: its new value; -1: it is only read
  };

  // The results, of the variables' values, which are locked; takes the memory of those that change. False, with nothing
  // done, if the shapes do not fit.
  bool compute(std::span<TensorRef> inputs, std::span<Tensor> values, std::span<Tensor> results, ShardRunner& shards,
               const Node*& failed) const;

  std::vector<Variable> variables_;
  std::vector<std::uint32_t> others_;   // inputs that are no handles: the group's, after the variables' values
  std::vector<std::uint32_t> results_;  // by output, the group's result
  std::size_t num_results_ = 0;
  std::shared_ptr<const Graph> values_;  // what the function computes, of the variables' values
  std::unique_ptr<const FusionGroup> group_;
};

}  // namespace tracefn
