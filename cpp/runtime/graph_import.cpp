#include "runtime/graph_import.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/poll.h"
#include "ir/verify.h"
#include "ops/registry.h"
#include "runtime/call_shapes.h"
#include "runtime/function_import.h"
#include "runtime/node_import.h"

namespace tracefn {
namespace {

// The GraphDef version that we write, TensorFlow 2.21's.
constexpr std::int64_t kVersion = 2474;

void check_versions(const GraphRecord& file) {
  if (file.producer < 0)
    fail(ErrorKind::kValue, "GraphDef producer version ", file.producer,
         " below min producer 0 supported by tracefn.  Please regenerate your graph.");
  if (file.min_consumer > kVersion)
    fail(ErrorKind::kValue, "GraphDef min consumer version ", file.min_consumer, " above current version ", kVersion,
         " for tracefn.  Please upgrade tracefn.");
  if (std::count(file.bad_consumers.begin(), file.bad_consumers.end(), kVersion))
    fail(ErrorKind::kValue, "GraphDef disallows consumer version ", kVersion,
         ".  Please upgrade tracefn: this version is likely buggy.");
}

struct EndpointHash {
  std::size_t operator()(const Endpoint& e) const {
    return std::hash<std::string>{}(e.node) * 31 + static_cast<std::size_t>(e.output);
  }
};

class Importer {
 public:
  Importer(GraphTarget& target, const GraphRecord& file, const ImportRequest& request)
      : target_(target),
        file_(file),
        request_(request),
        functions_(file.functions, file.functions.empty() && !names_functions(file)
                                       ? std::unordered_map<std::string, std::shared_ptr<const Graph>>()
                                       : functions_of(*target.graph())) {}

  Imported run() {
    check_versions(file_);
    for (std::size_t i = 0; i < file_.nodes.size(); ++i) {
      const std::string& name = file_.nodes[i].name;
      if (!is_node_name(name, false))
        fail(ErrorKind::kValue, "Node '", name, "': Node name contains invalid characters");
      if (!indices_.emplace(name, i).second) fail(ErrorKind::kValue, "Node '", name, "' is not unique");
    }
    for (const auto& [from, to] : request_.input_map) map_.emplace(from, &to);
    for (const NodeRecord& node : file_.nodes) op_of_record(node);  // rejects the loops of TensorFlow 1 by their ops
    collect_scopes();
    std::vector<std::vector<std::size_t>> needs;
    for (const NodeRecord& node : file_.nodes) needs.push_back(needs_of(node));
    ids_.assign(file_.nodes.size(), -1);
    for (std::size_t i : order_by_needs(needs)) add(i);
    check_map();
    verify(*target_.graph());
    Imported imported;
    for (const Endpoint& wanted : request_.wanted) imported.wanted.push_back(find(wanted));
    return imported;
  }

 private:
  // Whether a node may name functions that the graph has.
  static bool names_functions(const GraphRecord& file) {
    return std::any_of(file.nodes.begin(), file.nodes.end(), [](const NodeRecord& node) {
      const OpDef* op = Registry::get().find(node.op);
      return op && op->has_function_attr;
    });
  }

  // Scopes of the nodes that existed before: no new node gets their names.
  void collect_scopes() {
    const Graph& graph = *target_.graph();
    for (NodeId id = 0; id < graph.size(); ++id) {
      const std::string& name = graph.node(id).name;
      for (std::size_t slash = name.rfind('/'); slash != std::string::npos && slash > 0;
           slash = name.rfind('/', slash - 1))
        if (!scopes_.insert(name.substr(0, slash)).second) break;
    }
  }

  std::string name_for(const std::string& name) const {
    const std::string base = request_.prefix.empty() ? name : request_.prefix + "/" + name;
    std::string unique = base;
    for (int i = 1; target_.graph()->find(unique) >= 0 || scopes_.contains(unique) ||
                    (i > 1 && request_.prefix.empty() && indices_.contains(unique));
         ++i)
      unique = base + "_" + std::to_string(i);
    return unique;
  }

  const Operand* mapped(const Endpoint& from) {
    auto found = map_.find(from);
    if (found == map_.end()) return nullptr;
    used_.insert(from);
    return found->second;
  }

  std::vector<std::size_t> needs_of(const NodeRecord& node) {
    std::vector<std::size_t> needs;
    for (const std::string& input : node.inputs) {
      const Endpoint from = endpoint(input);
      if (mapped(from)) continue;
      auto found = indices_.find(from.node);
      if (found == indices_.end()) fail(ErrorKind::kValue, "Node '", node.name, "': Unknown input node '", input, "'");
      needs.push_back(found->second);
    }
    return needs;
  }

  void add(std::size_t i) {
    poll();
    const NodeRecord& record = file_.nodes[i];
    const OpDef& op = op_of_record(record);
    AttrList attrs =
        attrs_of_record(record, op.signature, [this](const std::string& name) { return functions_.find(name); });
    Operands inputs;
    std::vector<NodeId> after;
    for (const std::string& input : record.inputs) {
      const Endpoint from = endpoint(input);
      if (from.output == Endpoint::kControl) {
        after.push_back(node_of(from));
      } else if (!after.empty()) {
        fail(ErrorKind::kValue, "Node '", record.name, "': Control dependencies must come after regular dependencies");
      } else {
        inputs.push_back(value_of(from, record.name));
      }
    }
    const std::string name = name_for(record.name);
    const std::span<const Operand> given(inputs.data(), inputs.size());
    check_inputs(op.signature, attrs, given, name);
    ids_[i] = add_node(target_, op, given, std::move(attrs), name, after, record);
    if (op.has_function_attr) refine_shapes(target_.graph()->node(ids_[i]));
  }

  // A call's results have the shapes that follow from its arguments.
  void refine_shapes(Node& node) {
    if (!node.is(OpKind::kCall)) return;
    Operands inputs;
    for (Value v : node.inputs) inputs.push_back(Operand(target_.shared_graph(), v));
    std::vector<Shape> shapes =
        call_shapes(*node.attr("f").func().body, std::span(inputs.data(), inputs.size()), target_);
    for (std::size_t j = 0; j < shapes.size(); ++j)
      if (Shape& known = node.outputs[j].shape; known.is_compatible_with(shapes[j])) known = merge(known, shapes[j]);
  }

  NodeId node_of(const Endpoint& from) {
    const Operand* instead = mapped(from);
    return instead ? target_.import(*instead, {}).value.node : ids_[indices_.at(from.node)];
  }

  Operand value_of(const Endpoint& from, const std::string& user) {
    if (const Operand* instead = mapped(from)) return *instead;
    const NodeId id = ids_[indices_.at(from.node)];
    const std::size_t n = target_.graph()->node(id).outputs.size();
    if (static_cast<std::size_t>(from.output) >= n)
      fail(ErrorKind::kValue, "Node '", user, "': Connecting to invalid output ", from.output, " of source node ",
           from.node, " which has ", n, " outputs.");
    return {target_.shared_graph(), {id, static_cast<std::int32_t>(from.output)}};
  }

  // Mapped values must be in the file, even if nothing uses them.
  void check_map() const {
    std::string missing;
    for (const auto& [from, to] : request_.input_map) {
      if (used_.contains(from)) continue;
      auto found = indices_.find(from.node);
      if (found != indices_.end() &&
          from.output < static_cast<std::int64_t>(target_.graph()->node(ids_[found->second]).outputs.size()))
        continue;
      missing += missing.empty() ? "" : ", ";
      missing += from.output == Endpoint::kControl ? "^" + from.node : concat(from.node, ":", from.output);
    }
    if (!missing.empty())
      fail(ErrorKind::kValue, "Attempted to map inputs that were not found in graph_def: [", missing, "]");
  }

  std::variant<Operand, NodeId> find(const Endpoint& wanted) {
    auto found = indices_.find(wanted.node);
    if (wanted.output == Endpoint::kControl) {
      if (found == indices_.end())
        fail(ErrorKind::kValue, "Requested return node '", wanted.node, "' not found in graph def");
      return ids_[found->second];
    }
    if (const Operand* instead = mapped(wanted)) return *instead;
    if (found == indices_.end())
      fail(ErrorKind::kValue, "Requested return tensor '", wanted.node, ":", wanted.output, "' not found in graph def");
    const NodeId id = ids_[found->second];
    const std::size_t n = target_.graph()->node(id).outputs.size();
    if (wanted.output < 0 || static_cast<std::size_t>(wanted.output) >= n)
      fail(ErrorKind::kValue, "Invalid return output ", wanted.output, " of node '", wanted.node, "', which has ", n,
           " output(s)");
    return Operand(target_.shared_graph(), {id, static_cast<std::int32_t>(wanted.output)});
  }

  GraphTarget& target_;
  const GraphRecord& file_;
  const ImportRequest& request_;
  FunctionBodies functions_;
  std::unordered_map<std::string, std::size_t> indices_;
  std::vector<NodeId> ids_;
  std::unordered_map<Endpoint, const Operand*, EndpointHash> map_;
  std::unordered_set<Endpoint, EndpointHash> used_;
  std::unordered_set<std::string> scopes_;
};

}  // namespace

Endpoint endpoint(const std::string& text) {
  if (text.starts_with('^')) return {text.substr(1), Endpoint::kControl};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size() || text.size() - colon > 10) return {text, 0};
  std::int64_t output = 0;
  for (char c : text.substr(colon + 1)) {
    if (c < '0' || c > '9') return {text, 0};
    output = output * 10 + (c - '0');
  }
  return {text.substr(0, colon), output};
}

Imported import_graph(GraphTarget& target, const GraphRecord& file, const ImportRequest& request) {
  try {
    return Importer(target, file, request).run();
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kInvalidArgument || e.cause()) throw;
    fail(ErrorKind::kValue, e.message());  // as TensorFlow does
  }
}

}  // namespace tracefn
