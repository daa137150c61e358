// CSE: merges equal nodes: same op, attributes equal by value, same inputs.
#include <unordered_map>

#include "base/hash.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

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
  std::unordered_multimap<std::size_t, NodeId> known;
  known.reserve(static_cast<std::size_t>(graph.size()));
  std::size_t hash = 0;
  auto is_free = [](const Node& node) { return !node.op->stateful && !node.outputs.empty(); };
  Rewriter rewriter(graph);
  return rewriter.run(
      [&](const Node& node, NodeId) {
        Replacement values;
        if (!is_free(node)) return values;
        hash = hash_of(node);
        for (auto [at, end] = known.equal_range(hash); at != end; ++at) {
          if (!equal(rewriter.graph().node(at->second), node)) continue;
          for (std::size_t j = 0; j < node.outputs.size(); ++j)
            values.push_back({at->second, static_cast<std::int32_t>(j)});
          break;
        }
        return values;
      },
      [&](const Node& node, NodeId id) {
        if (is_free(node)) known.emplace(hash, id);
      });
}

}  // namespace

const Pass kMergeCommon{"merge_common", "what is the same need be computed once",
                        kArithmeticOptimization | kCommonSubgraphElimination, merge_common};

}  // namespace tracefn
