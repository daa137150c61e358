// FusedChain: a call whose function is made of elementwise ops and reductions of trailing axes, run in one walk over
// memory. Without reductions, or with one at the end, the walk goes block by block, so that values in between stay in
// the first-level cache; with reductions whose results go on (a softmax, a normalization) it goes row by row. No memory
// of full size is made for values in between. Immutable, so any number of threads may run it at once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ir/graph.h"
#include "ops/elementwise.h"
#include "ops/kernel.h"
#include "ops/reduce.h"

namespace tracefn {

class FusedChain {
 public:
  // Of a call node. Null unless its function is of that form (passes/fuse_*.cpp make such functions).
  static std::unique_ptr<const FusedChain> compile(const Node& call);

  // Runs the chain; false, with nothing done, when the shapes at hand are not those of one walk: the function has to be
  // run op by op then. Outputs take the memory of inputs that die where they can. On an Error, `failed` is the node
  // that threw.
  bool run(std::span<KernelContext::Operand> inputs, std::span<Tensor> outputs, ShardRunner& shards,
           const Node*& failed) const;

 private:
  friend class ChainCompiler;
  class Run;

  // What a value is to the walk, whose elements are [rows, n]: all of them, one per row with the reduced axes kept as
  // 1, or one per row with them dropped.
  enum class Level : std::uint8_t { kElement, kKept, kDropped };
  // Where a value lies: sources (inputs, then constants) come first, then scratch slots, then outputs.
  using Place = std::uint32_t;

  struct Step {
    const Node* node = nullptr;
    bool reduces = false;
    Block block;
    ReduceKernel reduction;
    PairSum pair_sum = nullptr;  // the sum of a function of two operands, whose step it has taken over
    Level level = Level::kElement;
    DType dtype = DType::kInvalid;  // of the result
    std::uint32_t num_in = 0;
    std::int32_t maker[3] = {-1, -1, -1};  // the step that makes an operand; -1: a source
    Place in[3] = {};
    Place out = 0;
    std::int32_t output = -1;  // which output the result is, or -1
    // Nothing but a branch of selections by this mask reads the result: where no element takes that branch, the step is
    // left out. -1: always needed.
    std::int32_t mask = -1;
    bool branch = false;  // which one: that of true or of false

    // Of `rows` rows of n elements, one accumulator each.
    void accumulate(const void* const* operands, std::int64_t rows, std::int64_t n, int scalars, void* acc) const {
      if (pair_sum) return pair_sum(operands[0], operands[1], rows, n, scalars, acc);
      reduction.rows(operands[0], rows, n, acc);
    }
  };

  // Finds the steps that only one branch of a selection needs, and puts the selection's mask before them.
  void find_branches();
  // The steps `order` (by number) in that order; the others are dropped, which nothing may read.
  void arrange(const std::vector<std::int32_t>& order);

  bool goes_by_rows() const { return num_reductions_ > 1 || (num_reductions_ == 1 && !steps_.back().reduces); }

  std::size_t num_inputs_ = 0;
  std::vector<Tensor> constants_;
  std::size_t num_slots_ = 0;
  std::size_t element_bytes_ = 1;  // of the widest value in a slot
  std::vector<Step> steps_;
  std::vector<std::int32_t> output_step_;
  std::vector<std::int32_t> masks_;        // of each mask a selection by it
  std::vector<std::int32_t> last_reader_;  // by source: the last step that reads it, or -1
  std::vector<char> feeds_elements_;       // by source: read by a step of level kElement
  int num_reductions_ = 0;
  int reduced_axes_ = 0;  // the trailing axes that every reduction is over
  double cost_ = 0;       // nanoseconds per element
};

}  // namespace tracefn
