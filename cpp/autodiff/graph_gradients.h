// Gradients through the nodes of graphs being traced: tf.gradients.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ops/gradient.h"
#include "trace/func_graph.h"

namespace tracefn {

// For each source the gradient of the sum of targets[i] * target_gradients[i], see gradients_of; emitted on the current
// target. All are tensors of `graph`, of its outer graphs, or from outside. No gradient flows through the nodes that
// produced `stops`.
std::vector<Gradient> graph_gradients(FuncGraph& graph, std::span<const Operand> targets,
                                      std::span<const Operand> target_gradients, std::span<const Operand> sources,
                                      std::span<const Operand> stops);

}  // namespace tracefn
