// Which values of a forward graph its backward graph is given.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "function/gradient_graph.h"

namespace tracefn {

// Whether a value of the forward graph is handed to the backward one at no cost: an argument, a value saved anyway.
using AtHand = std::function<bool(Value)>;

// The captures of `backward` that its results need, after it was changed to compute from them what is cheap to compute:
// elementwise ops of a few instructions on values that are at hand, constant, or saved. A value of the forward graph is
// named by what stands behind its Identity nodes, and is captured once. Precondition: the outputs of `backward` are set
// and it is not finished.
std::vector<FuncGraph::Capture> choose_saved(const std::shared_ptr<Graph>& forward, GradientGraph& backward,
                                             const AtHand& at_hand);

// Makes an argument of the graph an Identity of `value`, which must come earlier.
void replace_argument(Graph& graph, NodeId argument, Value value);

}  // namespace tracefn
