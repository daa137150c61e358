// What a backward function captures from its forward one.
#include "autodiff/gradient_graph.h"

#include "autodiff/backprop.h"

namespace tracefn {

GradientGraph::GradientGraph(std::string name, std::shared_ptr<Graph> forward)
    : FuncGraph(std::move(name), nullptr), forward_(std::move(forward)), forward_target_(forward_) {}

bool GradientGraph::is_forward(const Operand& x) const {
  return x.graph &&
         (x.graph == forward_ || (x.graph->lineage() == forward_->lineage() && x.value.node < forward_->size()));
}

Operand GradientGraph::capture(const Operand& outer, const std::string& name) {
  if (outer.graph.get() == graph()) return outer;
  if (!is_forward(outer)) return FuncGraph::capture(outer, name);
  const Node& node = forward_->node(outer.value.node);
  if (!node.is(OpKind::kConst)) return FuncGraph::capture(Operand(forward_, outer.value), name);
  Operand& copied = constants_[outer.value.node];
  if (!copied.defined()) copied = GraphTarget::import(Operand(node.attr("value").tensor()), name);
  return copied;
}

Tensor GradientGraph::constant_value(const Operand& operand) {
  if (is_forward(operand)) return forward_target_.constant_value(Operand(forward_, operand.value));
  if (operand.graph.get() == graph())
    for (const Capture& capture : captures())
      if (capture.inner == operand.value && is_forward(capture.outer))
        return forward_target_.constant_value(Operand(forward_, capture.outer.value));
  return FuncGraph::constant_value(operand);
}

NodeId GradientGraph::find_forward(const OpDef& op, Value x, const AttrList& attrs) {
  for (; indexed_ < forward_->size(); ++indexed_) {
    const Node& node = forward_->node(indexed_);
    if (node.inputs.size() == 1 && op_def(*node.op).facts.measures) measures_.push_back(indexed_);
  }
  for (NodeId id : measures_) {
    const Node& node = forward_->node(id);
    if (node.op == &op.signature && node.inputs[0] == x && node.attrs == attrs) return id;
  }
  return -1;
}

bool GradientGraph::emit_like(const OpDef& op, const Operand& x, Operands& outputs) {
  if (!op.facts.fill) return false;
  if (x.dtype() == DType::kVariant || x.dtype() == DType::kResource || x.dtype() == DType::kString) return false;
  Operand shape = build::shape_of(x);
  outputs.clear();
  outputs.push_back(emit1("Fill", {shape, build::scalar(x.dtype(), *op.facts.fill)}));
  return true;
}

void GradientGraph::emit(const OpDef& op, std::span<const Operand> inputs, AttrList attrs, std::string_view name,
                         Operands& outputs) {
  if (!inputs.empty() && is_forward(inputs[0])) {
    if (emit_like(op, inputs[0], outputs)) return;
    if (op.facts.measures && inputs.size() == 1) {
      Operand x(forward_, inputs[0].value);
      outputs.clear();
      if (NodeId known = find_forward(op, x.value, attrs); known >= 0) {
        outputs.push_back(Operand(forward_, {known, 0}));
      } else {
        forward_target_.emit(op, std::span(&x, 1), std::move(attrs), name, outputs);
      }
      return;
    }
  }
  FuncGraph::emit(op, inputs, std::move(attrs), name, outputs);
}

}  // namespace tracefn
