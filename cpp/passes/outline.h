// Outlining: moves groups of nodes into functions of their own, each called in place of the group's last node.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "passes/pass.h"

namespace tracefn {

// Nodes in the graph's order. Whatever outside uses a member, or is ordered after it, comes after the last one, the
// root. Those that GroupSearch finds have no side effects and control edges.
struct Group {
  std::vector<NodeId> members;
  NodeId root() const { return members.back(); }
};

// Shared by searches for groups: positions in the graph's order, users, and growing a group backwards from its root.
class GroupSearch {
 public:
  explicit GroupSearch(const Graph& graph);

  const Graph& graph() const { return graph_; }
  const std::vector<NodeId>& order() const { return order_; }
  // Has one result, no side effect and no control edges, and is in no group yet.
  bool is_free(NodeId id) const { return free_[static_cast<std::size_t>(id)]; }

  // The root and all free nodes it depends on that `belongs` accepts and that nothing else needs before the root.
  template <typename Belongs>
  Group grow(NodeId root, Belongs belongs) {
    Group group;
    begin(root);
    group.members.push_back(root);
    for (NodeId id = next(); id >= 0; id = next()) {
      if (group.members.size() >= kMostMembers || !is_free(id) || !only_needed_here(id, root) || !belongs(id)) continue;
      take(id);
      group.members.push_back(id);
    }
    finish(group);
    return group;
  }
  // Keeps the group's nodes out of later groups.
  void claim(const Group& group);

 private:
  static constexpr std::size_t kMostMembers = 512;

  void begin(NodeId root);
  NodeId next();
  void take(NodeId id);
  bool only_needed_here(NodeId id, NodeId root) const;
  void finish(Group& group);

  const Graph& graph_;
  std::vector<NodeId> order_;
  std::vector<std::int32_t> position_;
  std::vector<NodeId> users_;  // concatenated by node
  std::vector<std::int32_t> first_user_;
  std::vector<char> free_;
  // The growing group: its members, and the inputs still to visit, latest last.
  std::vector<char> inside_, seen_;
  std::vector<std::int32_t> waiting_;  // positions, a heap
  std::vector<NodeId> touched_;
};

// The graph with a PartitionedCall of that form for each group; null without groups. Scalar constants and reduction
// axes go inside. `inside` runs over each function, if given.
std::shared_ptr<Graph> outline(const Graph& graph, const std::vector<Group>& groups, const std::string& function_name,
                               NodeForm form = NodeForm::kFusionGroup, const Pass* inside = nullptr);

}  // namespace tracefn
