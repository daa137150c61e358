// Chooses what to save: drops dead captures, rematerializes cheap ones.
#include "autodiff/saved_values.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "autodiff/body_gradient.h"
#include "autodiff/tape.h"
#include "ops/elementwise/block.h"
#include "ops/node_kinds.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

// Nanoseconds per element: arithmetic and comparisons cost less than saving their results does.
constexpr double kCheap = 0.5;
// The most ops rematerialized for one value.
constexpr int kMostOps = 4;

struct ValueHash {
  std::size_t operator()(Value v) const { return hash_add(hash_add(0, v.node), v.output); }
};
using ValueSet = std::unordered_set<Value, ValueHash>;

std::vector<FuncGraph::Capture> live_captures(const GradientGraph& backward) {
  const Graph& graph = *backward.graph();
  std::vector<char> live(static_cast<std::size_t>(graph.size()), 0);
  for (Value v : graph.outputs) live[static_cast<std::size_t>(v.node)] = 1;
  std::vector<NodeId> order = graph.order();
  for (std::size_t k = order.size(); k-- > 0;) {
    const Node& node = graph.node(order[k]);
    char& is_live = live[static_cast<std::size_t>(order[k])];
    is_live = is_live || node.op->stateful;
    if (!is_live) continue;
    for (Value v : node.inputs) live[static_cast<std::size_t>(v.node)] = 1;
    for (NodeId c : node.control_inputs) live[static_cast<std::size_t>(c)] = 1;
  }
  std::vector<FuncGraph::Capture> captures;
  for (const FuncGraph::Capture& capture : backward.captures())
    if (live[static_cast<std::size_t>(capture.inner.node)]) captures.push_back(capture);
  return captures;
}

class Chooser {
 public:
  Chooser(const std::shared_ptr<Graph>& forward, GradientGraph& backward, const AtHand& at_hand)
      : forward_(forward), backward_(backward), at_hand_(at_hand) {}

  std::vector<FuncGraph::Capture> run() {
    for (const FuncGraph::Capture& capture : live_captures(backward_)) {
      if (capture.outer.graph == forward_) {
        needed_.push_back({behind_identity(*forward_, capture.outer.value), capture.inner});
      } else {
        result_.push_back(capture);
      }
    }
    choose();
    if (again_.empty() && !captured_twice()) {
      for (const Needed& n : needed_) result_.push_back({Operand(forward_, n.value), n.inner});
    } else {
      rebuild();
    }
    return std::move(result_);
  }

 private:
  struct Needed {
    Value value;  // of the forward graph
    Value inner;
  };

  bool captured_twice() const {
    ValueSet seen;
    return std::any_of(needed_.begin(), needed_.end(), [&](const Needed& n) { return !seen.insert(n.value).second; });
  }
  bool is_cheap(Value v) const {
    const Node& node = forward_->node(v.node);
    const OpDef& op = op_def(*node.op);
    return op.block && op.block->cost <= kCheap && !op.signature.stateful && !node.gradient && !node.inputs.empty() &&
           node.control_inputs.empty();
  }
  bool is_given(Value v) const {
    return forward_->node(v.node).is(OpKind::kConst) || saved_.contains(v) || at_hand_(v);
  }

  // The values to save in order to rematerialize v in few ops; false if more are needed.
  bool leaves(Value v, int& ops, std::vector<Value>& found) const {
    v = behind_identity(*forward_, v);
    if (is_given(v)) return true;
    if (!is_cheap(v)) {
      found.push_back(v);
      return true;
    }
    if (--ops < 0) return false;
    for (Value in : forward_->node(v.node).inputs)
      if (!leaves(in, ops, found)) return false;
    return true;
  }

  void choose() {
    std::vector<Value> cheap;
    ValueSet seen;
    for (const Needed& n : needed_) {
      if (is_given(n.value) || !seen.insert(n.value).second) continue;
      if (is_cheap(n.value)) {
        cheap.push_back(n.value);
      } else {
        saved_.insert(n.value);
      }
    }
    std::sort(cheap.begin(), cheap.end(), [](Value a, Value b) { return a.node < b.node; });
    save_leaves_if_fewer(cheap);
    for (Value v : cheap) {
      int ops = kMostOps;
      std::vector<Value> missing;
      if (leaves(v, ops, missing) && missing.empty()) {
        again_.insert(v);
      } else {
        saved_.insert(v);
      }
    }
  }

  // Several cheap values may derive from a few that are not needed themselves.
  void save_leaves_if_fewer(const std::vector<Value>& cheap) {
    ValueSet sources;
    std::size_t computed = 0;
    for (Value v : cheap) {
      int ops = kMostOps;
      std::vector<Value> missing;
      if (!leaves(v, ops, missing) || missing.empty()) continue;
      ++computed;
      sources.insert(missing.begin(), missing.end());
    }
    if (sources.size() < computed) saved_.insert(sources.begin(), sources.end());
  }

  // New arguments come before all other nodes, then the rematerialized ones; the old ones refer to these.
  void rebuild() {
    InsertTarget target(backward_.shared_graph(), 0);
    TargetScope scope(target);
    TapePause pause;
    for (const Needed& n : needed_) replace_argument(*backward_.graph(), n.inner.node, provide(n.value).value);
  }

  const Operand& provide(Value v) {
    v = behind_identity(*forward_, v);
    if (auto found = provided_.find(v); found != provided_.end()) return found->second;
    const Node& node = forward_->node(v.node);
    Operand made;
    if (node.is(OpKind::kConst)) {
      made = build::constant(node.attr("value").tensor());
    } else if (is_given(v)) {
      made = Operand(backward_.shared_graph(), add_argument(*backward_.graph(), forward_->info(v), node.name, 0));
      result_.push_back({Operand(forward_, v), made.value});
    } else {
      Operands inputs, outputs;
      for (Value in : node.inputs) inputs.push_back(provide(in));
      emit(op_def(*node.op), inputs, node.attrs, outputs);
      made = outputs[static_cast<std::size_t>(v.output)];
    }
    return provided_.emplace(v, made).first->second;
  }

  const std::shared_ptr<Graph>& forward_;
  GradientGraph& backward_;
  const AtHand& at_hand_;
  std::vector<Needed> needed_;
  ValueSet saved_, again_;
  std::unordered_map<Value, Operand, ValueHash> provided_;
  std::vector<FuncGraph::Capture> result_;
};

}  // namespace

std::vector<FuncGraph::Capture> choose_saved(const std::shared_ptr<Graph>& forward, GradientGraph& backward,
                                             const AtHand& at_hand) {
  return Chooser(forward, backward, at_hand).run();
}

void replace_argument(Graph& graph, NodeId argument, Value value) {
  static const OpDef& identity = Registry::get().at("Identity");
  Node& node = graph.node(argument);
  DType dtype = node.outputs[0].dtype;
  node.op = &identity.signature;
  node.attrs.assign(identity.signature.attrs.size(), Attr());
  node.attrs[static_cast<std::size_t>(identity.signature.attr_index("T"))] = dtype;
  node.inputs = decltype(node.inputs)(1, value);
}

}  // namespace tracefn
