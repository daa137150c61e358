// Turns captured tensors that became constants of a graph back into arguments, so that gradients flow to them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trace/func_graph.h"

namespace tracefn {

// The ones of `constants` that a gradient can flow to.
std::vector<FuncGraph::Capture> differentiable_constants(std::span<const FuncGraph::Capture> constants);

// A copy of `graph` in which `constants`, Const nodes of it, are arguments after its others, in order.
std::shared_ptr<Graph> with_constants_as_inputs(const Graph& graph, std::span<const FuncGraph::Capture> constants);

}  // namespace tracefn
