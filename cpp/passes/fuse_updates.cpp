// Fuses updates of variables with the elementwise ops that compute the values: an optimizer written by hand becomes one
// pass over each variable and those beside it (exec/fusion/variable_update.h).
#include <algorithm>
#include <optional>

#include "ops/fusable.h"
#include "ops/op_def.h"
#include "passes/outline.h"
#include "passes/pass.h"

namespace tracefn {
namespace {

bool updates(const Node& node) { return op_def(*node.op).facts.update.has_value(); }
bool reads(const Node& node) { return op_def(*node.op).facts.reads_variable; }

class UpdateSearch {
 public:
  explicit UpdateSearch(const Graph& graph)
      : graph_(graph),
        order_(graph.order()),
        position_(static_cast<std::size_t>(graph.size()), -1),
        users_(static_cast<std::size_t>(graph.size())),
        followers_(static_cast<std::size_t>(graph.size())),
        state_(static_cast<std::size_t>(graph.size()), State::kFree) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const NodeId id = order_[i];
      const Node& node = graph.node(id);
      position_[at(id)] = static_cast<std::int32_t>(i);
      for (Value v : node.inputs) users_[at(v.node)].push_back(id);
      for (NodeId c : node.control_inputs) followers_[at(c)].push_back(id);
    }
    for (Value v : graph.inputs) state_[at(v.node)] = State::kTaken;
  }

  std::vector<Group> groups() {
    std::vector<Group> groups;
    for (std::size_t i = order_.size(); i-- > 0;)
      if (state_[at(order_[i])] == State::kFree && updates(graph_.node(order_[i])))
        if (Group group = grow(order_[i]); !group.members.empty()) groups.push_back(std::move(group));
    return groups;
  }

 private:
  enum class State : std::uint8_t { kFree, kInside, kTaken };
  static constexpr std::size_t kMostMembers = 256;
  static constexpr std::int64_t kFewElements = 2048;

  static std::size_t at(NodeId id) { return static_cast<std::size_t>(id); }

  Group grow(NodeId root) {
    root_ = root;
    shape_ = graph_.info(graph_.node(root).inputs[1]).shape;
    members_.clear();
    waiting_.clear();
    if (shape_.is_scalar()) return {};
    find_barriers();
    take(root);
    std::size_t computed = 0;
    while (!waiting_.empty() && members_.size() < kMostMembers) {
      std::pop_heap(waiting_.begin(), waiting_.end());
      const NodeId id = order_[static_cast<std::size_t>(waiting_.back())];
      waiting_.pop_back();
      if (state_[at(id)] != State::kFree) continue;
      if (is_computed(id) && take_with_updates(id)) {
        ++computed;
      } else if (is_read(id)) {
        take(id);
      }
    }
    // One op on a small array costs less than setting up a group.
    const std::optional<std::int64_t> elements = shape_.maybe_num_elements();
    const bool computes = computed > 1 || (computed == 1 && (!elements || *elements > kFewElements));
    Group group;
    if (computes) group.members = members_;
    for (NodeId id : members_) state_[at(id)] = computes ? State::kTaken : State::kFree;
    std::sort(group.members.begin(), group.members.end(),
              [&](NodeId a, NodeId b) { return position_[at(a)] < position_[at(b)]; });
    if (!computes) state_[at(root)] = State::kTaken;
    return group;
  }

  // All members run where the root is. Updates are not moved behind anything that may fail or has other effects; reads
  // not behind what might change a variable without naming it.
  void find_barriers() {
    failing_ = hidden_ = -1;
    for (std::int32_t i = position_[at(root_)] - 1; i >= 0 && hidden_ < 0; --i) {
      const Node& node = graph_.node(order_[static_cast<std::size_t>(i)]);
      if (reads(node) || updates(node) || node.inputs.empty()) continue;
      if (node.op->stateful) hidden_ = i;
      const DType dtype = node.outputs.empty() ? DType::kInvalid : node.outputs[0].dtype;
      if (failing_ < 0 && (node.op->stateful || op_def(*node.op).can_fail(dtype))) failing_ = i;
    }
  }

  bool is_after_root(NodeId id) const { return position_[at(id)] > position_[at(root_)]; }
  bool is_inside(NodeId id) const { return state_[at(id)] == State::kInside; }
  // What is ordered after it stays so.
  bool followers_allow(NodeId id) const {
    const std::vector<NodeId>& followers = followers_[at(id)];
    return std::all_of(followers.begin(), followers.end(), [&](NodeId f) { return is_inside(f) || is_after_root(f); });
  }

  bool is_computed(NodeId id) const {
    const Node& node = graph_.node(id);
    return is_elementwise_array(graph_, node) && node.control_inputs.empty() && node.outputs[0].shape == shape_ &&
           !op_def(*node.op).can_fail(node.outputs[0].dtype) && followers_[at(id)].empty();
  }

  bool is_read(NodeId id) const {
    const Node& node = graph_.node(id);
    const std::vector<NodeId>& users = users_[at(id)];
    return reads(node) && node.outputs[0].shape == shape_ && position_[at(id)] > hidden_ && followers_allow(id) &&
           std::all_of(users.begin(), users.end(), [&](NodeId u) { return is_inside(u) || is_after_root(u); });
  }

  // With the earlier updates that assign its value. False if something else before the root needs it.
  bool take_with_updates(NodeId id) {
    std::vector<NodeId> more;
    for (NodeId user : users_[at(id)]) {
      if (is_inside(user) || is_after_root(user)) continue;
      const Node& node = graph_.node(user);
      if (!updates(node) || state_[at(user)] != State::kFree || position_[at(user)] <= failing_ ||
          node.inputs[1].node != id)
        return false;
      more.push_back(user);
    }
    // Each is followed by what is inside, by another of them, or comes later.
    for (NodeId update : more) state_[at(update)] = State::kInside;
    const bool allowed = std::all_of(more.begin(), more.end(), [&](NodeId update) { return followers_allow(update); });
    for (NodeId update : more) state_[at(update)] = State::kFree;
    if (!allowed) return false;
    for (NodeId update : more) take(update);
    take(id);
    return true;
  }

  void take(NodeId id) {
    state_[at(id)] = State::kInside;
    members_.push_back(id);
    for (Value v : graph_.node(id).inputs) {
      waiting_.push_back(position_[at(v.node)]);
      std::push_heap(waiting_.begin(), waiting_.end());
    }
  }

  const Graph& graph_;
  std::vector<NodeId> order_;
  std::vector<std::int32_t> position_;
  std::vector<std::vector<NodeId>> users_, followers_;  // by data and by control edges
  std::vector<State> state_;
  // The growing group.
  NodeId root_ = -1;
  Shape shape_;
  std::vector<NodeId> members_;
  std::vector<std::int32_t> waiting_;        // positions, a heap
  std::int32_t failing_ = -1, hidden_ = -1;  // positions of the last barriers
};

std::shared_ptr<Graph> fuse_updates(const Graph& graph) {
  bool any = false;
  for (NodeId id = 0; id < graph.size() && !any; ++id) any = updates(graph.node(id));
  if (!any) return nullptr;
  // If the variables turn out not to fit, the function runs op by op: at least its elementwise groups are fused.
  return outline(graph, UpdateSearch(graph).groups(), "updated", NodeForm::kVariableUpdate, &kFuseElementwise);
}

}  // namespace

const Pass kFuseUpdates{"fuse_updates", "variables are passed over once", kRemapping, fuse_updates};

}  // namespace tracefn
