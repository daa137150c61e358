// Node kinds that passes and program compilation treat specially.
#pragma once

#include "ir/graph.h"
#include "ops/op_def.h"

namespace tracefn {

// Its result is its input's value.
inline bool is_alias(const Node& node) { return op_def(*node.op).facts.alias; }
// A loop over the functions `cond` and `body`.
inline bool is_loop(const Node& node) { return node.is(OpKind::kLoop); }
// The value that identities forward. A custom gradient stops the walk.
inline Value behind_identity(const Graph& graph, Value v) {
  for (const Node* node = &graph.node(v.node); node->is(OpKind::kIdentity) && !node->gradient;
       node = &graph.node(v.node))
    v = node->inputs[0];
  return v;
}

}  // namespace tracefn
