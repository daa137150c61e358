// Builds graphs and their names.
#include "ir/graph.h"

#include <algorithm>
#include <atomic>

#include "base/check.h"

namespace tracefn {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace

const Attr& Node::attr(std::string_view attr_name) const {
  int i = op->attr_index(attr_name);
  TRACEFN_CHECK(i >= 0);
  return attrs[static_cast<std::size_t>(i)];
}

std::shared_ptr<Derived::Kept> Derived::find_by(const void* type) const {
  std::lock_guard lock(mutex_);
  for (const auto& [known, value] : kept_)
    if (known == type) return value;
  return nullptr;
}

std::shared_ptr<Derived::Kept> Derived::keep_by(const void* type, std::shared_ptr<Kept> value) const {
  std::lock_guard lock(mutex_);
  for (const auto& [known, first] : kept_)
    if (known == type) return first;
  return kept_.emplace_back(type, std::move(value)).second;
}

void Derived::visit_owned(OwnedVisitor& visitor) const {
  std::lock_guard lock(mutex_);
  for (const auto& [type, value] : kept_) visitor.shared(value);
}

Graph::Graph(std::string name) : name_(std::move(name)), lineage_(next_lineage()) {}
Graph::Graph(const Graph& other) = default;
Graph& Graph::operator=(const Graph& other) = default;
Graph::~Graph() = default;

std::string Graph::value_name(Value v) const { return node(v.node).name + ":" + std::to_string(v.output); }

NodeId Graph::add(Node node) {
  nodes_.push_back(std::move(node));
  return size() - 1;
}

NodeId Graph::insert(Node node, NodeId at) {
  NodeId id = add(std::move(node));
  inserted_.emplace_back(id, at);
  return id;
}

std::vector<NodeId> Graph::order() const {
  std::vector<NodeId> order;
  order.reserve(nodes_.size());
  if (inserted_.empty()) {
    for (NodeId id = 0; id < size(); ++id) order.push_back(id);
    return order;
  }
  std::unordered_map<NodeId, std::vector<NodeId>> before;
  std::unordered_map<NodeId, bool> moved;
  for (auto [id, at] : inserted_) {
    before[at].push_back(id);
    moved[id] = true;
  }
  // Nodes inserted before an inserted node go first; such chains are as short as loops are nested.
  auto place = [&](auto&& self, NodeId id) -> void {
    if (auto found = before.find(id); found != before.end())
      for (NodeId earlier : found->second) self(self, earlier);
    order.push_back(id);
  };
  for (NodeId id = 0; id < size(); ++id)
    if (!moved.contains(id)) place(place, id);
  return order;
}

void Graph::visit_owned(OwnedVisitor& visitor) const {
  for (const Node& node : nodes_) {
    visitor.counted(node.gradient);
    for (const Attr& attr : node.attrs) attr.visit_owned(visitor);
  }
  derived_.visit_owned(visitor);
}

std::int64_t Graph::next_lineage() {
  static std::atomic<std::int64_t> last{0};
  return ++last;
}

NodeId NameIndex::find(const std::deque<Node>& nodes, std::string_view name) const {
  std::lock_guard lock(mutex_);
  for (; static_cast<std::size_t>(indexed_) < nodes.size(); ++indexed_)
    by_name_.emplace(nodes[static_cast<std::size_t>(indexed_)].name, indexed_);
  auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? -1 : found->second;
}

NodeId Graph::find(std::string_view name) const { return names_.find(nodes_, name); }

std::string Graph::unique_name(const std::string& base) {
  std::string key = lower(base);
  auto [entry, fresh] = used_names_.try_emplace(key, 0);
  int& next = entry->second;  // stays valid, whatever else is added
  // Every enclosing scope is taken too: with a node "a/b" there is no node "a".
  for (std::size_t slash = key.rfind('/'); slash != std::string::npos && slash > 0; slash = key.rfind('/', slash - 1))
    if (!used_names_.try_emplace(key.substr(0, slash), 0).second) break;
  if (fresh) return base;
  for (;;) {
    std::string suffix = "_" + std::to_string(++next);
    if (used_names_.try_emplace(key + suffix, 0).second) return base + suffix;
  }
}

std::string Graph::next_unique_name(const std::string& base) const {
  std::string key = lower(base);
  auto entry = used_names_.find(key);
  if (entry == used_names_.end()) return base;
  for (int next = entry->second + 1;; ++next) {
    std::string suffix = "_" + std::to_string(next);
    if (!used_names_.contains(key + suffix)) return base + suffix;
  }
}

std::vector<NodeId> live_nodes(const Graph& graph) {
  std::vector<char> live(static_cast<std::size_t>(graph.size()), 0);
  std::vector<NodeId> stack;
  auto mark = [&](NodeId id) {
    if (!live[static_cast<std::size_t>(id)]) {
      live[static_cast<std::size_t>(id)] = 1;
      stack.push_back(id);
    }
  };
  for (Value v : graph.outputs) mark(v.node);
  for (NodeId id : graph.control_outputs) mark(id);
  while (!stack.empty()) {
    const Node& node = graph.node(stack.back());
    stack.pop_back();
    for (Value v : node.inputs) mark(v.node);
    for (NodeId id : node.control_inputs) mark(id);
  }
  std::vector<NodeId> order;
  for (NodeId id : graph.order())
    if (live[static_cast<std::size_t>(id)]) order.push_back(id);
  return order;
}

}  // namespace tracefn
