// ScalarProgram: a whole graph that computes only with scalars, as one piece of bytecode from its arguments to its
// results. It needs no frame and no intermediate tensors. Any number of threads may run it at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/scalar/scalar_routine.h"
#include "ir/graph.h"
#include "ops/kernel.h"

namespace tracefn {

class ScalarProgram {
 public:
  // Null unless the graph consists of elementwise ops, constants, and conditionals, loops and calls of such; arguments
  // of another kind may only be results. `arguments` are the inputs of the graph that run() reads.
  static std::unique_ptr<const ScalarProgram> compile(const Graph& graph, std::span<const std::uint32_t> arguments);

  // False, with nothing done, if an argument that it computes with is not a scalar. The arguments are not read after
  // the first microseconds, when the host's lock may be released. Results that are scalars of the same dtype are
  // written in place if there is no other owner. On an Error, `failed` is the node that threw, and results may be set.
  bool run(std::span<const TensorRef> arguments, std::span<Tensor> results, const Node*& failed) const;

 private:
  friend class ScalarCompiler;

  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Argument {
    std::uint32_t index;
    scalar::Slot slot;
    DType dtype;
    std::uint8_t bytes;
  };
  struct Result {
    std::uint32_t argument = kNone;  // it is this argument
    scalar::Slot slot = 0;           // otherwise
    DType dtype = DType::kInvalid;
    std::uint8_t bytes = 0;
  };
  void run_instructions(std::span<const TensorRef> arguments, std::span<Tensor> results, const Node*& failed) const;

  ScalarRoutine routine_;
  std::vector<Argument> arguments_;  // those that it computes with
  std::vector<Result> results_;
  bool floats_ = false;  // it computes with floating-point numbers, so the processor's mode matters
};

}  // namespace tracefn
