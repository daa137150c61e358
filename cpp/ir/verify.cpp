// Checks graphs, node by node.
#include "ir/verify.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/attr_rules.h"
#include "ir/functions_of.h"

namespace tracefn {
namespace {

class Verifier {
 public:
  Verifier(const Graph& graph, std::set<const Graph*>& seen, std::string_view made_by)
      : graph_(graph), seen_(seen), made_by_(made_by) {}

  void run() {
    std::unordered_set<std::string_view> names;
    std::vector<NodeId> order = graph_.order();
    for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
    for (NodeId id : order) {
      id_ = id;
      const Node& n = node();
      require(n.op != nullptr, "has no op");
      require(!n.name.empty() && names.insert(n.name).second, "has no name of its own");
      check_edges();
      check_attrs();
      check_dtypes(input_dtypes(*n.op, n.attrs), n.inputs.size(), "input",
                   [&](std::size_t i) { return graph_.info(n.inputs[i]).dtype; });
      check_dtypes(output_dtypes(*n.op, n.attrs), n.outputs.size(), "output",
                   [&](std::size_t j) { return n.outputs[j].dtype; });
    }
    check_ends();
  }

 private:
  const Node& node() const { return graph_.node(id_); }

  template <typename... What>
  void require(bool holds, const What&... what) const {
    if (holds) return;
    fail(ErrorKind::kInternal, made_by_.empty() ? "" : concat("after the pass ", made_by_, ": "), "graph '",
         graph_.name(), "', node %", id_, " ", id_ < graph_.size() ? node().name : std::string(), ": ", what...);
  }

  bool is_earlier(NodeId other) const {
    auto found = place_.find(other);
    return found != place_.end() && found->second < place_.at(id_);
  }

  void check_edges() const {
    for (Value v : node().inputs) {
      require(is_earlier(v.node), "an input comes from node %", v.node, ", which is not an earlier one");
      require(v.output >= 0 && static_cast<std::size_t>(v.output) < graph_.node(v.node).outputs.size(),
              "an input is output ", v.output, " of ", graph_.node(v.node).name, ", which has none of that number");
    }
    for (NodeId c : node().control_inputs)
      require(is_earlier(c), "a control input is node %", c, ", which is not an earlier one");
  }

  void check_attrs() {
    const OpSignature& op = *node().op;
    require(node().attrs.size() == op.attrs.size(), "has ", node().attrs.size(), " attributes, ", op.name, " has ",
            op.attrs.size());
    for (std::size_t i = 0; i < op.attrs.size(); ++i) {
      const Attr& attr = node().attrs[i];
      // An object of the host language replaces the string by which TensorFlow would look it up.
      if (attr.kind() == Attr::Kind::kHost && op.attrs[i].kind == Attr::Kind::kString) continue;
      require(attr.kind() == op.attrs[i].kind, "attribute ", op.attrs[i].name, " is missing or of another kind");
      check_allowed(op.attrs[i], attr);
    }
    check_bodies();
    const std::string broken = broken_attr_rule(op, node().attrs);
    require(broken.empty(), broken);
  }

  void check_allowed(const AttrDef& def, const Attr& attr) const {
    auto is_allowed = [](const auto& list, const auto& value) {
      return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
    };
    auto check = [&](DType type) {
      require(is_dtype(slot(type)) && is_allowed(def.allowed_types, type), "attribute ", def.name, " is ", name(type),
              ", which is none of those allowed");
    };
    if (attr.kind() == Attr::Kind::kType) check(attr.type());
    if (attr.kind() == Attr::Kind::kTypes)
      for (DType type : attr.types()) check(type);
    if (attr.kind() == Attr::Kind::kString)
      require(is_allowed(def.allowed_strings, attr.s()), "attribute ", def.name, " is '", attr.s(),
              "', which is none of those allowed");
  }

  template <typename Wanted, typename Got>
  void check_dtypes(const Wanted& wanted, std::size_t n, std::string_view what, Got got) const {
    require(wanted.size() == n, what, "s: ", n, " instead of ", wanted.size());
    for (std::size_t i = 0; i < n; ++i)
      require(got(i) == wanted[i], what, " ", i, " is ", name(got(i)), " instead of ", name(wanted[i]));
  }

  void check_bodies() {
    for_each_function(node().attrs, [this](const FuncRef& f) { check_body(f); });
  }

  void check_body(const FuncRef& f) {
    require(f.body != nullptr, "function ", f.name, " has no graph");
    if (seen_.insert(f.body.get()).second) Verifier(*f.body, seen_, made_by_).run();
  }

  void check_ends() const {
    std::unordered_set<NodeId> inputs;
    for (Value v : graph_.inputs) {
      require(v.node >= 0 && v.node < graph_.size() && v.output == 0, "an argument of the graph is no node's output");
      require(graph_.node(v.node).inputs.empty() && inputs.insert(v.node).second, "argument ", graph_.value_name(v),
              " has inputs, or stands twice");
    }
    for (Value v : graph_.outputs)
      require(v.node >= 0 && v.node < graph_.size() && v.output >= 0 &&
                  static_cast<std::size_t>(v.output) < graph_.node(v.node).outputs.size(),
              "a result of the graph is no node's output");
    for (NodeId c : graph_.control_outputs)
      require(c >= 0 && c < graph_.size(), "a control output of the graph is no node");
  }

  const Graph& graph_;
  std::set<const Graph*>& seen_;
  const std::string_view made_by_;
  NodeId id_ = 0;
  std::unordered_map<NodeId, std::size_t> place_;
};

}  // namespace

void verify(const Graph& graph, std::string_view made_by) {
  std::set<const Graph*> seen{&graph};
  Verifier(graph, seen, made_by).run();
}

}  // namespace tracefn
