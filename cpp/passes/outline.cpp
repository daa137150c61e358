// Grows fusion groups and turns them into functions and calls.
#include "passes/outline.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ops/fusable.h"
#include "ops/registry.h"
#include "passes/graph_copy.h"

namespace tracefn {

GroupSearch::GroupSearch(const Graph& graph)
    : graph_(graph),
      order_(graph.order()),
      position_(static_cast<std::size_t>(graph.size()), -1),
      first_user_(static_cast<std::size_t>(graph.size()) + 1, 0),
      free_(static_cast<std::size_t>(graph.size()), 0),
      inside_(static_cast<std::size_t>(graph.size()), 0),
      seen_(static_cast<std::size_t>(graph.size()), 0) {
  for (std::size_t i = 0; i < order_.size(); ++i) {
    NodeId id = order_[i];
    const Node& node = graph.node(id);
    position_[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(i);
    free_[static_cast<std::size_t>(id)] =
        !node.op->stateful && node.outputs.size() == 1 && node.control_inputs.empty() && !node.inputs.empty();
    for (Value v : node.inputs) ++first_user_[static_cast<std::size_t>(v.node) + 1];
  }
  for (std::size_t i = 1; i < first_user_.size(); ++i) first_user_[i] += first_user_[i - 1];
  users_.resize(static_cast<std::size_t>(first_user_.back()));
  std::vector<std::int32_t> next(first_user_.begin(), first_user_.end() - 1);
  for (NodeId id : order_)
    for (Value v : graph.node(id).inputs)
      users_[static_cast<std::size_t>(next[static_cast<std::size_t>(v.node)]++)] = id;
  for (NodeId id : order_)
    for (NodeId c : graph.node(id).control_inputs) free_[static_cast<std::size_t>(c)] = 0;
  for (NodeId c : graph.control_outputs) free_[static_cast<std::size_t>(c)] = 0;
  for (Value v : graph.inputs) free_[static_cast<std::size_t>(v.node)] = 0;
}

void GroupSearch::claim(const Group& group) {
  for (NodeId id : group.members) free_[static_cast<std::size_t>(id)] = 0;
}

void GroupSearch::begin(NodeId root) {
  waiting_.clear();
  take(root);
}

NodeId GroupSearch::next() {
  if (waiting_.empty()) return -1;
  std::pop_heap(waiting_.begin(), waiting_.end());
  NodeId id = order_[static_cast<std::size_t>(waiting_.back())];
  waiting_.pop_back();
  return id;
}

void GroupSearch::take(NodeId id) {
  inside_[static_cast<std::size_t>(id)] = 1;
  touched_.push_back(id);
  for (Value v : graph_.node(id).inputs) {
    char& seen = seen_[static_cast<std::size_t>(v.node)];
    if (seen) continue;
    seen = 1;
    touched_.push_back(v.node);
    waiting_.push_back(position_[static_cast<std::size_t>(v.node)]);
    std::push_heap(waiting_.begin(), waiting_.end());
  }
}

// Users come later in order, so when a node is visited, all its users are already decided.
bool GroupSearch::only_needed_here(NodeId id, NodeId root) const {
  const std::size_t at = static_cast<std::size_t>(id);
  for (std::int32_t i = first_user_[at]; i < first_user_[at + 1]; ++i) {
    const std::size_t user = static_cast<std::size_t>(users_[static_cast<std::size_t>(i)]);
    if (!inside_[user] && position_[user] < position_[static_cast<std::size_t>(root)]) return false;
  }
  return true;
}

void GroupSearch::finish(Group& group) {
  for (NodeId id : touched_) inside_[static_cast<std::size_t>(id)] = seen_[static_cast<std::size_t>(id)] = 0;
  touched_.clear();
  std::reverse(group.members.begin(), group.members.end());
}

namespace {

struct ValueHash {
  std::size_t operator()(Value v) const {
    return static_cast<std::size_t>(v.node) * 31 + static_cast<std::size_t>(v.output);
  }
};

// A group's function; its inputs and outputs are values of the original graph.
struct Outlined {
  std::shared_ptr<Graph> body;
  std::vector<Value> inputs, outputs;
  std::vector<NodeId> after;  // nodes of the original graph that members are ordered after
};

Outlined outlined(const Graph& graph, const Group& group, const std::unordered_set<Value, ValueHash>& needed_outside,
                  std::string name) {
  Outlined out{std::make_shared<Graph>(std::move(name)), {}, {}, {}};
  std::unordered_map<Value, Value, ValueHash> inner;
  std::unordered_map<NodeId, NodeId> nodes;
  std::unordered_set<NodeId> members(group.members.begin(), group.members.end());
  // Arguments first, as everywhere.
  auto goes_inside = [&](Value v, const Node& user, std::size_t k) {
    const Node& node = graph.node(v.node);
    if (!node.is(OpKind::kConst) || !node.control_inputs.empty()) return false;
    return node.outputs[0].shape.is_scalar() || (k == 1 && trailing_reduction(graph, user));
  };
  for (NodeId id : group.members) {
    const Node& node = graph.node(id);
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      Value v = node.inputs[k];
      if (members.contains(v.node) || inner.contains(v) || goes_inside(v, node, k)) continue;
      NodeId made = out.body->add(placeholder(graph.info(v), "arg" + std::to_string(out.inputs.size())));
      inner.emplace(v, Value{made, 0});
      out.inputs.push_back(v);
      out.body->inputs.push_back({made, 0});
    }
  }
  for (NodeId id : group.members) {
    Node node = graph.node(id);
    for (Value& v : node.inputs) {
      if (!inner.contains(v)) inner.emplace(v, Value{out.body->add(graph.node(v.node)), 0});
      v = inner.at(v);
    }
    SmallVector<NodeId, 2> controls;
    for (NodeId c : node.control_inputs) {
      if (auto found = nodes.find(c); found != nodes.end()) {
        controls.push_back(found->second);
      } else if (std::find(out.after.begin(), out.after.end(), c) == out.after.end()) {
        out.after.push_back(c);
      }
    }
    node.control_inputs = std::move(controls);
    const bool has_effects = node.op->stateful;
    const NodeId made = out.body->add(std::move(node));
    nodes.emplace(id, made);
    if (has_effects) out.body->control_outputs.push_back(made);
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(graph.node(id).outputs.size()); ++j) {
      inner.emplace(Value{id, j}, Value{made, j});
      if (!needed_outside.contains({id, j}) && id != group.root()) continue;
      out.outputs.push_back({id, j});
      out.body->outputs.push_back({made, j});
    }
  }
  return out;
}

Node call_node(const Graph& graph, const Outlined& function, const Node& root, const GraphCopy& copy, NodeForm form) {
  static const OpDef &call = Registry::get().at("PartitionedCall"),
                     &with_effects = Registry::get().at("StatefulPartitionedCall");
  const OpDef& op = function.body->control_outputs.empty() ? call : with_effects;
  Node node;
  node.op = &op.signature;
  node.name = root.name;
  node.form = form;
  node.source = root.source;
  node.control_inputs = copy.controls(function.after);
  std::vector<DType> in, out;
  for (Value v : function.inputs) {
    node.inputs.push_back(copy.value(v));
    in.push_back(graph.info(v).dtype);
  }
  for (Value v : function.outputs) {
    node.outputs.push_back(graph.info(v));
    out.push_back(graph.info(v).dtype);
  }
  node.attrs.resize(op.signature.attrs.size());
  for (std::size_t i = 0; i < op.signature.attrs.size(); ++i) node.attrs[i] = op.signature.attrs[i].default_value;
  auto set = [&](const char* name, Attr value) {
    node.attrs[static_cast<std::size_t>(op.signature.attr_index(name))] = std::move(value);
  };
  set("Tin", std::move(in));
  set("Tout", std::move(out));
  set("f", FuncRef{function.body->name(), function.body});
  return node;
}

}  // namespace

std::shared_ptr<Graph> outline(const Graph& graph, const std::vector<Group>& groups, const std::string& function_name,
                               NodeForm form, const Pass* inside) {
  if (groups.empty()) return nullptr;
  std::vector<std::int32_t> group_of(static_cast<std::size_t>(graph.size()), -1);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (NodeId id : groups[g].members) group_of[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(g);
  std::unordered_set<Value, ValueHash> needed_outside(graph.outputs.begin(), graph.outputs.end());
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order)
    for (Value v : graph.node(id).inputs) {
      std::int32_t made_in = group_of[static_cast<std::size_t>(v.node)];
      if (made_in >= 0 && made_in != group_of[static_cast<std::size_t>(id)]) needed_outside.insert(v);
    }
  GraphCopy copy(graph);
  for (NodeId id : order) {
    std::int32_t g = group_of[static_cast<std::size_t>(id)];
    if (g < 0) {
      copy.add(id, copy.moved(id));
      continue;
    }
    const Group& group = groups[static_cast<std::size_t>(g)];
    if (id != group.root()) continue;
    Outlined function = outlined(graph, group, needed_outside, function_name + "_" + std::to_string(g));
    if (inside)
      if (std::shared_ptr<Graph> changed = inside->run(*function.body)) function.body = changed;
    NodeId call = copy.to().add(call_node(graph, function, graph.node(id), copy, form));
    for (NodeId member : group.members) copy.replace_control(member, {call});
    for (std::size_t j = 0; j < function.outputs.size(); ++j)
      copy.replace_output(function.outputs[j], {call, static_cast<std::int32_t>(j)});
  }
  return copy.finish();
}

}  // namespace tracefn
