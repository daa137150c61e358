// ArrayLoop: a While with a given iteration count whose body is one fusion group of elementwise ops; its results are
// the operands of the next iteration. It passes over memory once and runs all iterations per block while the block is
// in the L1 cache. Immutable, so any number of threads may run it at once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/fusion/fusion_group.h"
#include "exec/instruction_runner.h"
#include "ir/graph.h"
#include "ops/kernel.h"

namespace tracefn {

class ArrayLoop final : public InstructionRunner {
 public:
  // From a While node as passes/split_loops.cpp makes them: done < iterations and done + 1 for the first two variables;
  // the others are results of one fusion group of the body or invariant. Null for others.
  static std::unique_ptr<const ArrayLoop> compile(const Node& loop);

  // Runs the loop; returns false, with nothing done, if the actual shapes do not fit one pass over memory. On an Error,
  // `failed` is the node of the body that threw.
  bool run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
           const Node*& failed) const override;

 private:
  std::vector<std::uint32_t> changing_;       // the variables that are the group's results, in their order
  std::unique_ptr<const FusionGroup> group_;  // over all variables
};

}  // namespace tracefn
