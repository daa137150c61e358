// Finds the rows, and judges what was measured.
#include "exec/side_by_side.h"

#include <algorithm>
#include <bit>

#include "ops/op_def.h"

namespace tracefn {
namespace {

// How far to look for further members: a search for every heavy node stays linear in the graph.
constexpr std::size_t kWindow = 64;
// A thread begins a job some microseconds after it was called.
constexpr std::int64_t kLongNanoseconds = 15'000;
// Sizes change from run to run: what was measured is measured again.
constexpr std::uint32_t kRunsBetween = 64;

bool calls_host(const Node& node) {
  return std::any_of(node.attrs.begin(), node.attrs.end(),
                     [](const Attr& attr) { return static_cast<bool>(attr.host()); });
}

bool is_heavy(const Node& node) {
  if (node.form == NodeForm::kFinishedProduct) return true;
  const OpDef& op = op_def(*node.op);
  return (op.facts.contracts || op.facts.serial) && !node.op->stateful && !op.has_function_attr && !calls_host(node);
}

// Other nodes may pass it, and it them: nothing but its inputs says when it runs.
bool is_free(const Node& node) {
  return (!node.op->stateful || op_def(*node.op).facts.reads_variable) && !calls_host(node);
}

class Search {
 public:
  explicit Search(const Graph& graph) : graph_(graph), mark_(static_cast<std::size_t>(graph.size()), kOther) {}

  SideBySideOrder run() {
    left_ = live_nodes(graph_);
    std::size_t heavy = 0;
    for (NodeId id : left_) heavy += is_heavy(graph_.node(id));
    if (heavy < 2) return {std::move(left_), {}};
    std::reverse(left_.begin(), left_.end());  // the next node is the last
    while (!left_.empty()) {
      if (is_heavy(graph_.node(left_.back())) && find_row()) continue;
      order_.nodes.push_back(left_.back());
      left_.pop_back();
    }
    return std::move(order_);
  }

 private:
  enum Mark : char {
    kOther,
    kSkipped,   // in the window, passed over for now
    kNeedsRow,  // so is this, and it needs a member
    kMember,
    kPulled,  // in the window, and needed by a member: goes before the row
  };

  Mark& mark(NodeId id) { return mark_[static_cast<std::size_t>(id)]; }

  // Takes the heavy node at the front, and those that can run beside it; false, with nothing done, if there are none.
  bool find_row() {
    std::vector<NodeId> window, members, pulled;
    for (std::size_t i = left_.size(); i-- > 0 && window.size() < kWindow && members.size() < kMostSideBySide;) {
      const NodeId id = left_[i];
      const Node& node = graph_.node(id);
      if (!is_free(node)) break;
      window.push_back(id);
      mark(id) = needs_row(node) ? kNeedsRow : kSkipped;
      if (mark(id) == kSkipped && is_heavy(node) && pull(node, pulled)) {
        mark(id) = kMember;
        members.push_back(id);
      }
    }
    const bool found = members.size() > 1;
    if (found) {
      left_.resize(left_.size() - window.size());
      for (std::size_t i = window.size(); i-- > 0;)
        if (mark(window[i]) == kSkipped || mark(window[i]) == kNeedsRow) left_.push_back(window[i]);
      std::copy_if(window.begin(), window.end(), std::back_inserter(order_.nodes),
                   [&](NodeId id) { return mark(id) == kPulled; });
      order_.rows.push_back({order_.nodes.size(), members.size()});
      order_.nodes.insert(order_.nodes.end(), members.begin(), members.end());
    }
    for (NodeId id : window) mark(id) = kOther;
    return found;
  }

  bool needs_row(const Node& node) {
    auto needs = [&](NodeId id) { return mark(id) == kMember || mark(id) == kNeedsRow; };
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](Value v) { return needs(v.node); }) ||
           std::any_of(node.control_inputs.begin(), node.control_inputs.end(), needs);
  }

  // Marks the nodes of the window that `node` needs, and what these need. False, with nothing marked, if one of them
  // shares an input with a node that it would pass: that one could then no longer work in place.
  bool pull(const Node& node, std::vector<NodeId>& pulled) {
    const std::size_t before = pulled.size();
    std::vector<const Node*> to_do{&node};
    while (!to_do.empty()) {
      const Node& next = *to_do.back();
      to_do.pop_back();
      auto add = [&](NodeId id) {
        if (mark(id) != kSkipped) return;
        mark(id) = kPulled;
        pulled.push_back(id);
        to_do.push_back(&graph_.node(id));
      };
      for (Value v : next.inputs) add(v.node);
      for (NodeId id : next.control_inputs) add(id);
    }
    const bool can = std::none_of(pulled.begin() + static_cast<std::ptrdiff_t>(before), pulled.end(),
                                  [&](NodeId id) { return shares_input(id); });
    if (!can) {
      for (std::size_t i = before; i < pulled.size(); ++i) mark(pulled[i]) = kSkipped;
      pulled.resize(before);
    }
    return can;
  }

  // With a node of the window before it that is not pulled and no member.
  bool shares_input(NodeId pulled) {
    const Node& node = graph_.node(pulled);
    for (std::size_t i = left_.size(); i-- > 0 && left_[i] != pulled;) {
      if (mark(left_[i]) != kSkipped && mark(left_[i]) != kNeedsRow) continue;
      for (Value a : graph_.node(left_[i]).inputs)
        for (Value b : node.inputs)
          if (a == b && !graph_.node(a.node).is(OpKind::kConst)) return true;
    }
    return false;
  }

  const Graph& graph_;
  std::vector<Mark> mark_;
  std::vector<NodeId> left_;
  SideBySideOrder order_;
};

}  // namespace

SideBySideOrder order_side_by_side(const Graph& graph) { return Search(graph).run(); }

bool RowTimes::next_run_measures() {
  const std::uint32_t run = runs_.load(std::memory_order_relaxed);
  runs_.store(run + 1, std::memory_order_relaxed);
  return run < 2 || run % kRunsBetween == 0;  // the first run waits for memory, too
}

void RowTimes::note(std::size_t i, std::int64_t nanoseconds, std::int64_t helped, int threads) {
  const std::int64_t idle = nanoseconds - helped / std::max(threads - 1, 1);
  const std::uint32_t bit = std::uint32_t{1} << i;
  if (idle >= kLongNanoseconds && idle >= nanoseconds / 2) {
    alone_.fetch_or(bit, std::memory_order_relaxed);
  } else {
    alone_.fetch_and(~bit, std::memory_order_relaxed);
  }
}

std::uint32_t RowTimes::alone() const {
  const std::uint32_t alone = alone_.load(std::memory_order_relaxed);
  return std::popcount(alone) > 1 ? alone : 0;
}

}  // namespace tracefn
