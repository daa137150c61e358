// verify: the invariants of every graph. Run by tests before and after each pass.
#pragma once

#include "ir/graph.h"

namespace tracefn {

// Error(kInternal) naming the node and the rule that is broken: edges lead to earlier nodes; attributes have the kinds,
// and inputs and outputs the dtypes, of the op's signature; bodies of functions are there and fit the node's types;
// names are unique. Bodies are verified too.
// `made_by` is the pass that made the graph, for the message.
void verify(const Graph& graph, std::string_view made_by = {});

}  // namespace tracefn
