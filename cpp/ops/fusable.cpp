// Classifies nodes as parts of a fusion group.
#include "ops/fusable.h"

#include "ops/op_def.h"

namespace tracefn {
namespace {

// The number of axes, if they are the last ones of `rank`, each once.
std::optional<int> trailing_axes(const Tensor& axes, int rank) {
  std::int64_t n = axes.num_elements();
  if (n == 0 || n > rank) return std::nullopt;
  std::uint64_t seen = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t axis = axes.int_at(i);
    if (axis < 0) axis += rank;
    if (axis < rank - n || axis >= rank) return std::nullopt;
    std::uint64_t bit = std::uint64_t{1} << (rank - 1 - axis);
    if (seen & bit) return std::nullopt;
    seen |= bit;
  }
  return static_cast<int>(n);
}

}  // namespace

std::optional<NodeBlock> node_block(const Graph& graph, const Node& node) {
  const OpDef& op = op_def(*node.op);
  if (!op.block || node.inputs.empty() || node.outputs.size() != 1) return std::nullopt;
  DType dtype = graph.info(node.inputs.back()).dtype;
  NodeBlock found;
  found.result = block_result(*op.block, dtype, op.signature, node.attrs);
  found.block = find_block(*op.block, dtype, found.result);
  if (!found.block) return std::nullopt;
  return found;
}

bool is_elementwise_array(const Graph& graph, const Node& node) {
  return op_def(*node.op).elementwise() && !node.outputs[0].shape.is_scalar() && node_block(graph, node).has_value();
}

std::optional<TrailingReduction> trailing_reduction(const Graph& graph, const Node& node) {
  const std::optional<ReduceFunction> function = op_def(*node.op).facts.reduction;
  if (!function) return std::nullopt;
  const OutputInfo& in = graph.info(node.inputs[0]);
  const Node& axes = graph.node(node.inputs[1].node);
  if (!axes.is(OpKind::kConst) || !in.shape.has_rank() || in.shape.rank() > 63 || is_complex(in.dtype))
    return std::nullopt;
  std::optional<int> trailing = trailing_axes(axes.attr("value").tensor(), in.shape.rank());
  if (!trailing || !kernel_table().array.reduce[*function][slot(in.dtype)].rows) return std::nullopt;
  return TrailingReduction{*function, *trailing, node.attr("keep_dims").b()};
}

}  // namespace tracefn
