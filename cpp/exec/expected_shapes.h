// The shapes of a node's outputs that follow from the graph, so that a run need not ask the shape rule.
#pragma once

#include <vector>

#include "ir/graph.h"
#include "ops/infer.h"
#include "ops/op_def.h"

namespace tracefn {

// The inputs' shapes, then those that the shape rule gives the outputs for them, whatever the inputs' values are (see
// RunServices::expected_shapes); empty if that is not known.
std::vector<Shape> expected_shapes(const Graph& graph, const Node& node);
// The same, of inputs whose shapes are known.
std::vector<Shape> expected_shapes(const OpDef& op, const AttrList& attrs, std::span<const InferContext::Input> inputs,
                                   std::size_t num_outputs);

}  // namespace tracefn
