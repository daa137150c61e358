// Kinds of nodes that passes and the compiling of programs treat in a way of their own.
#pragma once

#include "ir/graph.h"

namespace tracefn {

// Its result is its input's value.
inline bool is_alias(const Node& node) { return node.op->name == "Identity" || node.op->name == "StopGradient"; }
// A loop over the functions `cond` and `body`.
inline bool is_loop(const Node& node) { return node.op->name == "StatelessWhile" || node.op->name == "While"; }

}  // namespace tracefn
