#include "ops/control/counted_loop.h"

#include "ops/elementwise/functions.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

bool is_count(const Graph& graph, Value v) {
  return graph.info(v).dtype == DType::kInt64 && graph.info(v).shape.is_scalar();
}

// done < count
bool counts_up(const Graph& condition) {
  if (condition.outputs.size() != 1 || condition.inputs.size() < 2 || !condition.control_outputs.empty()) return false;
  const Node& node = condition.node(condition.outputs[0].node);
  return node.op->name == "Less" && node.control_inputs.empty() && node.inputs[0] == condition.inputs[0] &&
         node.inputs[1] == condition.inputs[1] && is_count(condition, node.inputs[0]) &&
         is_count(condition, node.inputs[1]);
}

// done + 1, count
bool adds_one(const Graph& body) {
  if (body.outputs.size() < 2 || body.outputs[1] != body.inputs[1]) return false;
  const Node& node = body.node(body.outputs[0].node);
  if (!op_def(*node.op).computes(id_of<functions::Add>) || !node.control_inputs.empty() ||
      node.inputs[0] != body.inputs[0])
    return false;
  const Node& one = body.node(node.inputs[1].node);
  return one.is(OpKind::kConst) && one.outputs[0].shape.is_scalar() && one.attr("value").tensor().int_at(0) == 1;
}

}  // namespace

bool is_counted(const Node& loop) {
  return counts_up(*loop.attr("cond").func().body) && adds_one(*loop.attr("body").func().body);
}

}  // namespace tracefn
