// Remaps edges from an old graph to its copy.
#include "passes/graph_copy.h"

#include <algorithm>

#include "base/check.h"
#include "ops/registry.h"

namespace tracefn {

Node placeholder(const OutputInfo& info, std::string name) {
  static const OpDef& op = Registry::get().at("Placeholder");
  Node node;
  node.op = &op.signature;
  node.name = std::move(name);
  node.attrs.resize(op.signature.attrs.size());
  node.attrs[static_cast<std::size_t>(op.signature.attr_index("dtype"))] = info.dtype;
  node.attrs[static_cast<std::size_t>(op.signature.attr_index("shape"))] = info.shape;
  node.outputs.push_back(info);
  return node;
}

Node constant(Tensor value, std::string name) {
  static const OpDef& op = Registry::get().at("Const");
  Node node;
  node.op = &op.signature;
  node.name = std::move(name);
  node.attrs.resize(op.signature.attrs.size());
  node.attrs[static_cast<std::size_t>(op.signature.attr_index("dtype"))] = value.dtype();
  node.outputs.push_back({value.dtype(), value.shape()});
  node.attrs[static_cast<std::size_t>(op.signature.attr_index("value"))] = std::move(value);
  return node;
}

Node GraphCopy::moved(NodeId old) const {
  Node node = from_.node(old);
  for (Value& v : node.inputs) v = value(v);
  node.control_inputs = controls({node.control_inputs.data(), node.control_inputs.size()});
  return node;
}

SmallVector<NodeId, 2> GraphCopy::controls(std::span<const NodeId> old) const {
  SmallVector<NodeId, 2> all, each;
  for (NodeId c : old) TRACEFN_CHECK(lead_control(c, all));
  for (NodeId c : all)
    if (std::find(each.begin(), each.end(), c) == each.end()) each.push_back(c);
  return each;
}

bool GraphCopy::lead_control(NodeId old, SmallVector<NodeId, 2>& to) const {
  if (auto found = controls_.find(old); found != controls_.end()) {
    for (NodeId c : found->second) to.push_back(c);
    return true;
  }
  NodeId is = nodes_[static_cast<std::size_t>(old)];
  if (is >= 0) to.push_back(is);
  return is >= 0;
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
  SmallVector<NodeId, 2> controls;
  for (NodeId c : from_.control_outputs) lead_control(c, controls);
  for (NodeId c : controls)
    if (std::find(to_->control_outputs.begin(), to_->control_outputs.end(), c) == to_->control_outputs.end())
      to_->control_outputs.push_back(c);
  return to_;
}

}  // namespace tracefn
