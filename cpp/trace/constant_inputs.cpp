// Replaces Const nodes by placeholders.
#include "trace/constant_inputs.h"

#include "base/check.h"
#include "ops/gradient.h"
#include "ops/registry.h"

namespace tracefn {

std::vector<FuncGraph::Capture> differentiable_constants(std::span<const FuncGraph::Capture> constants) {
  std::vector<FuncGraph::Capture> found;
  for (const FuncGraph::Capture& c : constants)
    if (is_differentiable(c.outer)) found.push_back(c);
  return found;
}

std::shared_ptr<Graph> with_constants_as_inputs(const Graph& graph, std::span<const FuncGraph::Capture> constants) {
  static const OpDef& placeholder = Registry::get().at("Placeholder");
  auto copy = std::make_shared<Graph>(graph);
  for (const FuncGraph::Capture& c : constants) {
    Node& node = copy->node(c.inner.node);
    TRACEFN_CHECK(node.is(OpKind::kConst));
    node.op = &placeholder.signature;
    node.attrs.assign(placeholder.signature.attrs.size(), Attr());
    node.attrs[static_cast<std::size_t>(placeholder.signature.attr_index("dtype"))] = c.outer.dtype();
    node.attrs[static_cast<std::size_t>(placeholder.signature.attr_index("shape"))] = c.outer.shape();
    copy->inputs.push_back(c.inner);
  }
  return copy;
}

}  // namespace tracefn
