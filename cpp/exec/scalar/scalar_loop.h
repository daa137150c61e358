// ScalarLoop: a While that computes only with scalars and lists of them, as bytecode: a value is 16 bytes in a flat
// array, a list one buffer, and nothing is allocated per iteration. Any number of threads may run it at once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/instruction_runner.h"
#include "exec/scalar/scalar_routine.h"
#include "ir/graph.h"
#include "ops/kernel.h"

namespace tracefn {

class ScalarLoop final : public InstructionRunner {
 public:
  // From a While node. Null unless its condition and body consist of elementwise ops, constants, push, pop, get and set
  // of TensorLists, and conditionals, loops and calls of such; a loop variable of another kind may only be passed
  // through, and an older state of a list must not be used once there is a newer one.
  static std::unique_ptr<ScalarLoop> compile(const Node& loop);

  // Output i is unused: it stays as it is. Call before the first run.
  void leave_out(std::size_t i) { variables_[i].needed = false; }

  // Runs the loop; false, with nothing done, if a loop variable that it computes with is not a scalar or list of them.
  // Outputs are the loop variables after the last iteration. On an Error, `failed` is the node of the body that threw.
  bool run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
           const Node*& failed) const override;

 private:
  friend class ScalarCompiler;

  struct Variable {
    enum Kind : std::uint8_t { kHandedOn, kScalar, kList } kind = kHandedOn;
    scalar::Slot slot = 0;  // or the list's number
    DType dtype = DType::kInvalid;
    std::size_t bytes = 0;  // of a scalar
    bool written = true;    // by the loop
    bool needed = true;
  };
  bool fits(std::span<TensorRef> inputs) const;
  static Tensor result(const Variable& variable, const scalar::Register& reg, TensorRef& input);

  ScalarRoutine routine_;
  std::vector<Variable> variables_;
  std::size_t num_lists_ = 0;
};

}  // namespace tracefn
