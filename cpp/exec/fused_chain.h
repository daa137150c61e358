// FusedChain: a call whose function is made of elementwise ops and reductions of trailing axes, run in one walk over
// memory. Without reductions, or with one at the end, the walk goes block by block, so that values in between stay in
// the first-level cache; with reductions whose results go on (a softmax, a normalization) it goes row by row. No memory
// of full size is made for values in between. Elementwise steps in a row that can be written down as vector code are
// parts (chain_part.h), translated once the chain has done enough work. Any number of threads may run it at once.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exec/chain_part.h"
#include "ir/graph.h"
#include "ops/elementwise.h"
#include "ops/kernel.h"
#include "ops/reduce.h"

namespace tracefn {

class FusedChain {
 public:
  // Of what a function needs for these results. Null unless it is of that form (passes/fuse_*.cpp make such functions).
  static std::unique_ptr<const FusedChain> compile(const Graph& function, const std::vector<Value>& results);

  // Runs of a chain one after the other, the results of each being operands of the next.
  struct Trips {
    std::int64_t number = 1;                  // positive
    std::span<const std::uint32_t> changing;  // by result: the input that it is the next time
  };

  // Runs the chain; false, with nothing done, when the shapes at hand are not those of one walk: the function has to be
  // run op by op then. Outputs take the memory of inputs that die where they can. On an Error, `failed` is the node
  // that threw. With `trips`, the results are those of the last one.
  bool run(std::span<KernelContext::Operand> inputs, std::span<Tensor> outputs, ShardRunner& shards,
           const Node*& failed, const Trips* trips = nullptr) const;
  // Of all chains: after how much work their parts are translated; by default some ten thousand nanoseconds, in which
  // the translation is earned back. Any thread may say.
  static void translate_after(std::optional<std::int64_t> nanoseconds);
  bool reads(std::size_t input) const { return last_reader_[input] >= 0; }

 private:
  friend class ChainCompiler;
  friend class ChainPlacer;
  class Run;

  // What a value is to the walk, whose elements are [rows, n]: all of them, one per row with the reduced axes kept as
  // 1, or one per row with them dropped.
  enum class Level : std::uint8_t { kElement, kKept, kDropped };
  // Where a value lies: sources (inputs, then constants) come first, then slots for a tile's elements, then inner slots
  // for those of a chunk of it, then slots for repeated numbers of rows, then outputs.
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
    // Of a number per row that steps of elements read: the slot in which it is repeated along the row, where a tile has
    // many rows; or -1.
    std::int32_t spread = -1;
    // From one element to the next, of the operands and the result; 0: the value has an inner slot.
    std::uint8_t in_bytes[3] = {}, out_bytes = 0;
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

  // What is run at once: one step, or the steps of a part.
  struct Stage {
    std::uint32_t first = 0, end = 0;
    std::int32_t part = -1;
  };

  // Finds the steps that only one branch of a selection needs, and puts the selection's mask before them.
  void find_branches();
  // Groups steps into stages and parts, and says where every value lies. Last of all.
  void place_values();
  // The steps `order` (by number) in that order; the others are dropped, which nothing may read.
  void arrange(const std::vector<std::int32_t>& order);

  bool goes_by_rows() const { return num_reductions_ > 1 || (num_reductions_ == 1 && !steps_.back().reduces); }

  std::size_t num_inputs_ = 0;
  std::vector<Tensor> constants_;
  std::vector<DType> source_dtypes_;  // of inputs, then constants
  std::size_t num_slots_ = 0, num_inner_slots_ = 0, num_spreads_ = 0;
  std::size_t element_bytes_ = 1;  // of the widest value in a slot
  std::vector<Step> steps_;
  std::vector<Stage> stages_;
  std::vector<std::unique_ptr<const ChainPart>> parts_;
  std::vector<std::int32_t> output_step_;
  std::vector<std::int32_t> masks_;        // of each mask a selection by it
  std::vector<std::int32_t> last_reader_;  // by source: the last step that reads it, or -1
  std::vector<char> feeds_elements_;       // by source: read by a step of level kElement, or reduced
  std::vector<char> feeds_rows_;           // by source: read by a step of another level
  int num_reductions_ = 0;
  int reduced_axes_ = 0;                         // the trailing axes that every reduction is over
  double cost_ = 0;                              // nanoseconds per element
  mutable std::atomic<std::int64_t> worked_{0};  // nanoseconds, while it is not known to be worth translating
};

}  // namespace tracefn
