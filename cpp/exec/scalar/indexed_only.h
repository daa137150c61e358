// What becomes of a loop variable: which arrays are only read and written by index, and which states belong together.
#pragma once

#include <optional>

#include "ir/graph.h"

namespace tracefn {

// Whether a While reads and writes variable i by indices that it computes, and does nothing else with it: a small one
// is better kept in memory then.
bool indexed_only(const Node& loop, std::size_t i);

// The input of the graph that `v` is a later state of, or the same: of an array or a list that is updated by index.
std::optional<std::size_t> state_of(const Graph& graph, Value v);

}  // namespace tracefn
