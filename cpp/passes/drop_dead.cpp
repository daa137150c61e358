// DCE: removes unused nodes.
#include <utility>

#include "passes/graph_copy.h"
#include "passes/pass.h"

namespace tracefn {
namespace {

std::shared_ptr<Graph> drop_dead(const Graph& graph) {
  std::vector<char> keep(static_cast<std::size_t>(graph.size()), 0);
  const std::vector<NodeId> live = live_nodes(graph);
  NodeId kept = static_cast<NodeId>(live.size());
  for (NodeId id : live) keep[static_cast<std::size_t>(id)] = 1;
  for (Value v : graph.inputs) kept += !std::exchange(keep[static_cast<std::size_t>(v.node)], 1);
  if (kept == graph.size()) return nullptr;
  GraphCopy copy(graph);
  for (NodeId id : graph.order())
    if (keep[static_cast<std::size_t>(id)]) copy.add(id, copy.moved(id));
  return copy.finish();
}

}  // namespace

const Pass kDropDead{"drop_dead", "what nothing needs need not run", kModelPruning, drop_dead};

}  // namespace tracefn
