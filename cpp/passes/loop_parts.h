// Shared by loop passes: finds invariant variables, and extracts parts of conditions and bodies.
#pragma once

#include <memory>
#include <vector>

#include "ir/graph.h"

namespace tracefn {

// By loop variable: whether the body returns it unchanged.
std::vector<char> unchanged_variables(const Graph& body);

// Which arguments of a function are needed by its side effects and by the nodes added so far. Borrows the function.
class NeededArguments {
 public:
  explicit NeededArguments(const Graph& function);
  void add(NodeId node);
  bool needs(std::size_t argument) const { return seen_[static_cast<std::size_t>(function_.inputs[argument].node)]; }

 private:
  const Graph& function_;
  std::vector<char> seen_;  // by node
};

// By argument of the function: whether these values or the side effects need it.
std::vector<char> needed_arguments(const Graph& function, const std::vector<Value>& values);

// By node: whether it is live or an argument.
std::vector<char> live_or_arguments(const Graph& graph);

// A function of the given arguments with the given results and only the nodes they need; side effects stay. The removed
// arguments must not be needed.
std::shared_ptr<Graph> part_of(const Graph& function, std::vector<Value> inputs, std::vector<Value> outputs);

}  // namespace tracefn
