// FusionGroup: a fusion group: a call whose function consists of elementwise ops and reductions of trailing axes, run
// in one pass over memory. Without reductions, or with one at the end, it runs block by block, so that intermediates
// stay in the L1 cache; with reductions whose results are read further (a softmax, a normalization) it runs row by row.
// No full-size buffers are made for intermediates. Consecutive elementwise steps that vector code supports form parts
// (group_part.h), translated once the group has done enough work. Any number of threads may run it at once.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exec/fusion/group_part.h"
#include "exec/instruction_runner.h"
#include "ir/graph.h"
#include "ops/elementwise/elementwise.h"
#include "ops/kernel.h"
#include "ops/reduce/reduce.h"

namespace tracefn {

class FusionGroup final : public InstructionRunner {
 public:
  // A part has several steps, or any number.
  enum class Parts : std::uint8_t { kSeveral, kAny };

  // Compiles what a function needs for these results. Null unless it has that form (passes/fuse_*.cpp make such
  // functions). A value that is `given` is an input of the group, before those of the function.
  static std::unique_ptr<const FusionGroup> compile(const Graph& function, const std::vector<Value>& results,
                                                    std::optional<Value> given = {}, Parts parts = Parts::kSeveral);

  // Iterations of a fusion group, the results of each being operands of the next.
  struct Iterations {
    std::int64_t number = 1;                  // positive
    std::span<const std::uint32_t> changing;  // by result: the input that it becomes in the next iteration
  };

  // Runs the group; false, with nothing done, if the actual shapes do not fit one walk: the function must run op by op
  // then. Outputs reuse the memory of dying inputs where possible. On an Error, `failed` is the node that threw.
  bool run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
           const Node*& failed) const override {
    return run_iterations(inputs, outputs, shards, failed, nullptr);
  }
  // The same `iterations` times; the results are those of the last iteration.
  bool run_iterations(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards, const Node*& failed,
                      const Iterations* iterations) const;
  // Whether run() takes inputs of these shapes.
  bool fits(std::span<const Shape> inputs) const;
  // For all groups: the amount of work after which their parts are translated; by default some ten thousand
  // nanoseconds, in which the translation pays off. Any thread may set it.
  static void translate_after(std::optional<std::int64_t> nanoseconds);
  bool reads(std::size_t input) const { return last_reader_[input] >= 0; }
  bool reduces() const { return num_reductions_ > 0; }
  double cost() const { return cost_; }  // nanoseconds for an element, roughly

  // Whether all of it is vector code, if there is any.
  bool is_one_part() const { return num_reductions_ == 0 && stages_.size() == 1 && stages_[0].part >= 0; }
  // What the code's arguments are, of a group that is one part.
  struct CodeArgument {
    enum Kind : std::uint8_t { kInput, kOutput, kConstant } kind = kInput;
    std::uint32_t index = 0;
  };
  std::vector<CodeArgument> code_arguments() const;
  // Its code, once the group has done enough work, of which these elements are part; bit k of `scalars` says that
  // argument k is one element repeated; `overlaps` as in VectorCode::translate(). Null if there is none.
  const vector_code::VectorCode* code(std::uint64_t scalars, std::int64_t elements, bool overlaps) const;
  // It will do enough work for its code.
  void expect_runs() const;

  class Run;   // fusion_group_run.h
  class Rows;  // fusion_group_rows.h

 private:
  friend class GroupCompiler;
  friend class GroupPlacer;

  // A value's level in a walk over elements [rows, n]: all elements, one per row with the reduced axes kept as 1, or
  // one per row with them dropped.
  enum class Level : std::uint8_t { kElement, kKept, kDropped };
  // Where a value is: sources (inputs, then constants) come first, then slots for a tile's elements, then inner slots
  // for those of a chunk of it, then slots for row values repeated, then outputs.
  using Place = std::uint32_t;

  struct Step {
    const Node* node = nullptr;
    bool reduces = false;
    Block block;
    ReduceKernel reduction;
    PairSum pair_sum = nullptr;  // the sum of a binary function, fused with that function's step
    Level level = Level::kElement;
    DType dtype = DType::kInvalid;  // of the result
    std::uint32_t num_in = 0;
    std::int32_t maker[3] = {-1, -1, -1};  // the step that produces an operand; -1: a source
    Place in[3] = {};
    Place out = 0;
    std::int32_t output = -1;  // which output the result is, or -1
    // For a row value that element steps read: the slot in which it is repeated along the row, if a tile has many rows;
    // or -1.
    std::int32_t spread = -1;
    // Strides of the operands and the result; 0: the value has an inner slot.
    std::uint8_t in_bytes[3] = {}, out_bytes = 0;
    // Only one branch of selects by this mask reads the result: if no element takes that branch, the step is skipped.
    // -1: always needed.
    std::int32_t mask = -1;
    bool branch = false;  // which branch: true or false

    // For `rows` rows of n elements, one accumulator each.
    void accumulate(const void* const* operands, std::int64_t rows, std::int64_t n, int scalars, void* acc) const {
      if (pair_sum) return pair_sum(operands[0], operands[1], rows, n, scalars, acc);
      reduction.rows(operands[0], rows, n, acc);
    }
  };

  // The unit of execution: one step, or the steps of a part.
  struct Stage {
    std::uint32_t first = 0, end = 0;
    std::int32_t part = -1;
  };

  // Whether translation pays off, after work on so many elements more.
  bool is_worth_translating(double elements) const;
  // Finds the steps that only one branch of a select needs, and puts the select's mask before them.
  void find_branches();
  // Groups steps into stages and parts, and assigns a place to every value. Last of all.
  void place_values(Parts parts);
  // Reorders the steps to `order` (by number); drops the others, which nothing may read.
  void arrange(const std::vector<std::int32_t>& order);

  bool goes_by_rows() const { return num_reductions_ > 1 || (num_reductions_ == 1 && !steps_.back().reduces); }

  std::size_t num_inputs_ = 0;
  std::vector<Tensor> constants_;
  std::vector<DType> source_dtypes_;  // of inputs, then constants
  std::size_t num_slots_ = 0, num_inner_slots_ = 0, num_spreads_ = 0;
  std::size_t element_bytes_ = 1;  // of the widest value in a slot
  std::vector<Step> steps_;
  std::vector<Stage> stages_;
  std::vector<std::unique_ptr<const GroupPart>> parts_;
  std::vector<std::int32_t> output_step_;
  std::vector<std::int32_t> masks_;        // by mask, a select that uses it
  std::vector<std::int32_t> last_reader_;  // by source: the last step that reads it, or -1
  std::vector<char> feeds_elements_;       // by source: read by a step of level kElement, or reduced
  std::vector<char> feeds_rows_;           // by source: read by a step of another level
  int num_reductions_ = 0;
  int reduced_axes_ = 0;                         // the trailing axes that every reduction reduces
  double cost_ = 0;                              // nanoseconds per element
  mutable std::atomic<std::int64_t> worked_{0};  // nanoseconds, until translation is known to pay off
};

}  // namespace tracefn
