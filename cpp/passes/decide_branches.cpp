// Conditionals with a constant condition become calls of the branch taken; loops with zero iterations become their
// initial values.
#include "ops/node_kinds.h"
#include "ops/registry.h"
#include "passes/graph_copy.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace tracefn {
namespace {

Tensor constant_scalar(const Rewriter& r, Value v, DType dtype) {
  const Node& node = r.producer(v);
  if (!node.is(OpKind::kConst) || r.info(v).dtype != dtype || !r.info(v).shape.is_scalar()) return {};
  return node.attr("value").tensor();
}

Replacement call_of(Rewriter& r, const Node& node, const FuncRef& branch) {
  const OpDef& call = Registry::get().at(node.op->stateful ? "StatefulPartitionedCall" : "PartitionedCall");
  AttrList attrs;
  for (const AttrDef& attr : call.signature.attrs) attrs.push_back(attr.default_value);
  auto set = [&](const char* name, Attr value) {
    attrs[static_cast<std::size_t>(call.signature.attr_index(name))] = std::move(value);
  };
  set("Tin", node.attr("Tin"));
  set("Tout", node.attr("Tout"));
  set("f", branch);
  return r.again(node, call, SmallVector<Value, 3>(node.inputs.begin() + 1, node.inputs.end()), std::move(attrs));
}

Replacement decided_if(Rewriter& r, const Node& node) {
  Tensor condition = constant_scalar(r, node.inputs[0], DType::kBool);
  if (!condition.defined()) return {};
  return call_of(r, node, node.attr(condition.item<bool>() ? "then_branch" : "else_branch").func());
}

Replacement decided_case(Rewriter& r, const Node& node) {
  Tensor index = constant_scalar(r, node.inputs[0], DType::kInt32);
  if (!index.defined()) return {};
  const std::vector<FuncRef>& branches = node.attr("branches").funcs();
  const auto n = static_cast<std::int64_t>(branches.size());
  std::int64_t i = index.int_at(0);
  return call_of(r, node, branches[static_cast<std::size_t>(i < 0 || i >= n ? n - 1 : i)]);
}

// Evaluates the condition on the initial values, as far as those are constants.
Replacement loop_without_iterations(Rewriter& r, const Node& node) {
  const Graph& condition = *node.attr("cond").func().body;
  if (!condition.control_outputs.empty() || condition.outputs.size() != 1) return {};
  std::vector<const Node*> initial(static_cast<std::size_t>(condition.size()), nullptr);
  bool any = false;
  for (std::size_t i = 0; i < condition.inputs.size(); ++i) {
    const Node& given = r.producer(node.inputs[i]);
    if (!given.is(OpKind::kConst)) continue;
    initial[static_cast<std::size_t>(condition.inputs[i].node)] = &given;
    any = true;
  }
  // Most loops depend on the call's arguments: evaluate only if everything the condition reads is constant.
  for (NodeId id : live_nodes(condition)) {
    const Node& inner = condition.node(id);
    any = any && (!inner.is(OpKind::kPlaceholder) || initial[static_cast<std::size_t>(id)]);
  }
  if (!any) return {};
  GraphCopy copy(condition);
  for (NodeId id : condition.order()) {
    Node inner = copy.moved(id);
    if (const Node* given = initial[static_cast<std::size_t>(id)]) {
      std::string name = std::move(inner.name);
      inner = *given;
      inner.name = std::move(name);
    }
    copy.add(id, std::move(inner));
  }
  std::shared_ptr<Graph> first = copy.finish();
  first->inputs.clear();
  if (std::shared_ptr<Graph> folded = kFoldConstants.run(*first)) first = std::move(folded);
  const Node& answer = first->node(first->outputs[0].node);
  if (!answer.is(OpKind::kConst) || answer.outputs[0].dtype != DType::kBool || !answer.outputs[0].shape.is_scalar() ||
      answer.attr("value").tensor().item<bool>())
    return {};
  return Replacement(node.inputs.begin(), node.inputs.end());
}

std::shared_ptr<Graph> decide_branches(const Graph& graph) {
  Rewriter rewriter(graph);
  return rewriter.run([&](const Node& node, NodeId) {
    if (!op_def(*node.op).has_function_attr || !node.control_inputs.empty() || node.outputs.empty())
      return Replacement();
    if (node.is(OpKind::kConditional)) return decided_if(rewriter, node);
    if (node.is(OpKind::kCase)) return decided_case(rewriter, node);
    if (is_loop(node)) return loop_without_iterations(rewriter, node);
    return Replacement();
  });
}

}  // namespace

const Pass kDecideBranches{"decide_branches", "a branch that is always taken needs no condition", kFunctionOptimization,
                           decide_branches};

}  // namespace tracefn
