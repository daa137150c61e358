// GradientGraph: the graph of a backward function while gradient rules build it. Values of the forward graph, or of
// outer ones, that the rules use become inputs, listed in captures(). Built by one thread.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/func_graph.h"

namespace tracefn {

class GradientGraph final : public FuncGraph {
 public:
  // `forward` is a copy of a traced graph that may get further nodes.
  GradientGraph(std::string name, std::shared_ptr<Graph> forward);

  // Values of the graph that `forward` was copied from count as forward's own. Constants are copied, not captured.
  Operand capture(const Operand& outer, const std::string& name) override;
  // Shapes, and zeros and ones like a forward tensor, need only its shape.
  void emit(const OpDef& op, std::span<const Operand> inputs, AttrList attrs, std::string_view name,
            Operands& outputs) override;
  // Also looks into the forward graph.
  Tensor constant_value(const Operand& operand) override;

 protected:
  bool reaches(const Graph*) const override { return true; }
  Operand known_around(const Operand& outer) override { return outer; }

 private:
  bool is_forward(const Operand& x) const;
  bool emit_like(const OpDef& op, const Operand& x, Operands& outputs);

  NodeId find_forward(const OpDef& op, Value x, const AttrList& attrs);

  std::shared_ptr<Graph> forward_;
  GraphTarget forward_target_;
  std::unordered_map<NodeId, Operand> constants_;  // by the forward node
  // Nodes of the forward graph that only read a shape, among those before `indexed_`.
  std::vector<NodeId> measures_;
  NodeId indexed_ = 0;
};

}  // namespace tracefn
