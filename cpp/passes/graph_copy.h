// GraphCopy: shared by passes: builds the new graph node by node, with the old graph's edges remapped.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace tracefn {

// An argument of a function, not yet part of a graph.
Node placeholder(const OutputInfo& info, std::string name);
// A Const node, the same way.
Node constant(Tensor value, std::string name);

class GraphCopy {
 public:
  explicit GraphCopy(const Graph& from)
      : from_(from), to_(std::make_shared<Graph>(from.name())), values_(static_cast<std::size_t>(from.size())) {}

  const Graph& from() const { return from_; }
  Graph& to() { return *to_; }
  const std::shared_ptr<Graph>& shared() const { return to_; }

  // The old node with its edges remapped, not yet added.
  Node moved(NodeId old) const;
  // Adds `node` in place of `old`.
  NodeId add(NodeId old, Node node);
  // Maps `old` to the new node `is`; or one output of it to a value.
  void replace(NodeId old, NodeId is);
  void replace_output(Value old, Value is);
  // Remaps control edges to `old` to these new nodes instead of one.
  void replace_control(NodeId old, std::vector<NodeId> are) { controls_[old] = std::move(are); }
  // Where control edges to old nodes lead, each once.
  SmallVector<NodeId, 2> controls(std::span<const NodeId> old) const;
  // Precondition: the node was added or replaced.
  Value value(Value old) const {
    return values_[static_cast<std::size_t>(old.node)][static_cast<std::size_t>(old.output)];
  }
  // Remaps the graph's arguments, results and control outputs.
  std::shared_ptr<Graph> finish();

 private:
  // Appends the new targets of control edges to `old`; false if it was removed.
  bool lead_control(NodeId old, SmallVector<NodeId, 2>& to) const;

  const Graph& from_;
  std::shared_ptr<Graph> to_;
  std::vector<SmallVector<Value, 1>> values_;
  std::vector<NodeId> nodes_ = std::vector<NodeId>(static_cast<std::size_t>(from_.size()), -1);
  std::unordered_map<NodeId, std::vector<NodeId>> controls_;
};

}  // namespace tracefn
