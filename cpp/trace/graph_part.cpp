#include "trace/graph_part.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

class Copier {
 public:
  Copier(const FuncGraph& from, FuncGraph& to) : from_(from), to_(to) {
    for (const FuncGraph::Capture& capture : from.captures()) captures_.emplace(capture.inner.node, &capture);
  }

  // Names do not change, and no feed takes one of them.
  void keep_name(NodeId id) {
    if (!captures_.contains(id)) to_.graph()->unique_name(from_.graph()->node(id).name);
  }

  bool is_captured(NodeId id) const { return captures_.contains(id); }

  void feed(Value v) {
    const OutputInfo& info = from_.graph()->info(v);
    Value copy =
        to_.add_input(info.dtype, info.shape, from_.graph()->node(v.node).name, info.handle_dtype, info.handle_shape);
    fed_.emplace_back(v, copy);
  }

  void copy(NodeId id) {
    const Node& node = from_.graph()->node(id);
    if (auto captured = captures_.find(id); captured != captures_.end()) {
      copies_[id] = to_.capture(captured->second->outer, node.name).value.node;
      return;
    }
    Node made = node;
    for (Value& input : made.inputs) input = of(input);
    made.control_inputs.clear();
    for (NodeId before : node.control_inputs)
      if (auto found = copies_.find(before); found != copies_.end()) made.control_inputs.push_back(found->second);
    copies_[id] = to_.graph()->add(std::move(made));
  }

  Value of(Value v) const {
    for (const auto& [old, made] : fed_)
      if (old == v) return made;
    auto found = copies_.find(v.node);
    TRACEFN_CHECK(found != copies_.end());
    return {found->second, v.output};
  }

 private:
  const FuncGraph& from_;
  FuncGraph& to_;
  std::unordered_map<NodeId, const FuncGraph::Capture*> captures_;
  std::vector<std::pair<Value, Value>> fed_;
  std::unordered_map<NodeId, NodeId> copies_;
};

}  // namespace

std::vector<Value> copy_part(const FuncGraph& from, std::span<const Value> feeds, std::span<const NodeId> nodes,
                             std::span<const Value> fetches, std::span<const NodeId> effects, FuncGraph& to) {
  Copier copier(from, to);
  for (NodeId id : nodes) copier.keep_name(id);
  for (Value v : feeds) copier.feed(v);
  // Inserted nodes have higher ids than the ones they precede.
  const std::unordered_set<NodeId> wanted(nodes.begin(), nodes.end());
  for (NodeId id : from.graph()->order())
    if (wanted.contains(id)) copier.copy(id);
  std::vector<NodeId>& run = to.graph()->control_outputs;
  for (NodeId id : effects) run.push_back(copier.of({id, 0}).node);
  // What a function does beside its results belongs to a call whose results are needed.
  for (NodeId id : nodes) {
    const Node& node = from.graph()->node(id);
    if (!node.op->stateful || !op_def(*node.op).has_function_attr || copier.is_captured(id)) continue;
    if (std::ranges::find(effects, id) == effects.end()) run.push_back(copier.of({id, 0}).node);
  }
  std::vector<Value> copies;
  for (Value v : fetches) copies.push_back(copier.of(v));
  return copies;
}

}  // namespace tracefn
