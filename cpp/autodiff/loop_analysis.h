// Static analysis of a While's iterations, for the gradient of loops. Used by one thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "ops/emit.h"

namespace tracefn {

class LoopSteps {
 public:
  // `loop` is a While node of `around`; `body` its body, or a copy that may get further nodes and variables.
  LoopSteps(std::shared_ptr<Graph> around, NodeId loop, std::shared_ptr<const Graph> cond,
            std::shared_ptr<const Graph> body);

  // Whether variable i is loop-invariant.
  bool is_invariant(std::size_t i) const;
  // Whether a value of the body is loop-invariant: computed from such variables and constants, without side effects.
  bool is_invariant(Value value) const;

  // A scalar integer variable that is `first` in the first iteration and grows by `by` in each further one. Both are
  // constants, or values of `around`.
  struct Counter {
    Operand first, by;
  };
  std::optional<Counter> counter(std::size_t i) const;
  // Whether the counter is 0, 1, 2, ...: after the loop it is the iteration count.
  bool counts_steps(std::size_t i) const;

  // A scalar int32 upper bound of the iteration count, if the condition implies one; emitted on the current target.
  std::optional<Operand> most_steps() const;

 private:
  const Node& loop() const { return around_->node(loop_); }
  std::optional<Operand> constant_or_outside(const Graph& graph, Value value) const;
  std::optional<Operand> most_by(Value condition) const;

  std::shared_ptr<Graph> around_;
  NodeId loop_;
  std::shared_ptr<const Graph> cond_, body_;
  std::size_t num_vars_;
  mutable std::vector<char> invariant_;  // by node of the body: 0 unknown, 1 yes, 2 no
};

}  // namespace tracefn
