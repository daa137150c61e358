// Removes unused loop variables: counters of loops without a limit, values only passed through.
#include <algorithm>
#include <unordered_map>

#include "ops/node_kinds.h"
#include "passes/graph_copy.h"
#include "passes/loop_parts.h"
#include "passes/pass.h"

namespace tracefn {
namespace {

std::vector<char> used_outputs(const Graph& graph, NodeId loop) {
  std::vector<char> used(graph.node(loop).outputs.size(), 0);
  auto note = [&](Value v) {
    if (v.node == loop) used[static_cast<std::size_t>(v.output)] = 1;
  };
  for (NodeId id : live_nodes(graph))
    for (Value v : graph.node(id).inputs) note(v);
  for (Value v : graph.outputs) note(v);
  return used;
}

std::vector<char> kept_variables(const Graph& graph, NodeId loop) {
  const Node& node = graph.node(loop);
  const Graph &condition = *node.attr("cond").func().body, &body = *node.attr("body").func().body;
  std::vector<char> kept = used_outputs(graph, loop);
  NeededArguments of_condition(condition), of_body(body);
  for (Value v : condition.outputs) of_condition.add(v.node);
  std::vector<char> followed(kept.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept[i] |= of_condition.needs(i) || of_body.needs(i);
      if (!kept[i] || followed[i]) continue;
      followed[i] = changed = true;
      of_body.add(body.outputs[i].node);
    }
  }
  return kept;
}

template <typename T>
std::vector<T> only(const std::vector<T>& all, const std::vector<char>& kept) {
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (kept[i]) some.push_back(all[i]);
  return some;
}

// The function with only the kept arguments (and, for a body, the kept results). What only the others needed goes.
FuncRef narrowed(const FuncRef& function, const std::vector<char>& kept, bool is_body) {
  const Graph& graph = *function.body;
  return {function.name, part_of(graph, only(graph.inputs, kept), is_body ? only(graph.outputs, kept) : graph.outputs)};
}

void narrow(Node& node, const std::vector<char>& kept) {
  auto attr = [&](const char* name) -> Attr& {
    return node.attrs[static_cast<std::size_t>(node.op->attr_index(name))];
  };
  attr("cond") = narrowed(attr("cond").func(), kept, false);
  attr("body") = narrowed(attr("body").func(), kept, true);
  attr("T") = only(attr("T").types(), kept);
  if (attr("output_shapes").shapes().size() == kept.size())
    attr("output_shapes") = only(attr("output_shapes").shapes(), kept);
  SmallVector<Value, 3> inputs;
  SmallVector<OutputInfo, 1> outputs;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    inputs.push_back(node.inputs[i]);
    outputs.push_back(node.outputs[i]);
  }
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
}

std::shared_ptr<Graph> drop_loop_variables(const Graph& graph) {
  std::unordered_map<NodeId, std::vector<char>> narrower;  // loops, with what they keep
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (!is_loop(graph.node(id))) continue;
    std::vector<char> kept = kept_variables(graph, id);
    // A loop without variables is an infinite loop run for its side effects: it stays as it is.
    const bool some = std::find(kept.begin(), kept.end(), 1) != kept.end();
    if (some && std::find(kept.begin(), kept.end(), 0) != kept.end()) narrower.emplace(id, std::move(kept));
  }
  if (narrower.empty()) return nullptr;
  // Nodes that read only removed outputs are dead.
  const std::vector<char> alive = live_or_arguments(graph);
  GraphCopy copy(graph);
  for (NodeId id : graph.order()) {
    if (!alive[static_cast<std::size_t>(id)]) continue;
    Node node = copy.moved(id);
    auto found = narrower.find(id);
    if (found == narrower.end()) {
      copy.add(id, std::move(node));
      continue;
    }
    const std::vector<char>& kept = found->second;
    narrow(node, kept);
    NodeId made = copy.to().add(std::move(node));
    std::int32_t output = 0;
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (kept[i]) copy.replace_output({id, static_cast<std::int32_t>(i)}, {made, output++});
  }
  return copy.finish();
}

}  // namespace

const Pass kDropLoopVariables{"drop_loop_variables", "what a loop only hands on to itself need not be computed",
                              kLoopOptimization, drop_loop_variables};

}  // namespace tracefn
