// Constant folding.
#include "base/error.h"
#include "ops/build.h"
#include "ops/emit.h"
#include "ops/registry.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace tracefn {
namespace {

// Past this size, the constant costs more memory than its computation costs time.
constexpr std::int64_t kMostElements = 65536;

bool is_small(const Shape& shape) {
  if (!shape.is_fully_known()) return false;
  std::int64_t n = 1;
  for (std::int64_t d : shape.dims())
    if (__builtin_mul_overflow(n, d, &n)) return false;
  return n <= kMostElements;
}

bool can_be_constant(const OutputInfo& info) {
  return (is_plain(info.dtype) || info.dtype == DType::kString) && is_small(info.shape);
}

bool can_fold(const Graph& graph, const Node& node) {
  if (node.inputs.empty() || node.outputs.empty()) return false;
  for (Value v : node.inputs) {
    const Node& input = graph.node(v.node);
    // A control edge into the constant would keep its source alive.
    if (!input.is(OpKind::kConst) || !input.control_inputs.empty() || !is_small(graph.info(v).shape)) return false;
  }
  if (node.op->stateful || op_def(*node.op).has_function_attr) return false;
  for (const Attr& attr : node.attrs)
    if (attr.kind() == Attr::Kind::kHost) return false;
  for (const OutputInfo& info : node.outputs)
    if (!can_be_constant(info)) return false;
  return true;
}

// Empty if the op fails: it may never run, and if it does, it reports the error itself.
Operands evaluated(const Graph& to, const Node& node) {
  Operands inputs, outputs;
  for (Value v : node.inputs) inputs.push_back(Operand(to.node(v.node).attr("value").tensor()));
  try {
    eager_target().emit(op_def(*node.op), inputs, node.attrs, {}, outputs);
  } catch (const Error& e) {
    if (!is_status(e.kind()) || e.reraise()) throw;
    return {};
  }
  return outputs;
}

std::shared_ptr<Graph> fold_constants(const Graph& graph) {
  Rewriter rewriter(graph);
  return rewriter.run([&](const Node& node, NodeId) {
    if (!can_fold(rewriter.graph(), node)) return Replacement();
    Replacement values;
    for (const Operand& value : evaluated(rewriter.graph(), node))
      values.push_back(rewriter.make([&] { return build::constant(value.tensor); })[0]);
    return values;
  });
}

}  // namespace

const Pass kFoldConstants{"fold_constants", "what is known now need not be computed in every call", kConstantFolding,
                          fold_constants};

}  // namespace tracefn
