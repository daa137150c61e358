// Bodies of the functions in a file's library, built on first use. Used by the one thread that imports.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/graph_def_reader.h"
#include "ir/graph.h"

namespace tracefn {

class FunctionBodies {
 public:
  // `records` must outlive it. `known` are functions that the graph has already: one of these stays if the file has an
  // equal one; a different function of its name is refused.
  FunctionBodies(std::span<const FunctionRecord> records,
                 std::unordered_map<std::string, std::shared_ptr<const Graph>> known);

  bool has(const std::string& name) const { return records_.contains(name) || known_.contains(name); }
  // Error(kNotFound) if neither the file nor the graph has it, Error(kValue) if its body is not a graph.
  FuncRef find(const std::string& name);

 private:
  std::shared_ptr<const Graph> make(const FunctionRecord& record);

  std::unordered_map<std::string, const FunctionRecord*> records_;
  std::unordered_map<std::string, std::shared_ptr<const Graph>> known_, made_;
  std::vector<std::string> being_made_;
};

// The functions that nodes of a graph name, at any depth.
std::unordered_map<std::string, std::shared_ptr<const Graph>> functions_of(const Graph& graph);

}  // namespace tracefn
