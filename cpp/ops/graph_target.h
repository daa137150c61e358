// GraphTarget: the emit target that appends nodes to a graph. Runs the shape rule with what is known (constant values,
// partly known shape vectors), names the node, and turns shape errors into TensorFlow's ValueError. Base class of the
// tracing target. Used by one thread, the one that builds the graph.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "ops/emit.h"

namespace tracefn {

class GraphTarget : public EmitTarget {
 public:
  explicit GraphTarget(std::shared_ptr<Graph> graph) : graph_(std::move(graph)) {}

  Graph* graph() const { return graph_.get(); }
  const std::shared_ptr<Graph>& shared_graph() const { return graph_; }

  // Error(kValue) with the node's text if the shape rule rejects the inputs.
  void emit(const OpDef& op, std::span<const Operand> inputs, AttrList attrs, std::string_view name,
            Operands& outputs) override;
  // The node that the last emit() made; those that added() has made in turn do not count. -1 before the first one.
  NodeId last_emitted() const { return last_emitted_; }
  // Follows stateless nodes back to constants; small values only. Results are cached.
  Tensor constant_value(const Operand& operand) override;
  bool is_eager() const override { return false; }

  // Makes an operand of another graph or an eager one an operand of this graph. Here: eager tensors become Const nodes,
  // values of other graphs are Error(kValue). `name` is the full name of the Const node ("add/y"), made unique; empty:
  // "Const" in the current scope.
  virtual Operand import(const Operand& outer, const std::string& name);

 protected:
  // Error(kValue) if a node of this op cannot have this name. Here: any name will do.
  virtual void check_name([[maybe_unused]] const OpDef& op, [[maybe_unused]] std::string_view name) const {}
  // The final name for a wanted `name`: scoped, unique, and marked as used.
  virtual std::string scoped_name(std::string_view name);
  // Where a new node goes: at the end of the graph.
  virtual NodeId place(Node node) { return graph_->add(std::move(node)); }
  // Called after node `id` was appended, before its outputs are returned.
  virtual void added([[maybe_unused]] NodeId id) {}
  // The elements of an integer vector or scalar of this graph, as far as they are known (ops/contents.h).
  virtual Shape contents(Value value);
  // Whether it is the body of a branch, a loop or a function within another graph.
  virtual bool lies_within() const { return false; }
  // False while only what this graph itself says of its captures counts.
  bool looks_outside() const { return looks_outside_; }
  // For when a node has changed.
  void forget_known_values() { known_.clear(); }

 private:
  class Contents;
  class PartialInputs;

  void infer(Node& node);
  // The outputs' shapes; what is wrong with the inputs, empty if nothing.
  std::string infer_shapes(Node& node);
  Tensor evaluate(Value value);
  Tensor evaluate_node(Value value);
  Operand operand(Value value) const { return Operand(graph_, value); }

  std::shared_ptr<Graph> graph_;
  // Values found so far, undefined if none could be found; the key is node and output.
  std::unordered_map<std::uint64_t, Tensor> known_;
  int depth_ = 0;
  NodeId last_emitted_ = -1;
  bool looks_outside_ = true;
};

}  // namespace tracefn
