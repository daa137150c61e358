// ArrayLoop: a While that makes a given number of trips and does nothing but elementwise work in each: a fused chain
// whose results are its operands the next time. It goes through memory once, and makes all trips over a block while the
// block is in the first-level cache. Immutable, so any number of threads may run it at once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/fused_chain.h"
#include "ir/graph.h"
#include "ops/kernel.h"

namespace tracefn {

class ArrayLoop {
 public:
  // Of a While node as passes/split_loops.cpp makes them: while done < trips, done + 1, for the first two variables,
  // and others that are results of one chain of the body or stay as they are. Null for others.
  static std::unique_ptr<const ArrayLoop> compile(const Node& loop);

  // Runs the loop; false, with nothing done, when the shapes at hand are not those of one walk. On an Error, `failed`
  // is the node of the body that threw.
  bool run(std::span<KernelContext::Operand> inputs, std::span<Tensor> outputs, ShardRunner& shards,
           const Node*& failed) const;

 private:
  std::vector<std::uint32_t> changing_;      // the variables that are the chain's results, in their order
  std::unique_ptr<const FusedChain> chain_;  // of all variables
};

}  // namespace tracefn
