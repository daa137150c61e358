// Leading of edges from an old graph to its copy.
#include "passes/graph_copy.h"

#include "base/check.h"

namespace tracefn {

Node GraphCopy::moved(NodeId old) const {
  Node node = from_.node(old);
  for (Value& v : node.inputs) v = value(v);
  SmallVector<NodeId, 2> controls;
  for (NodeId c : node.control_inputs) {
    NodeId to = this->node(c);
    TRACEFN_CHECK(to >= 0);
    controls.push_back(to);
  }
  node.control_inputs = std::move(controls);
  return node;
}

NodeId GraphCopy::add(NodeId old, Node node) {
  NodeId id = to_->add(std::move(node));
  replace(old, id);
  return id;
}

void GraphCopy::replace(NodeId old, NodeId is) {
  nodes_[static_cast<std::size_t>(old)] = is;
  SmallVector<Value, 1>& values = values_[static_cast<std::size_t>(old)];
  values.clear();
  for (std::size_t j = 0; j < to_->node(is).outputs.size(); ++j) values.push_back({is, static_cast<std::int32_t>(j)});
}

void GraphCopy::replace_output(Value old, Value is) {
  SmallVector<Value, 1>& values = values_[static_cast<std::size_t>(old.node)];
  values.resize(from_.node(old.node).outputs.size());
  values[static_cast<std::size_t>(old.output)] = is;
  nodes_[static_cast<std::size_t>(old.node)] = is.node;
}

std::shared_ptr<Graph> GraphCopy::finish() {
  for (Value v : from_.inputs) to_->inputs.push_back(value(v));
  for (Value v : from_.outputs) to_->outputs.push_back(value(v));
  for (NodeId c : from_.control_outputs)
    if (node(c) >= 0) to_->control_outputs.push_back(node(c));
  return to_;
}

}  // namespace tracefn
