// Readable text of a graph.
#include <map>
#include <set>

#include "base/error.h"
#include "ir/graph.h"

namespace tracefn {
namespace {

std::string line_of(const Graph& graph, NodeId id, bool with_sources) {
  const Node& node = graph.node(id);
  std::string out = concat("%", id, " ", node.name, " = ", node.op->name);
  std::string attrs;
  for (std::size_t i = 0; i < node.attrs.size(); ++i) {
    if (!node.attrs[i].has_value()) continue;
    attrs += concat(attrs.empty() ? "" : ", ", node.op->attrs[i].name, "=", node.attrs[i].text());
  }
  if (!attrs.empty()) out += "[" + attrs + "]";
  out += "(";
  std::string separator;
  for (Value v : node.inputs) {
    out += separator + graph.value_name(v);
    separator = ", ";
  }
  for (NodeId c : node.control_inputs) {
    out += separator + "^" + graph.node(c).name;
    separator = ", ";
  }
  out += ")";
  separator = " : ";
  for (const OutputInfo& info : node.outputs) {
    out += concat(separator, name(info.dtype), info.shape.text());
    separator = ", ";
  }
  if (with_sources && node.source) {
    auto frames = node.source->frames();
    if (!frames.empty()) out += concat("   # ", frames.back().file, ":", frames.back().line, " ", frames.back().text);
  }
  return out;
}

void print_graph(const Graph& graph, bool with_sources, const std::string& indent, std::set<const Graph*>& seen,
                 std::string& out) {
  out += indent + "graph " + graph.name() + "(";
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) out += concat(i ? ", " : "", graph.value_name(graph.inputs[i]));
  out += ") -> (";
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    out += concat(i ? ", " : "", graph.value_name(graph.outputs[i]));
  out += ")\n";
  std::vector<std::shared_ptr<const Graph>> bodies;
  for (NodeId id : graph.order()) {
    out += indent + "  " + line_of(graph, id, with_sources) + "\n";
    for (const Attr& attr : graph.node(id).attrs) {
      if (attr.kind() == Attr::Kind::kFunc) bodies.push_back(attr.func().body);
      if (attr.kind() == Attr::Kind::kFuncs)
        for (const FuncRef& f : attr.funcs()) bodies.push_back(f.body);
    }
  }
  for (const auto& body : bodies)
    if (body && seen.insert(body.get()).second) print_graph(*body, with_sources, indent + "    ", seen, out);
}

}  // namespace

std::string print(const Graph& graph, bool with_sources) {
  std::string out;
  std::set<const Graph*> seen;
  print_graph(graph, with_sources, "", seen, out);
  return out;
}

std::string node_text(const Graph& graph, const Node& node) {
  std::map<std::string_view, const Attr*> attrs;
  for (std::size_t i = 0; i < node.attrs.size(); ++i)
    if (node.attrs[i].has_value()) attrs.emplace(node.op->attrs[i].name, &node.attrs[i]);
  std::string out = concat("{{node ", node.name, "}} = ", node.op->name, "[");
  std::string separator;
  for (auto& [name, attr] : attrs) {
    out += concat(separator, name, "=", attr->text());
    separator = ", ";
  }
  if (!node.device.empty()) out += concat(separator, "_device=\"", node.device, "\"");
  out += "](";
  separator.clear();
  for (Value v : node.inputs) {
    out += separator + (v.output ? graph.value_name(v) : graph.node(v.node).name);
    separator = ", ";
  }
  for (NodeId c : node.control_inputs) {
    out += separator + "^" + graph.node(c).name;
    separator = ", ";
  }
  return out + ")";
}

}  // namespace tracefn
