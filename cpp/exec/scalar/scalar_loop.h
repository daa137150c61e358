// ScalarLoop: a While as bytecode: a number is 16 bytes in a flat array, an array or list one buffer. What is computed
// of larger arrays is work of its own (array_work.h), which the bytecode calls. Any number of threads may run it at
// once.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exec/instruction_runner.h"
#include "exec/scalar/scalar_routine.h"
#include "ir/graph.h"
#include "ops/kernel.h"

namespace tracefn {

// What is known of a loop's inputs at a call beyond what the graph says.
struct LoopInputs {
  std::vector<OutputInfo> infos;  // by input; of a list with the shape of its elements
  // By input: the only value that the code is made for, or undefined. For a list, all elements have this value.
  std::vector<Tensor> values;
};

class ScalarLoop final : public InstructionRunner {
 public:
  // From a While node. Null, and why, if the condition or the body has an op with side effects other than on Variables,
  // or one whose operands or results are neither lists nor numbers in rows of a known shape (docs/compiler.md). Loop
  // variables of other kinds may be passed through. `graph`, which has the node, says which of them are constants.
  static std::unique_ptr<ScalarLoop> compile(const Graph& graph, const Node& loop, std::string* reason = nullptr);
  // The same for inputs of a call: their shapes, and with `by_values` also the values of those few integers that no
  // iteration changes.
  static std::unique_ptr<ScalarLoop> compile(const Graph& graph, const Node& loop, std::span<const TensorRef> inputs,
                                             bool by_values);

  // Output i is unused: it stays as it is. Call before the first run.
  void leave_out(std::size_t i) { variables_[i].needed = false; }

  // Runs the loop; false, with nothing done, if a loop variable that it computes with has another shape than expected.
  // Outputs are the loop variables after the last iteration. On an Error, `failed` is the node of the body that threw.
  bool run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
           const Node*& failed) const override;

  bool is_compiled_loop() const override { return true; }
  std::string text() const override { return routine_.text(); }

 private:
  friend class ScalarCompiler;

  // `given`: see ScalarCompiler; may be null.
  static std::unique_ptr<ScalarLoop> compile(const Graph& graph, const Node& loop, const LoopInputs* given,
                                             std::string* reason);

  struct Variable {
    enum Kind : std::uint8_t { kHandedOn, kHandle, kElements, kArray, kList, kCounted } kind = kHandedOn;
    SmallVector<scalar::Slot, 1> slots;
    std::uint32_t array = 0;
    DType dtype = DType::kInvalid;
    Shape shape;            // of an array, the number of rows may be unknown
    std::size_t bytes = 0;  // of an element
    bool written = true;    // the elements, by the loop
    bool needed = true;
    std::optional<Shape> only_shape;  // of a call that the code is made for: it may be part of the code
    Tensor value;                     // as in LoopInputs
  };
  bool fits(std::span<TensorRef> inputs) const;
  static Tensor result(const Variable& variable, ScalarRoutine::Registers& registers, TensorRef& input);

  ScalarRoutine routine_;
  std::vector<Variable> variables_;
};

}  // namespace tracefn
