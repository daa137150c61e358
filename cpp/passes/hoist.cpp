// LICM: loop-invariant ops move in front of the loop; only those that cannot fail, since the loop may run zero
// iterations.
#include <algorithm>

#include "ops/node_kinds.h"
#include "passes/loop_parts.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace tracefn {
namespace {

bool all_known(const Graph& graph, const Node& node) {
  for (Value v : node.inputs)
    if (!graph.info(v).shape.is_fully_known()) return false;
  return std::all_of(node.outputs.begin(), node.outputs.end(),
                     [](const OutputInfo& info) { return info.shape.is_fully_known(); });
}

bool cannot_fail(const Graph& graph, const Node& node) {
  return all_known(graph, node) && !op_def(*node.op).can_fail(node.outputs[0].dtype);
}

// Repeating a small tensor in each iteration costs less memory than keeping the large one.
bool grows(const Graph& graph, const Node& node) {
  std::int64_t most = 1;
  for (Value v : node.inputs) most = std::max(most, graph.info(v).shape.num_elements());
  return !op_def(*node.op).facts.contracts && node.outputs[0].shape.num_elements() > most;
}

// The condition or body of a loop, and which of its nodes to hoist.
class Part {
 public:
  Part(const Graph& graph, const std::vector<char>& unchanged)
      : graph_(graph), invariant_(static_cast<std::size_t>(graph.size()), 0), hoisted_(invariant_) {
    for (std::size_t i = 0; i < graph.inputs.size(); ++i)
      invariant_[static_cast<std::size_t>(graph.inputs[i].node)] = unchanged[i];
    std::vector<char> is_argument(static_cast<std::size_t>(graph.size()), 0);
    for (Value v : graph.inputs) is_argument[static_cast<std::size_t>(v.node)] = 1;
    for (NodeId id : live_nodes(graph)) {
      const Node& node = graph.node(id);
      if (is_argument[static_cast<std::size_t>(id)] || node.op->stateful || !node.control_inputs.empty() ||
          node.outputs.size() != 1)
        continue;
      if (node.is(OpKind::kConst)) {
        invariant_[static_cast<std::size_t>(id)] = 1;
        continue;
      }
      const bool depends = std::any_of(node.inputs.begin(), node.inputs.end(), [&](Value v) { return !is(v.node); });
      if (depends || node.inputs.empty() || !cannot_fail(graph, node) || grows(graph, node)) continue;
      invariant_[static_cast<std::size_t>(id)] = 1;
      if (!node.is(OpKind::kIdentity)) hoisted_[static_cast<std::size_t>(id)] = 1;
    }
    for (NodeId id : live_nodes(graph)) {
      if (is_hoisted(id)) continue;
      for (Value v : graph.node(id).inputs) need(v);
    }
    for (Value v : graph.outputs) need(v);
  }

  const Graph& graph() const { return graph_; }
  bool is_hoisted(NodeId id) const { return hoisted_[static_cast<std::size_t>(id)]; }
  // The hoisted values that the rest of the graph uses.
  const std::vector<Value>& needed() const { return needed_; }

 private:
  bool is(NodeId id) const { return invariant_[static_cast<std::size_t>(id)]; }
  void need(Value v) {
    if (is_hoisted(v.node) && std::find(needed_.begin(), needed_.end(), v) == needed_.end()) needed_.push_back(v);
  }

  const Graph& graph_;
  std::vector<char> invariant_, hoisted_;
  std::vector<Value> needed_;
};

class Hoister {
 public:
  explicit Hoister(const Graph& graph) : rewriter_(graph) {}

  std::shared_ptr<Graph> run() {
    return rewriter_.run([this](const Node& node, NodeId) {
      if (!is_loop(node)) return Replacement();
      return without_invariants(node);
    });
  }

 private:
  Replacement without_invariants(const Node& loop) {
    const FuncRef &condition = loop.attr("cond").func(), &body = loop.attr("body").func();
    if (!condition.body || !body.body || loop.outputs.empty()) return {};
    const std::vector<char> unchanged = unchanged_variables(*body.body);
    const Part parts[2] = {Part(*condition.body, unchanged), Part(*body.body, unchanged)};
    if (parts[0].needed().empty() && parts[1].needed().empty()) return {};
    if (rewriter_.only_asks()) return {Value{}};
    SmallVector<Value, 3> inputs = loop.inputs;
    for (const Part& part : parts)
      for (Value v : computed_before(part, loop)) inputs.push_back(v);
    AttrList attrs = loop.attrs;
    auto attr = [&](const char* name) -> Attr& { return attrs[static_cast<std::size_t>(loop.op->attr_index(name))]; };
    attr("cond") = FuncRef{condition.name, with_variables(parts[0], parts, 0)};
    attr("body") = FuncRef{body.name, with_variables(parts[1], parts, 1)};
    std::vector<DType> types = attr("T").types();
    std::vector<Shape> shapes = attr("output_shapes").shapes();
    for (std::size_t i = types.size(); i < inputs.size(); ++i) {
      types.push_back(rewriter_.info(inputs[i]).dtype);
      if (!shapes.empty()) shapes.push_back(rewriter_.info(inputs[i]).shape);
    }
    attr("T") = std::move(types);
    attr("output_shapes") = std::move(shapes);
    Replacement outputs = rewriter_.again(loop, op_def(*loop.op), inputs, std::move(attrs));
    if (outputs.empty()) return {};
    outputs.resize(loop.outputs.size());
    return outputs;
  }

  // Puts the hoisted nodes in front of the loop; returns the values that the part needs.
  std::vector<Value> computed_before(const Part& part, const Node& loop) {
    const Graph& graph = part.graph();
    std::vector<Value> values(static_cast<std::size_t>(graph.size()));
    for (std::size_t i = 0; i < graph.inputs.size(); ++i)
      values[static_cast<std::size_t>(graph.inputs[i].node)] = loop.inputs[i];
    for (NodeId id : graph.order()) {
      Node node = graph.node(id);
      if (!node.control_inputs.empty()) continue;
      if (node.is(OpKind::kIdentity)) {
        values[static_cast<std::size_t>(id)] = values[static_cast<std::size_t>(node.inputs[0].node)];
      } else if (part.is_hoisted(id) || node.is(OpKind::kConst)) {
        for (Value& v : node.inputs) v = values[static_cast<std::size_t>(v.node)];
        values[static_cast<std::size_t>(id)] = rewriter_.add(node, false)[0];
      }
    }
    std::vector<Value> needed;
    for (Value v : part.needed()) needed.push_back(values[static_cast<std::size_t>(v.node)]);
    return needed;
  }

  // The part with a variable in place of each hoisted value, and variables for those of the other part.
  static std::shared_ptr<Graph> with_variables(const Part& part, const Part (&all)[2], std::size_t which) {
    const Graph& graph = part.graph();
    GraphCopy copy(graph);
    std::vector<Value> variables;
    for (NodeId id : graph.order())
      if (is_input(graph, id)) copy.add(id, graph.node(id));
    for (std::size_t p = 0; p < 2; ++p)
      for (Value v : all[p].needed()) {
        Value made{copy.to().add(placeholder(all[p].graph().info(v), "invariant@" + std::to_string(variables.size()))),
                   0};
        if (p == which) copy.replace_output(v, made);
        variables.push_back(made);
      }
    for (NodeId id : graph.order())
      if (!is_input(graph, id) && !part.is_hoisted(id)) copy.add(id, copy.moved(id));
    std::shared_ptr<Graph> made = copy.finish();
    for (Value v : variables) {
      made->inputs.push_back(v);
      if (which == 1) made->outputs.push_back(v);
    }
    return made;
  }

  static bool is_input(const Graph& graph, NodeId id) {
    return std::any_of(graph.inputs.begin(), graph.inputs.end(), [&](Value v) { return v.node == id; });
  }

  Rewriter rewriter_;
};

std::shared_ptr<Graph> hoist(const Graph& graph) { return Hoister(graph).run(); }

}  // namespace

const Pass kHoist{"hoist",
                  "loop-invariant code motion (LICM): what no iteration changes is computed once, before the loop",
                  kLoopOptimization, hoist};

}  // namespace tracefn
