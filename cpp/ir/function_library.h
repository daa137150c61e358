// The functions that a graph's nodes call, and those that these call.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace tracefn {

// Made on one thread; lives no longer than the graph.
class FunctionLibrary {
 public:
  // Error(kInvalidArgument) if a function has no body, or if two have one name.
  explicit FunctionLibrary(const Graph& graph);
  // In order of first use.
  const std::vector<FuncRef>& functions() const { return functions_; }

 private:
  void collect(const Graph& graph);
  void add(const FuncRef& f);

  std::vector<FuncRef> functions_;
  std::unordered_map<std::string, const Graph*> by_name_;
};

}  // namespace tracefn
