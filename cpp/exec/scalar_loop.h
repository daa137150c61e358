// ScalarLoop: a While that computes with nothing but scalars, as register code: a value is 16 bytes in a flat array, a
// step is one call of a block kernel, and nothing is allocated per iteration. Immutable, so any number of threads may
// run it at once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ir/graph.h"
#include "ops/elementwise.h"
#include "ops/kernel.h"

namespace tracefn {

class ScalarLoop {
 public:
  // Of a While node. Null unless its condition and body are made of elementwise ops, constants, and conditionals, loops
  // and calls of such; a loop variable of another kind may only be handed on unchanged.
  static std::unique_ptr<const ScalarLoop> compile(const Node& loop);

  // Runs the loop; false, with nothing done, when a loop variable that it computes with is no scalar. Outputs are the
  // loop variables after the last iteration. On an Error, `failed` is the node of the body that threw.
  bool run(std::span<KernelContext::Operand> inputs, std::span<Tensor> outputs, Interrupt* interrupt,
           const Node*& failed) const;

 private:
  friend class ScalarCompiler;
  using Slot = std::uint32_t;

  struct alignas(16) Cell {
    unsigned char bytes[16];
  };
  enum class Kind : std::uint8_t { kBlock, kMove, kJump, kJumpUnless, kLoop };
  struct Step {
    Kind kind;
    Block block;
    Slot in[3] = {};
    Slot out = 0;
    std::uint32_t target = 0;  // of jumps; kLoop jumps back
    const Node* node = nullptr;
  };
  struct Variable {
    bool in_slot = false;  // otherwise handed on
    Slot slot = 0;
    DType dtype = DType::kInvalid;
  };

  void execute(Cell* cells, Interrupt* interrupt, const Node*& failed) const;

  std::vector<Step> steps_;
  std::vector<Cell> initial_;  // constants in place
  std::vector<Variable> variables_;
};

}  // namespace tracefn
