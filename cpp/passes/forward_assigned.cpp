// Replaces a read of a variable right after its assignment by the value assigned.
#include "ops/op_def.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace tracefn {
namespace {

std::shared_ptr<Graph> forward_assigned(const Graph& graph) {
  Rewriter rewriter(graph);
  return rewriter.run([&](const Node& node, NodeId) -> Replacement {
    if (!op_def(*node.op).facts.reads_variable || node.control_inputs.size() != 1) return {};
    const NodeId before = node.control_inputs[0];
    const Node& assign = rewriter.graph().node(before);
    if (op_def(*assign.op).facts.update != VariableUpdate::kSet || !(assign.inputs[0] == node.inputs[0])) return {};
    const Value value = assign.inputs[1];
    const OutputInfo &is = rewriter.info(value), &was = node.outputs[0];
    if (is.dtype != was.dtype || !(is.shape == was.shape)) return {};
    rewriter.lead_controls({before});
    return {value};
  });
}

}  // namespace

const Pass kForwardAssigned{"forward_assigned", "what was just assigned need not be read", kRemapping,
                            forward_assigned};

}  // namespace tracefn
