// Extracts a part of a traced graph as a graph of its own.
#pragma once

#include <span>

#include "trace/func_graph.h"

namespace tracefn {

// Copies nodes of `from` into `to`, a graph without nodes. `feeds`, values of `from`, become the inputs of `to` in this
// order; `nodes` are copied in the order of `from`, and captured placeholders among them become captures. Returns the
// copies of `fetches`; `effects`, some of `nodes`, run although no result needs them, and so do calls with effects.
// Preconditions: a node's inputs are fed, or outputs of other `nodes`; no fed node is among them.
std::vector<Value> copy_part(const FuncGraph& from, std::span<const Value> feeds, std::span<const NodeId> nodes,
                             std::span<const Value> fetches, std::span<const NodeId> effects, FuncGraph& to);

}  // namespace tracefn
