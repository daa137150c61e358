// Selects the values of a forward graph that its backward graph receives.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "autodiff/gradient_graph.h"

namespace tracefn {

// Whether a value of the forward graph reaches the backward one at no cost: an argument, a value saved anyway.
using AtHand = std::function<bool(Value)>;

// The captures that the results of `backward` still need after cheap values are rematerialized in it: elementwise ops
// of a few instructions on values that are available, constant, or saved. A value of the forward graph is identified by
// the input of its Identity nodes, and is captured once. Precondition: the outputs of `backward` are set and it is not
// finished.
std::vector<FuncGraph::Capture> choose_saved(const std::shared_ptr<Graph>& forward, GradientGraph& backward,
                                             const AtHand& at_hand);

// Turns an argument of the graph into an Identity of `value`, which must come earlier.
void replace_argument(Graph& graph, NodeId argument, Value value);

}  // namespace tracefn
