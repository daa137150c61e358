// NodeDef, FunctionDef and GraphDef.
#include "io/graph_def.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/function_library.h"
#include "ir/named_gradient.h"

namespace tracefn {
namespace {

// The GraphDef version of TensorFlow 2.21, and the oldest reader that understands a library of functions.
constexpr std::int64_t kProducer = 2474;
constexpr std::int64_t kMinConsumer = 12;

// The order of a map's entries in TensorFlow's text: descending, but a name before its extensions.
struct EntryOrder {
  bool operator()(const std::string& a, const std::string& b) const {
    int order = a.compare(0, std::min(a.size(), b.size()), b, 0, std::min(a.size(), b.size()));
    return order != 0 ? order > 0 : a.size() < b.size();
  }
};
using AttrMap = std::map<std::string, Attr, EntryOrder>;

void write_attrs(Message& to, int number, const AttrMap& attrs) {
  for (const auto& [name, attr] : attrs) {
    Message& entry = to.add_message(number, "attr");
    entry.add_text(1, "key", name);
    write_attr(entry.add_message(2, "value"), attr);
  }
}

AttrMap attrs_of(const Node& node) {
  AttrMap attrs;
  for (std::size_t i = 0; i < node.attrs.size(); ++i) {
    if (node.attrs[i].has_value()) attrs.emplace(node.op->attrs[i].name, node.attrs[i]);
  }
  if (const auto* rule = dynamic_cast<const NamedGradient*>(node.gradient.get()); rule && !rule->name().empty())
    attrs.emplace(kGradientName, Attr(rule->name()));
  return attrs;
}

std::unordered_set<NodeId> arguments_of(const Graph& graph) {
  std::unordered_set<NodeId> arguments;
  for (Value v : graph.inputs) arguments.insert(v.node);
  return arguments;
}

template <typename InputText>
void write_node(Message& to, const Graph& graph, const Node& node, const AttrMap& attrs, InputText input_text) {
  to.add_text(1, "name", node.name);
  to.add_text(2, "op", node.op->name);
  for (Value v : node.inputs) to.add_text(3, "input", input_text(v));
  for (NodeId c : node.control_inputs) to.add_text(3, "input", "^" + graph.node(c).name);
  if (!node.device.empty()) to.add_text(4, "device", node.device);
  write_attrs(to, 5, attrs);
}

// A node outside of functions: inputs are named as "node" or "node:1".
void write_graph_node(Message& to, const Graph& graph, NodeId id, bool is_argument) {
  const Node& node = graph.node(id);
  AttrMap attrs = attrs_of(node);
  if (is_argument) attrs.emplace("_user_specified_name", Attr(node.name));
  write_node(to, graph, node, attrs, [&](Value v) { return v.output ? graph.value_name(v) : graph.node(v.node).name; });
}

// "output:0": the declared output that has output `index` as an element.
std::string output_of_signature(const Node& node, std::int32_t index) {
  std::int64_t left = index;
  for (const ArgDef& arg : node.op->outputs) {
    std::int64_t n = 1;
    if (!arg.type_list_attr.empty()) {
      n = static_cast<std::int64_t>(node.attr(arg.type_list_attr).types().size());
    } else if (!arg.number_attr.empty()) {
      n = node.attr(arg.number_attr).i();
    }
    if (left < n) return arg.name + ":" + std::to_string(left);
    left -= n;
  }
  fail(ErrorKind::kInternal, "node ", node.name, " has no output ", index);
}

// Unique names of arguments and results: lower case, letters, digits and underscores.
class ArgNames {
 public:
  std::string make(const std::string& from) {
    std::string name;
    for (char c : from) {
      unsigned char u = static_cast<unsigned char>(c);
      name += std::isalnum(u) ? static_cast<char>(std::tolower(u)) : '_';
    }
    std::size_t start = 0;
    while (start < name.size() && !std::isalpha(static_cast<unsigned char>(name[start]))) ++start;
    name = start == name.size() ? "unknown" : name.substr(start);
    std::string unique = name;
    for (int i = 1; !used_.insert(unique).second; ++i) unique = name + "_" + std::to_string(i);
    return unique;
  }

 private:
  std::unordered_set<std::string> used_;
};

void write_arg_attr(Message& to, std::size_t index, const Node& node) {
  Message& entry = to.add_message(7, "arg_attr");
  entry.add_int(1, "key", static_cast<std::int64_t>(index));
  AttrMap attrs;
  attrs.emplace("_user_specified_name", Attr(node.name));
  if (node.outputs[0].shape.has_rank())
    attrs.emplace("_output_shapes", Attr(std::vector<Shape>{node.outputs[0].shape}));
  write_attrs(entry.add_message(2, "value"), 1, attrs);
}

// By node: whether it is a leftover in a backward graph: a placeholder that is not an argument, because its value is
// rematerialized there, or a node that reads one. Nothing needs it.
std::vector<char> left_over(const Graph& body) {
  std::vector<char> argument(static_cast<std::size_t>(body.size()), 0), found = argument;
  for (Value v : body.inputs) argument[static_cast<std::size_t>(v.node)] = 1;
  for (NodeId id : body.order()) {
    const Node& node = body.node(id);
    auto at = static_cast<std::size_t>(id);
    found[at] = node.is(OpKind::kPlaceholder) && !argument[at];
    for (Value v : node.inputs) found[at] |= found[static_cast<std::size_t>(v.node)];
  }
  return found;
}

void write_function(Message& to, const Graph& body, const std::string& name) {
  ArgNames input_names, output_names;
  std::unordered_map<NodeId, std::string> inputs;
  Message& s = to.add_message(1, "signature");
  s.add_text(1, "name", name);
  for (Value v : body.inputs) {
    const std::string& made = inputs[v.node] = input_names.make(body.node(v.node).name);
    Message& arg = s.add_message(2, "input_arg");
    arg.add_text(1, "name", made);
    write_dtype(arg, 3, "type", body.info(v).dtype);
  }
  std::vector<std::string> outputs;
  for (Value v : body.outputs) {
    outputs.push_back(output_names.make(body.node(v.node).name));
    Message& arg = s.add_message(3, "output_arg");
    arg.add_text(1, "name", outputs.back());
    write_dtype(arg, 3, "type", body.info(v).dtype);
  }
  bool stateful = false;
  for (NodeId id = 0; id < body.size(); ++id) stateful |= body.node(id).op->stateful;
  if (stateful) s.add_bool(17, "is_stateful", true);
  for (NodeId c : body.control_outputs) s.add_text(20, "control_output", body.node(c).name);

  auto value_text = [&](Value v) {
    if (auto found = inputs.find(v.node); found != inputs.end()) return found->second;
    return body.node(v.node).name + ":" + output_of_signature(body.node(v.node), v.output);
  };
  const std::vector<char> dropped = left_over(body);
  for (NodeId id : body.order())
    if (!inputs.count(id) && !dropped[static_cast<std::size_t>(id)])
      write_node(to.add_message(3, "node_def"), body, body.node(id), attrs_of(body.node(id)), value_text);
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    Message& entry = to.add_message(4, "ret");
    entry.add_text(1, "key", outputs[j]);
    entry.add_text(2, "value", value_text(body.outputs[j]));
  }
  for (std::size_t i = 0; i < body.inputs.size(); ++i) write_arg_attr(to, i, body.node(body.inputs[i].node));
  for (NodeId c : body.control_outputs) {
    Message& entry = to.add_message(6, "control_ret");
    entry.add_text(1, "key", body.node(c).name);
    entry.add_text(2, "value", body.node(c).name);
  }
}

VersionDef versions_with(const FunctionLibrary& library) {
  return {kProducer, library.functions().empty() ? 0 : kMinConsumer};
}

void write_versions(Message& to, const VersionDef& versions) {
  to.add_int(1, "producer", versions.producer);
  if (versions.min_consumer != 0) to.add_int(2, "min_consumer", versions.min_consumer);
}

}  // namespace

Message VersionDef::message() const {
  Message def;
  write_versions(def, *this);
  return def;
}

VersionDef version_def(const Graph& graph) { return versions_with(FunctionLibrary(graph)); }

Message function_def(const Graph& body, const std::string& name) {
  Message def;
  write_function(def, body, name);
  return def;
}

Message node_def(const Graph& graph, NodeId id) {
  Message def;
  write_graph_node(def, graph, id, arguments_of(graph).count(id) > 0);
  return def;
}

Message graph_def(const Graph& graph) {
  Message def;
  std::unordered_set<NodeId> arguments = arguments_of(graph);
  for (NodeId id : graph.order()) write_graph_node(def.add_message(1, "node"), graph, id, arguments.count(id) > 0);
  FunctionLibrary library(graph);
  if (!library.functions().empty()) {
    Message& to = def.add_message(2, "library");
    for (const FuncRef& f : library.functions()) write_function(to.add_message(1, "function"), *f.body, f.name);
  }
  write_versions(def.add_message(4, "versions"), versions_with(library));
  return def;
}

}  // namespace tracefn
