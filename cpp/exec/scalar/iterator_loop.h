// IteratorLoop: a While over the elements of an iterator, each of a few scalars, that computes only with scalars. An
// iteration takes an element and runs two scalar programs, the condition's and the body's; there are no optionals and
// no intermediate tensors. Any number of threads may run it at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/instruction_runner.h"
#include "exec/scalar/scalar_program.h"
#include "ir/graph.h"

namespace tracefn {

class IteratorLoop final : public InstructionRunner {
 public:
  // From a While node, which must outlive it. Null unless one loop variable is an optional that the condition tests,
  // that the body reads, and that the body replaces by the next one of an iterator, which is a loop variable that stays
  // as it is; and unless condition and body compute only with scalars. As `break` has it, the body may keep the
  // optional, by a conditional, and the condition may depend on other loop variables.
  static std::unique_ptr<const IteratorLoop> compile(const Node& loop);

  // Runs the loop; false, with nothing done, if a loop variable is not what the loop expects. On an Error, `failed` is
  // the node of the condition or the body that threw.
  bool run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
           const Node*& failed) const override;

 private:
  class Analysis;
  class Run;

  std::size_t optional_ = 0;            // the loop variable that is the optional
  std::size_t iterator_ = 0;            // and the one that is the iterator
  std::vector<DType> types_;            // of an element's components
  const Node* next_ = nullptr;          // takes an element
  std::vector<std::uint32_t> changes_;  // the loop variables that the body changes, the optional left out
  bool may_stay_ = false;               // the last result of the body says whether the optional stays
  bool stays_when_ = false;             // with which value
  std::shared_ptr<const Graph> body_graph_, condition_graph_;
  std::unique_ptr<const ScalarProgram> body_, condition_;  // no condition: the optional has a value
};

}  // namespace tracefn
