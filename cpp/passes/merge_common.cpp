// Merging of equal nodes: same op, attributes equal by value, same inputs.
#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"
#include "passes/graph_copy.h"
#include "passes/pass.h"

namespace tracefn {
namespace {

std::size_t hash_of(const Node& node) {
  std::size_t h = hash_add(hash_add(0, node.op), node.device);
  for (const Attr& attr : node.attrs) h = hash_mix(h, attr.hash());
  for (Value v : node.inputs) h = hash_add(hash_add(h, v.node), v.output);
  for (NodeId c : node.control_inputs) h = hash_add(h, c);
  return h;
}

bool equal(const Node& a, const Node& b) {
  return a.op == b.op && a.attrs == b.attrs && a.inputs == b.inputs && a.control_inputs == b.control_inputs &&
         a.device == b.device;
}

std::shared_ptr<Graph> merge_common(const Graph& graph) {
  std::unordered_set<NodeId> arguments;
  for (Value v : graph.inputs) arguments.insert(v.node);
  std::unordered_multimap<std::size_t, NodeId> known;
  GraphCopy copy(graph);
  for (NodeId id : graph.order()) {
    Node node = copy.moved(id);
    if (node.op->stateful || node.outputs.empty() || arguments.count(id)) {
      copy.add(id, std::move(node));
      continue;
    }
    std::size_t h = hash_of(node);
    NodeId same = -1;
    for (auto [at, end] = known.equal_range(h); at != end && same < 0; ++at)
      if (equal(copy.to().node(at->second), node)) same = at->second;
    if (same >= 0) {
      copy.replace(id, same);
    } else {
      known.emplace(h, copy.add(id, std::move(node)));
    }
  }
  return copy.finish();
}

}  // namespace

const Pass kMergeCommon{"merge_common", "what is the same need be computed once", merge_common};

}  // namespace tracefn
