// Inlines function calls, so that passes see through them. Side effects keep their order, which is that of the nodes;
// nodes keep their source location and the name that messages show.
#include <algorithm>

#include "passes/pass.h"
#include "passes/rewrite.h"

namespace tracefn {
namespace {

// Past these sizes the call overhead is negligible and copies of the body cost memory.
constexpr NodeId kMostNodes = 2000;
constexpr NodeId kMostNodesTogether = 10'000;

class Inliner {
 public:
  explicit Inliner(const Graph& graph) : rewriter_(graph) {}

  std::shared_ptr<Graph> run() {
    return rewriter_.run([this](const Node& node, NodeId) {
      const Graph* body = body_to_place(node);
      if (!body) return Replacement();
      if (rewriter_.only_asks()) return Replacement{Value{}};
      Placed placed = place(*body, node);
      rewriter_.lead_controls(std::move(placed.controls));
      // A call without results is replaced by nothing.
      return placed.outputs.empty() ? Replacement{Value{}} : std::move(placed.outputs);
    });
  }

 private:
  // Values and side effects of an inlined function.
  struct Placed {
    Replacement outputs;
    std::vector<NodeId> controls;
  };

  const Graph* body_to_place(const Node& node) const {
    if (!node.is(OpKind::kCall)) return nullptr;
    const Graph* body = node.attr("f").func().body.get();
    if (!body || body->size() > kMostNodes || placed_ + body->size() > kMostNodesTogether ||
        body->inputs.size() != node.inputs.size() || body->outputs.size() != node.outputs.size())
      return nullptr;
    return body;
  }

  // Control edges into the call that order side effects matter only to those; others keep a check alive that everything
  // after it waits for.
  bool holds_back_all(const Node& call) const {
    return std::any_of(call.control_inputs.begin(), call.control_inputs.end(),
                       [this](NodeId c) { return !rewriter_.graph().node(c).op->stateful; });
  }

  Placed place(const Graph& body, const Node& call) {
    placed_ += body.size();
    const bool holds_back = holds_back_all(call);
    std::vector<Replacement> values(static_cast<std::size_t>(body.size()));
    std::vector<std::vector<NodeId>> controls(static_cast<std::size_t>(body.size()));
    std::vector<char> is_argument(static_cast<std::size_t>(body.size()), 0);
    for (std::size_t i = 0; i < body.inputs.size(); ++i) {
      values[static_cast<std::size_t>(body.inputs[i].node)] = {call.inputs[i]};
      is_argument[static_cast<std::size_t>(body.inputs[i].node)] = 1;
    }
    auto value = [&](Value v) { return values[static_cast<std::size_t>(v.node)][static_cast<std::size_t>(v.output)]; };
    for (NodeId id : live_nodes(body)) {
      if (is_argument[static_cast<std::size_t>(id)]) continue;
      Node node = body.node(id);
      bool changed = false;
      for (Value& v : node.inputs) {
        const OutputInfo& before = body.info(v);
        const bool was_constant = body.node(v.node).is(OpKind::kConst);
        v = value(v);
        changed |= !(before.shape == rewriter_.info(v).shape) ||
                   (!was_constant && rewriter_.graph().node(v.node).is(OpKind::kConst));
      }
      SmallVector<NodeId, 2> led;
      if (node.op->stateful || holds_back)
        for (NodeId c : call.control_inputs) led.push_back(c);
      for (NodeId c : node.control_inputs)
        for (NodeId to : controls[static_cast<std::size_t>(c)]) led.push_back(to);
      node.control_inputs = std::move(led);
      Placed inner;
      if (const Graph* called = body_to_place(node)) {
        inner = place(*called, node);
      } else {
        inner.outputs = rewriter_.add(node, changed);
        inner.controls = {rewriter_.graph().size() - 1};
      }
      values[static_cast<std::size_t>(id)] = std::move(inner.outputs);
      controls[static_cast<std::size_t>(id)] = std::move(inner.controls);
    }
    Placed placed;
    for (Value v : body.outputs) placed.outputs.push_back(value(v));
    for (NodeId c : body.control_outputs)
      for (NodeId to : controls[static_cast<std::size_t>(c)]) placed.controls.push_back(to);
    if (!call.op->stateful)
      for (Value v : placed.outputs) placed.controls.push_back(v.node);
    return placed;
  }

  Rewriter rewriter_;
  NodeId placed_ = 0;
};

std::shared_ptr<Graph> inline_calls(const Graph& graph) { return Inliner(graph).run(); }

}  // namespace

const Pass kInlineCalls{"inline_calls", "what a function does can be joined with what is around it",
                        kFunctionOptimization, inline_calls};

}  // namespace tracefn
