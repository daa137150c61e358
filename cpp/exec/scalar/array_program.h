// ArrayProgram: a whole graph of small tensors and arrays, with its loops, as one piece of bytecode from its arguments
// to its results. Any number of threads may run it at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exec/instruction_runner.h"
#include "exec/scalar/scalar_routine.h"
#include "ir/graph.h"
#include "ops/kernel.h"

namespace tracefn {

class ArrayProgram final : public InstructionRunner {
 public:
  // Whether compile() is worth a try: all shapes are known, and no tensor is large.
  static bool may_help(const Graph& graph);
  // Null if the graph has an op with side effects other than on Variables, or one that does not compute with numbers.
  // `arguments` are the inputs of the graph that run() reads.
  static std::unique_ptr<const ArrayProgram> compile(const Graph& graph, std::span<const std::uint32_t> arguments);

  // False, with nothing done, if an argument that it computes with has another dtype or shape than the graph says.
  bool run(std::span<TensorRef> arguments, std::span<Tensor> results, ShardRunner& shards,
           const Node*& failed) const override;

  std::string text() const override { return routine_.text(); }

 private:
  friend class ScalarCompiler;

  struct Argument {
    enum Kind : std::uint8_t { kHandle, kElements, kArray } kind = kElements;
    std::uint32_t index = 0;
    SmallVector<scalar::Slot, 1> slots;
    std::uint32_t array = 0;
    DType dtype = DType::kInvalid;
    Shape shape;
  };
  struct Result {
    enum Kind : std::uint8_t { kArgument, kConstant, kElements, kArray } kind = kElements;
    std::uint32_t number = 0;  // of the argument or the array
    SmallVector<scalar::Slot, 1> slots;
    DType dtype = DType::kInvalid;
    Shape shape;
    Tensor constant;
    bool shared = false;  // an array that is an earlier result, too
  };
  bool fits(std::span<const TensorRef> arguments) const;

  ScalarRoutine routine_;
  std::vector<Argument> arguments_;  // those that it computes with
  std::vector<Result> results_;
};

}  // namespace tracefn
