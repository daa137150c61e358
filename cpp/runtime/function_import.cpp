// Converts FunctionDefs to graphs.
#include "runtime/function_import.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_set>

#include "base/error.h"
#include "base/poll.h"
#include "io/graph_def.h"
#include "ir/functions_of.h"
#include "ops/build.h"
#include "ops/gradient.h"
#include "ops/node_kinds.h"
#include "ops/registry.h"
#include "runtime/node_import.h"

namespace tracefn {
namespace {

// Nesting limit of functions that call functions: building, checking and running bodies recurses.
constexpr std::size_t kMostNested = 64;

constexpr const char* kInFunction = "\n\t in function '";

[[noreturn]] void refuse_different(const std::string& name) {
  fail(ErrorKind::kValue, "Cannot add function '", name,
       "' because a different function with the same name already exists.");
}

// Where the operands of a node's bodies begin among its inputs; nothing for ops that hand their operands on otherwise.
std::optional<std::size_t> first_operand(OpKind kind) {
  if (kind == OpKind::kConditional || kind == OpKind::kCase) return 1;
  if (kind == OpKind::kLoop || kind == OpKind::kCall) return 0;
  return std::nullopt;
}

// Notes which variables a handle stands for, unless that is known.
void note_variable(OutputInfo& handle, DType dtype, const Shape& shape) {
  if (handle.dtype != DType::kResource || handle.handle_dtype != DType::kInvalid) return;
  handle.handle_dtype = dtype;
  handle.handle_shape = shape;
}

// The handles that a loop hands on are those that it was given, if its body returns them in their places.
void note_results(const Graph& graph, Node& loop) {
  const Graph* body = loop.attr("body").func().body.get();
  if (!body) return;
  const std::size_t count =
      std::min({loop.inputs.size(), loop.outputs.size(), body->inputs.size(), body->outputs.size()});
  for (std::size_t j = 0; j < count; ++j) {
    if (behind_identity(*body, body->outputs[j]) != body->inputs[j]) continue;
    const OutputInfo& given = graph.info(loop.inputs[j]);
    note_variable(loop.outputs[j], given.handle_dtype, given.handle_shape);
  }
}

class BodyMaker {
 public:
  BodyMaker(const FunctionRecord& record, FunctionBodies& bodies)
      : record_(record), bodies_(bodies), graph_(std::make_shared<Graph>(record.name)), target_(graph_) {}

  std::shared_ptr<const Graph> run() {
    if (record_.has_attrs) fail("its types are given by attributes of its own, which is not supported");
    add_arguments();
    std::vector<std::vector<std::size_t>> needs;
    for (std::size_t i = 0; i < record_.nodes.size(); ++i) index(i);
    for (const NodeRecord& node : record_.nodes) needs.push_back(needs_of(node));
    for (std::size_t i : order_by_needs(needs)) add(i);
    bodies_.hand_down(*graph_);
    add_results();
    add_effects();
    return graph_;
  }

 private:
  struct Source {
    std::string node;    // or an argument
    std::string output;  // empty: the node is an argument
    std::int64_t index = 0;
    bool control = false;
  };

  template <typename... What>
  [[noreturn]] void fail(const What&... what) const {
    tracefn::fail(ErrorKind::kValue, what...);
  }

  // "argument", "node:output:0", "node:output", "^node".
  Source source(const std::string& text) const {
    Source source;
    if (text.starts_with('^')) return {.node = text.substr(1), .output = {}, .index = 0, .control = true};
    const std::size_t colon = text.find(':');
    source.node = text.substr(0, colon);
    if (colon == std::string::npos || arguments_.contains(source.node)) return source;
    const std::size_t second = text.find(':', colon + 1);
    source.output = text.substr(colon + 1, second == std::string::npos ? second : second - colon - 1);
    if (second != std::string::npos) {
      const char* end = text.data() + text.size();
      auto [rest, error] = std::from_chars(text.data() + second + 1, end, source.index);
      if (error != std::errc() || rest != end || source.index < 0) fail("Input '", text, "' is not of a known form");
    }
    return source;
  }

  void add_arguments() {
    static const OpDef& op = Registry::get().at("Placeholder");
    for (const FunctionRecord::Arg& arg : record_.inputs) {
      if (!arg.problem.empty()) fail("argument '", arg.name, "': ", arg.problem);
      claim(arg.name);
      AttrList attrs(op.signature.attrs.size());
      attrs[static_cast<std::size_t>(op.signature.attr_index("dtype"))] = arg.type;
      // The file's shapes are not trusted.
      attrs[static_cast<std::size_t>(op.signature.attr_index("shape"))] = Shape::unknown();
      const NodeId id = add_node(target_, op, {}, std::move(attrs), arg.name, {}, {});
      values_[arg.name] = id;
      arguments_.insert(arg.name);
      graph_->inputs.push_back({id, 0});
    }
  }

  void claim(const std::string& name) {
    if (!is_node_name(name, true)) fail("Node '", name, "': Node name contains invalid characters");
    if (!names_.insert(name).second) fail("Node '", name, "' is not unique");
  }

  void index(std::size_t i) {
    claim(record_.nodes[i].name);
    indices_[record_.nodes[i].name] = i;
  }

  std::vector<std::size_t> needs_of(const NodeRecord& node) const {
    std::vector<std::size_t> needs;
    for (const std::string& input : node.inputs) {
      const Source from = source(input);
      if (auto found = indices_.find(from.node); found != indices_.end()) {
        needs.push_back(found->second);
      } else if (!arguments_.contains(from.node)) {
        fail("Node '", node.name, "': Unknown input node '", input, "'");
      }
    }
    return needs;
  }

  // The value of a source that is not a control edge; its node is in the graph already.
  Value value(const Source& from, const std::string& text) const {
    auto found = values_.find(from.node);
    if (found == values_.end()) fail("there is no node '", from.node, "', of which '", text, "' is an output");
    const Node& node = graph_->node(found->second);
    if (from.output.empty()) {
      if (indices_.contains(from.node)) fail("'", text, "' does not say which output of the node it is");
      return {found->second, 0};
    }
    std::int64_t first = 0;
    for (const ArgDef& arg : node.op->outputs) {
      std::int64_t n = 1;
      if (!arg.type_list_attr.empty()) {
        n = static_cast<std::int64_t>(node.attr(arg.type_list_attr).types().size());
      } else if (!arg.number_attr.empty()) {
        n = node.attr(arg.number_attr).i();
      }
      if (arg.name == from.output) {
        if (from.index >= n) fail("'", text, "': ", node.op->name, " has ", n, " outputs '", arg.name, "'");
        return {found->second, static_cast<std::int32_t>(first + from.index)};
      }
      first += n;
    }
    fail("'", text, "': ", node.op->name, " has no output '", from.output, "'");
  }

  void add(std::size_t i) {
    poll();
    const NodeRecord& record = record_.nodes[i];
    const OpDef& op = op_of_record(record);
    AttrList attrs =
        attrs_of_record(record, op.signature, [this](const std::string& name) { return bodies_.find(name); });
    Operands inputs;
    std::vector<NodeId> after;
    for (const std::string& input : record.inputs) {
      const Source from = source(input);
      if (from.control) {
        after.push_back(values_.at(from.node));
      } else if (!after.empty()) {
        fail("Node '", record.name, "': Control dependencies must come after regular dependencies");
      } else {
        inputs.push_back(Operand(graph_, value(from, input)));
      }
    }
    const std::span<const Operand> given(inputs.data(), inputs.size());
    check_inputs(op.signature, attrs, given, record.name);
    note_variables(op, attrs, given);
    values_[record.name] = add_node(target_, op, given, std::move(attrs), record.name, after, record);
  }

  // Which arguments are variables of which dtype: the file does not say, but who reads them does, here or in a body.
  void note_variables(const OpDef& op, const AttrList& attrs, std::span<const Operand> inputs) {
    if (op.facts.reads_variable) {
      const Attr& dtype = attrs[static_cast<std::size_t>(op.signature.attr_index("dtype"))];
      return note(inputs[0].value, dtype.type(), Shape::unknown());
    }
    const std::optional<std::size_t> first = first_operand(op.signature.kind);
    if (!first) return;
    inputs = inputs.subspan(*first);
    for_each_function(attrs, [&](const FuncRef& f) {
      if (!f.body) return;
      for (std::size_t i = 0; i < std::min(inputs.size(), f.body->inputs.size()); ++i) {
        const OutputInfo& known = f.body->info(f.body->inputs[i]);
        note(inputs[i].value, known.handle_dtype, known.handle_shape);
      }
    });
  }
  void note(Value handle, DType dtype, const Shape& shape) { note_variable(graph_->info(handle), dtype, shape); }

  template <typename Pairs>
  static const std::string* find_result(const Pairs& pairs, const std::string& name) {
    for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair)
      if (pair->first == name) return &pair->second;
    return nullptr;
  }

  void add_results() {
    for (const FunctionRecord::Arg& output : record_.outputs) {
      if (!output.problem.empty()) fail("result '", output.name, "': ", output.problem);
      const std::string* text = find_result(record_.results, output.name);
      if (!text) fail("Return value '", output.name, "' is missing");
      Value result = value(source(*text), *text);
      if (graph_->info(result).dtype != output.type)
        fail("Return value '", output.name, "' is declared as ", runtime_name(output.type), " and is ",
             runtime_name(graph_->info(result).dtype));
      if (std::count(graph_->inputs.begin(), graph_->inputs.end(), result)) {
        // As in traced graphs, where no argument is a result itself.
        TargetScope scope(target_);
        const OutputInfo info = graph_->info(result);
        result = emit1("Identity", {Operand(graph_, result)}).value;
        graph_->info(result) = info;
      }
      graph_->outputs.push_back(result);
    }
  }

  void add_effects() {
    std::vector<char> runs(static_cast<std::size_t>(graph_->size()), 0);
    for (const auto& [name, node] : record_.control_results) {
      auto found = values_.find(node);
      if (found == values_.end()) fail("there is no node '", node, "', which is to run");
      runs[static_cast<std::size_t>(found->second)] = 1;
    }
    for (NodeId id = 0; id < graph_->size(); ++id)
      if (runs[static_cast<std::size_t>(id)] || graph_->node(id).op->stateful) graph_->control_outputs.push_back(id);
  }

  const FunctionRecord& record_;
  FunctionBodies& bodies_;
  std::shared_ptr<Graph> graph_;
  GraphTarget target_;
  std::unordered_set<std::string> names_, arguments_;
  std::unordered_map<std::string, NodeId> values_;  // those already in the graph
  std::unordered_map<std::string, std::size_t> indices_;
};

}  // namespace

FunctionBodies::FunctionBodies(std::span<const FunctionRecord> records,
                               std::unordered_map<std::string, std::shared_ptr<const Graph>> known)
    : known_(std::move(known)) {
  for (const FunctionRecord& record : records)
    if (auto [entry, fresh] = records_.emplace(record.name, &record); !fresh && entry->second->bytes != record.bytes)
      refuse_different(record.name);
}

FuncRef FunctionBodies::find(const std::string& name) {
  if (auto found = made_.find(name); found != made_.end()) return {name, found->second};
  auto known = known_.find(name);
  auto record = records_.find(name);
  if (record == records_.end()) {
    if (known != known_.end()) return {name, known->second};
    tracefn::fail(ErrorKind::kNotFound, "Function ", name, " is not defined: the GraphDef's library does not have it.");
  }
  std::shared_ptr<const Graph> body = make(*record->second);
  if (known != known_.end()) {
    if (function_def(*body, name).binary() != function_def(*known->second, name).binary()) refuse_different(name);
    body = known->second;
  }
  made_.emplace(name, body);
  return {name, body};
}

std::shared_ptr<const Graph> FunctionBodies::make(const FunctionRecord& record) {
  if (std::count(being_made_.begin(), being_made_.end(), record.name))
    tracefn::fail(ErrorKind::kUnimplemented, "Function '", record.name,
                  "' calls itself, by way of others or directly, which is not supported.");
  if (being_made_.size() >= kMostNested)
    tracefn::fail(ErrorKind::kUnimplemented, "Functions that name functions are nested deeper than ", kMostNested, ".");
  being_made_.push_back(record.name);
  Unobserved unobserved;  // tapes do not record the ops in a body
  try {
    std::shared_ptr<const Graph> body = BodyMaker(record, *this).run();
    being_made_.pop_back();
    return body;
  } catch (const Error& e) {
    being_made_.pop_back();
    // The innermost function is the location; an interrupt has none.
    if (e.cause() || e.message().find(kInFunction) != std::string::npos) throw;
    tracefn::fail(e.kind(), e.message(), kInFunction, record.name, "'");
  }
}

std::shared_ptr<const Graph> FunctionBodies::with_variables(const std::shared_ptr<const Graph>& body,
                                                            const Graph& caller, std::span<const Value> operands) {
  std::vector<std::size_t> learned;
  std::string known;
  for (std::size_t i = 0; i < std::min(operands.size(), body->inputs.size()); ++i) {
    const OutputInfo& given = caller.info(operands[i]);
    const OutputInfo& own = body->info(body->inputs[i]);
    if (given.handle_dtype == DType::kInvalid || own.dtype != DType::kResource || own.handle_dtype != DType::kInvalid)
      continue;
    learned.push_back(i);
    known += concat(i, name(given.handle_dtype), given.handle_shape.text(), ";");
  }
  if (learned.empty()) return body;
  Copy& made = copies_[{body.get(), std::move(known)}];
  if (made.copy) return made.copy;
  poll();
  auto copy = std::make_shared<Graph>(*body);
  for (std::size_t i : learned) {
    const OutputInfo& given = caller.info(operands[i]);
    note_variable(copy->info(body->inputs[i]), given.handle_dtype, given.handle_shape);
  }
  hand_down(*copy);
  made = {body, copy};
  return copy;
}

void FunctionBodies::hand_down(Graph& graph) {
  for (NodeId id : graph.order()) {
    Node& node = graph.node(id);
    if (node.is(OpKind::kIdentity))
      note_variable(node.outputs[0], graph.info(node.inputs[0]).handle_dtype, graph.info(node.inputs[0]).handle_shape);
    const std::optional<std::size_t> first = first_operand(node.op->kind);
    if (!first) continue;
    const std::span<const Value> operands =
        std::span<const Value>(node.inputs.data(), node.inputs.size()).subspan(*first);
    const auto refined = [&](const FuncRef& f) {
      return f.body ? FuncRef{f.name, with_variables(f.body, graph, operands)} : f;
    };
    for (Attr& attr : node.attrs) {
      if (attr.kind() == Attr::Kind::kFunc) attr = refined(attr.func());
      if (attr.kind() != Attr::Kind::kFuncs) continue;
      std::vector<FuncRef> all;
      for (const FuncRef& f : attr.funcs()) all.push_back(refined(f));
      attr = std::move(all);
    }
    if (is_loop(node)) note_results(graph, node);
  }
}

std::unordered_map<std::string, std::shared_ptr<const Graph>> functions_of(const Graph& graph) {
  std::unordered_map<std::string, std::shared_ptr<const Graph>> functions;
  std::vector<const Graph*> pending{&graph};
  auto add = [&](const FuncRef& f) {
    if (f.body && functions.emplace(f.name, f.body).second) pending.push_back(f.body.get());
  };
  while (!pending.empty()) {
    const Graph& next = *pending.back();
    pending.pop_back();
    for (NodeId id = 0; id < next.size(); ++id) for_each_function(next.node(id).attrs, add);
  }
  return functions;
}

}  // namespace tracefn
