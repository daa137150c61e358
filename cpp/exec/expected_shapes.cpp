// Runs shape rules on static shapes.
#include "exec/expected_shapes.h"

#include "ops/infer.h"
#include "ops/op_def.h"
#include "ops/typed.h"

namespace tracefn {

// What the shape rule says of the inputs' static shapes alone: not what the node's outputs claim, which may be a user's
// word (Tensor.set_shape). A rule that asks for values not known yet must run with them: it may refuse them.
std::vector<Shape> expected_shapes(const Graph& graph, const Node& node) {
  std::vector<InferContext::Input> inputs;
  for (Value v : node.inputs) {
    const OutputInfo& info = graph.info(v);
    if (!info.shape.is_fully_known()) return {};
    const Node& source = graph.node(v.node);
    const Tensor* value = source.is(OpKind::kConst) ? &source.attr("value").tensor() : nullptr;
    inputs.push_back({&info.shape, info.dtype, value, nullptr});
  }
  return expected_shapes(op_def(*node.op), node.attrs, inputs, node.outputs.size());
}

std::vector<Shape> expected_shapes(const OpDef& op, const AttrList& attrs, std::span<const InferContext::Input> inputs,
                                   std::size_t num_outputs) {
  if (op.allocation != Allocation::kByShapeRule || op.block || inputs.size() > InferContext::kMostNoted) return {};
  std::vector<OutputInfo> outputs(num_outputs);
  InferContext context(op.signature, attrs, inputs, outputs);
  try {
    op.infer(context);
    for (const OutputInfo& output : outputs) {
      if (!output.shape.is_fully_known()) return {};
      check_rank(static_cast<std::size_t>(output.shape.rank()));
    }
  } catch (const Error&) {
    return {};  // the run reports it
  }
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (!inputs[k].value && (context.asked_value(k) || context.asked_shape(k))) return {};
  std::vector<Shape> shapes;
  for (const InferContext::Input& input : inputs) shapes.push_back(*input.shape);
  for (OutputInfo& output : outputs) shapes.push_back(std::move(output.shape));
  return shapes;
}

}  // namespace tracefn
