// Expands ops into the simpler ones that their records name, where these fuse with their neighbors.
#include "ops/op_def.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace tracefn {
namespace {

std::shared_ptr<Graph> expand_ops(const Graph& graph) {
  Rewriter rewriter(graph);
  return rewriter.run([&](const Node& node, NodeId) -> Replacement {
    const Expansion* expansion = op_def(*node.op).facts.expansion;
    if (!expansion) return {};
    SmallVector<const OutputInfo*, 4> infos;
    for (Value v : node.inputs) infos.push_back(&rewriter.info(v));
    if (!expansion->applies(node, {infos.data(), infos.size()})) return {};
    return rewriter.make([&] {
      Operands inputs;
      for (Value v : node.inputs) inputs.push_back(rewriter.operand(v));
      return expansion->emit(node, std::span(inputs.data(), inputs.size()));
    });
  });
}

}  // namespace

const Pass kExpandOps{"expand_ops", "their parts fuse with what comes before and after", kRemapping, expand_ops};

}  // namespace tracefn
