// Node kinds that passes and program compilation treat specially.
#pragma once

#include <vector>

#include "ir/graph.h"
#include "ops/op_def.h"

namespace tracefn {

// Its result is its input's value.
inline bool is_alias(const Node& node) { return op_def(*node.op).facts.alias; }
// A loop over the functions `cond` and `body`.
inline bool is_loop(const Node& node) { return node.is(OpKind::kLoop); }
// The functions of a conditional, the one for true first, or of a choice between several.
inline std::vector<const Graph*> branches_of(const Node& node) {
  if (node.is(OpKind::kConditional))
    return {node.attr("then_branch").func().body.get(), node.attr("else_branch").func().body.get()};
  std::vector<const Graph*> all;
  for (const FuncRef& branch : node.attr("branches").funcs()) all.push_back(branch.body.get());
  return all;
}
// The value that identities forward. A custom gradient stops the walk.
inline Value behind_identity(const Graph& graph, Value v) {
  for (const Node* node = &graph.node(v.node); node->is(OpKind::kIdentity) && !node->gradient;
       node = &graph.node(v.node))
    v = node->inputs[0];
  return v;
}

}  // namespace tracefn
