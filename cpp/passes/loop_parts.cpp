#include "passes/loop_parts.h"

#include <utility>

#include "ops/node_kinds.h"
#include "passes/graph_copy.h"

namespace tracefn {
std::vector<char> unchanged_variables(const Graph& body) {
  std::vector<char> unchanged(body.inputs.size(), 0);
  for (std::size_t i = 0; i < unchanged.size() && i < body.outputs.size(); ++i)
    unchanged[i] = behind_identity(body, body.outputs[i]) == body.inputs[i];
  return unchanged;
}

NeededArguments::NeededArguments(const Graph& function)
    : function_(function), seen_(static_cast<std::size_t>(function.size()), 0) {
  for (NodeId id : function.control_outputs) add(id);
}

void NeededArguments::add(NodeId from) {
  std::vector<NodeId> waiting = {from};
  while (!waiting.empty()) {
    const NodeId id = waiting.back();
    waiting.pop_back();
    if (std::exchange(seen_[static_cast<std::size_t>(id)], 1)) continue;
    for (Value v : function_.node(id).inputs) waiting.push_back(v.node);
    for (NodeId c : function_.node(id).control_inputs) waiting.push_back(c);
  }
}

std::vector<char> needed_arguments(const Graph& function, const std::vector<Value>& values) {
  NeededArguments arguments(function);
  for (Value v : values) arguments.add(v.node);
  std::vector<char> needed;
  for (std::size_t i = 0; i < function.inputs.size(); ++i) needed.push_back(arguments.needs(i));
  return needed;
}

std::vector<char> live_or_arguments(const Graph& graph) {
  std::vector<char> alive(static_cast<std::size_t>(graph.size()), 0);
  for (NodeId id : live_nodes(graph)) alive[static_cast<std::size_t>(id)] = 1;
  for (Value v : graph.inputs) alive[static_cast<std::size_t>(v.node)] = 1;
  return alive;
}

std::shared_ptr<Graph> part_of(const Graph& function, std::vector<Value> inputs, std::vector<Value> outputs) {
  Graph part = function;
  part.inputs = std::move(inputs);
  part.outputs = std::move(outputs);
  const std::vector<char> alive = live_or_arguments(part);
  // Removed arguments remain as unused nodes.
  GraphCopy copy(part);
  for (NodeId id : part.order())
    if (alive[static_cast<std::size_t>(id)]) copy.add(id, copy.moved(id));
  return copy.finish();
}

}  // namespace tracefn
