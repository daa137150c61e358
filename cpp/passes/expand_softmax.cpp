// Softmax and LogSoftmax as what they are made of, where rows are such that these run row by row: they fuse with what
// comes before and after then. The results have the bits of the ops' own kernels.
#include "ops/build.h"
#include "ops/fusable.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace tracefn {
namespace {

bool has_rows(const OutputInfo& logits) {
  if (logits.dtype != DType::kFloat && logits.dtype != DType::kDouble) return false;
  if (!logits.shape.has_rank() || logits.shape.rank() < 1) return false;
  const std::int64_t n = logits.shape[logits.shape.rank() - 1];
  return n >= kShortestRow && n <= kLongestRow;
}

Operand over_rows(const char* op, const Operand& x) { return emit1(op, {x, build::ints({-1})}, {{"keep_dims", true}}); }

std::shared_ptr<Graph> expand_softmax(const Graph& graph) {
  Rewriter rewriter(graph);
  return rewriter.run([&](const Node& node, NodeId) -> Replacement {
    const bool logarithm = node.op->name == "LogSoftmax";
    if ((node.op->name != "Softmax" && !logarithm) || !has_rows(rewriter.info(node.inputs[0]))) return {};
    return rewriter.make([&] {
      const Operand x = rewriter.operand(node.inputs[0]);
      const Operand below = x - over_rows("Max", x);
      const Operand powers = emit1("Exp", {below});
      const Operand total = over_rows("Sum", powers);
      return logarithm ? below - emit1("Log", {total}) : powers * emit1("Reciprocal", {total});
    });
  });
}

}  // namespace

const Pass kExpandSoftmax{"expand_softmax", "its steps fuse with what comes before and after", kRemapping,
                          expand_softmax};

}  // namespace tracefn
