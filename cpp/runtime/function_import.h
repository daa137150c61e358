// Bodies of the functions in a file's library, built on first use. Used by the one thread that imports.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
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
  // Tells the bodies in a graph what the graph knows of their operands: a branch that does not read a variable has a
  // gradient for it all the same, zeros of its dtype. Bodies stay as they are; the graph gets copies that know more.
  void hand_down(Graph& graph);

 private:
  // `body`, or the copy that knows the variables which its caller knows.
  std::shared_ptr<const Graph> with_variables(const std::shared_ptr<const Graph>& body, const Graph& caller,
                                              std::span<const Value> operands);
  std::shared_ptr<const Graph> make(const FunctionRecord& record);

  std::unordered_map<std::string, const FunctionRecord*> records_;
  std::unordered_map<std::string, std::shared_ptr<const Graph>> known_, made_;
  std::vector<std::string> being_made_;
  // By body and what is known of its handles. Holds the body too, whose address is not used again.
  struct Copy {
    std::shared_ptr<const Graph> of, copy;
  };
  std::map<std::pair<const Graph*, std::string>, Copy> copies_;
};

// The functions that nodes of a graph name, at any depth.
std::unordered_map<std::string, std::shared_ptr<const Graph>> functions_of(const Graph& graph);

}  // namespace tracefn
