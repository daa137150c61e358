// Fuses elementwise ops, and a reduction of their result if one follows, into functions that run in one pass over
// memory (exec/fusion/fusion_group.h).
#include "ops/fusable.h"
#include "passes/outline.h"
#include "passes/pass.h"

namespace tracefn {
namespace {

// Many graphs hold only scalars or heavy ops and need no search.
bool may_have_groups(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id)
    for (Value v : graph.node(id).inputs)
      if (is_elementwise_array(graph, graph.node(v.node))) return true;
  return false;
}

std::shared_ptr<Graph> fuse_elementwise(const Graph& graph) {
  if (!may_have_groups(graph)) return nullptr;
  GroupSearch search(graph);
  std::vector<Group> groups;
  for (std::size_t i = search.order().size(); i-- > 0;) {
    NodeId root = search.order()[i];
    if (!search.is_free(root)) continue;
    const Node& node = graph.node(root);
    const bool reduces = trailing_reduction(graph, node).has_value();
    if (!reduces && !is_elementwise_array(graph, node)) continue;
    // All nodes have one shape: a smaller one would be recomputed for each repetition.
    const Shape& shape = reduces ? graph.info(node.inputs[0]).shape : node.outputs[0].shape;
    Group group = search.grow(root, [&](NodeId id) {
      const Node& member = graph.node(id);
      return is_elementwise_array(graph, member) && member.outputs[0].shape == shape;
    });
    if (group.members.size() < 2) continue;
    search.claim(group);
    groups.push_back(std::move(group));
  }
  return outline(graph, groups, "fused");
}

}  // namespace

const Pass kFuseElementwise{"fuse_elementwise", "values in between need no memory of full size", kRemapping,
                            fuse_elementwise};

}  // namespace tracefn
