// The shapes of a node's outputs that follow from the graph, so that a run need not ask the shape rule.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace tracefn {

// The inputs' shapes, then those that the shape rule gives the outputs for them, whatever the inputs' values are (see
// RunServices::expected_shapes); empty if that is not known.
std::vector<Shape> expected_shapes(const Graph& graph, const Node& node);

}  // namespace tracefn
