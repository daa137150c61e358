// What can be told of the steps of a While without running it. For the gradient of loops; used by one thread.
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

  // Whether variable i is the same in every step.
  bool is_invariant(std::size_t i) const;
  // Whether a value of the body is the same in every step: made of such variables and constants, without effects.
  bool is_invariant(Value value) const;

  // A scalar integer variable that is `first` in the first step and `by` more in each further one. Both are constants,
  // or values of `around`.
  struct Counter {
    Operand first, by;
  };
  std::optional<Counter> counter(std::size_t i) const;
  // Whether the counter is 0, 1, 2, ...: after the loop it is the number of steps.
  bool counts_steps(std::size_t i) const;

  // A scalar int32 that the number of steps does not exceed, where the condition says so; emitted on the current
  // target.
  std::optional<Operand> most_steps() const;

 private:
  const Node& loop() const { return around_->node(loop_); }
  std::optional<Operand> constant_or_outside(const Graph& graph, Value value) const;
  std::optional<Operand> most_by(Value condition) const;

  std::shared_ptr<Graph> around_;
  NodeId loop_;
  std::shared_ptr<const Graph> cond_, body_;
  std::size_t num_vars_;
  mutable std::vector<char> invariant_;  // by node of the body: 0 not known yet, 1 yes, 2 no
};

}  // namespace tracefn
