// Puts a product (of matrices, or a convolution) and the elementwise ops that read its result into one function, whose
// ops go on with each block of the product (exec/fusion/finished_product.h).
#include <algorithm>

#include "ops/fusable.h"
#include "ops/op_def.h"
#include "passes/outline.h"
#include "passes/pass.h"

namespace tracefn {
namespace {

bool is_elementwise(const Graph& graph, const Node& node) {
  if (node.form != NodeForm::kFusionGroup) return op_def(*node.op).elementwise() && node_block(graph, node).has_value();
  const Graph& function = *node.attr("f").func().body;
  const std::vector<NodeId> order = function.order();
  return std::all_of(order.begin(), order.end(), [&](NodeId id) {
    const Node& member = function.node(id);
    return member.inputs.empty() || is_elementwise(function, member);
  });
}

bool finishes(const Graph& graph, Value v) { return op_def(*graph.node(v.node).op).facts.finishes; }

std::shared_ptr<Graph> finish_products(const Graph& graph) {
  bool any = false;
  for (NodeId id = 0; id < graph.size() && !any; ++id) any = finishes(graph, {id, 0});
  if (!any) return nullptr;
  GroupSearch search(graph);
  std::vector<Group> groups;
  for (NodeId root : search.order()) {
    const Node& node = graph.node(root);
    if (!node.control_inputs.empty() || node.op->stateful || node.outputs.empty()) continue;
    auto is_product = [&](Value v) {
      return finishes(graph, v) && search.is_free(v.node) && graph.info(v).shape == node.outputs[0].shape;
    };
    if (std::none_of(node.inputs.begin(), node.inputs.end(), is_product) || !is_elementwise(graph, node)) continue;
    bool found = false;
    Group group = search.grow(root, [&](NodeId id) { return !found && (found = is_product({id, 0})); });
    if (!found) continue;
    search.claim(group);
    groups.push_back(std::move(group));
  }
  return outline(graph, groups, "finished", NodeForm::kFinishedProduct);
}

}  // namespace

const Pass kFinishProducts{"finish_products", "what a product computes is read while it is in the cache", kRemapping,
                           finish_products};

}  // namespace tracefn
