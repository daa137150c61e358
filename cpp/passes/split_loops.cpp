// Loop fission: if only scalars decide the iteration count and the rest is elementwise work on arrays, one loop counts,
// a second one runs the arrays. Elements are independent, so the second loop runs all iterations per block
// (exec/fusion/array_loop.h).
#include <algorithm>
#include <optional>

#include "ops/control/counted_loop.h"
#include "ops/fusable.h"
#include "ops/graph_target.h"
#include "ops/node_kinds.h"
#include "ops/registry.h"
#include "passes/loop_parts.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace tracefn {
namespace {

bool is_scalar(const Graph& graph, Value v) {
  const OutputInfo& info = graph.info(v);
  return info.shape.is_scalar() && is_plain(info.dtype);
}

// Consists of elementwise ops alone, those in fused functions included.
bool is_elementwise(const Graph& graph) {
  for (NodeId id : live_nodes(graph)) {
    const Node& node = graph.node(id);
    if (!node.control_inputs.empty()) return false;
    if (node.is(OpKind::kPlaceholder) || node.is(OpKind::kConst) || is_alias(node)) continue;
    if (node.is(OpKind::kCall) ? !is_elementwise(*node.attr("f").func().body) : !node_block(graph, node)) return false;
  }
  return graph.control_outputs.empty();
}

// So small that numbers in registers are faster than a pass over memory in each iteration.
bool is_small(const OutputInfo& info) {
  constexpr std::size_t kMostBytes = 64;
  return info.shape.is_fully_known() &&
         static_cast<std::size_t>(info.shape.num_elements()) * size_of(info.dtype) <= kMostBytes;
}

// The loop's variables, by role.
struct Variables {
  std::vector<std::size_t> scalars;     // of the scalar loop
  std::vector<std::size_t> arrays;      // that the array loop changes
  std::vector<std::size_t> invariants;  // that it reads besides
};

template <typename T>
std::vector<T> pick(const std::vector<T>& all, const std::vector<std::size_t>& which) {
  std::vector<T> some;
  for (std::size_t i : which) some.push_back(all[i]);
  return some;
}

std::optional<Variables> find_variables(const Graph& condition, const Graph& body) {
  if (!condition.control_outputs.empty() || !body.control_outputs.empty()) return std::nullopt;
  const std::vector<char> unchanged = unchanged_variables(body);
  Variables found;
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    if (is_scalar(body, body.inputs[i]) && is_scalar(body, body.outputs[i])) {
      found.scalars.push_back(i);
    } else if (!unchanged[i]) {
      found.arrays.push_back(i);
    }
  }
  if (found.scalars.empty() || found.arrays.empty()) return std::nullopt;
  const std::vector<char> by_scalars = needed_arguments(body, pick(body.outputs, found.scalars)),
                          by_condition = needed_arguments(condition, condition.outputs),
                          by_arrays = needed_arguments(body, pick(body.outputs, found.arrays));
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    const bool is_scalar = std::find(found.scalars.begin(), found.scalars.end(), i) != found.scalars.end();
    const bool is_array = std::find(found.arrays.begin(), found.arrays.end(), i) != found.arrays.end();
    if (!is_scalar && (by_scalars[i] || by_condition[i])) return std::nullopt;
    if (is_array || !by_arrays[i]) continue;
    if (!unchanged[i]) return std::nullopt;  // a scalar that differs per iteration
    found.invariants.push_back(i);
  }
  return found;
}

// Nodes of functions created here, under names that no traced node has.
Operand added(const std::shared_ptr<Graph>& graph, const char* op_name, const Operand& a, const Operand& b) {
  const OpDef& op = Registry::get().at(op_name);
  GraphTarget target(graph);
  const Operand inputs[] = {a, b};
  Operands outputs;
  target.emit(op, inputs, complete_attrs(op, inputs, {}), concat("iterations@", op_name), outputs);
  return outputs[0];
}
Operand argument(const std::shared_ptr<Graph>& graph, const OutputInfo& info, const std::string& name) {
  const Value made{graph->add(placeholder(info, name)), 0};
  graph->inputs.push_back(made);
  return Operand(graph, made);
}

const OutputInfo kCount{.dtype = DType::kInt64, .shape = Shape()};

class Splitter {
 public:
  explicit Splitter(const Graph& graph) : rewriter_(graph) {}

  std::shared_ptr<Graph> run() {
    return rewriter_.run([this](const Node& node, NodeId) {
      if (!is_loop(node)) return Replacement();
      return split(node);
    });
  }

 private:
  Replacement split(const Node& loop) {
    const FuncRef &condition = loop.attr("cond").func(), &body = loop.attr("body").func();
    if (!condition.body || !body.body || is_counted(loop)) return {};
    const std::optional<Variables> variables = find_variables(*condition.body, *body.body);
    if (!variables || !is_elementwise(*condition.body)) return {};
    if (std::ranges::all_of(variables->arrays,
                            [&](std::size_t i) { return is_small(body.body->info(body.body->inputs[i])); }))
      return {};
    const std::shared_ptr<Graph> scalars =
        part_of(*body.body, pick(body.body->inputs, variables->scalars), pick(body.body->outputs, variables->scalars));
    std::vector<std::size_t> in = variables->arrays;
    in.insert(in.end(), variables->invariants.begin(), variables->invariants.end());
    const std::shared_ptr<Graph> arrays =
        part_of(*body.body, pick(body.body->inputs, in), pick(body.body->outputs, variables->arrays));
    if (!is_elementwise(*scalars) || !is_elementwise(*arrays)) return {};
    if (rewriter_.only_asks()) return {Value{}};
    const Value zero = count_constant(0);
    Replacement counted = counting_loop(loop, *variables, scalars, zero);
    Replacement repeated = repeating_loop(loop, in, arrays, variables->arrays.size(), zero, counted.back());
    Replacement outputs;
    outputs.resize(loop.outputs.size());
    for (std::size_t i = 0; i < loop.outputs.size(); ++i) outputs[i] = loop.inputs[i];
    for (std::size_t k = 0; k < variables->scalars.size(); ++k) outputs[variables->scalars[k]] = counted[k];
    for (std::size_t k = 0; k < variables->arrays.size(); ++k) outputs[variables->arrays[k]] = repeated[k + 2];
    return outputs;
  }

  // The scalar loop's variables, then the iteration count.
  Replacement counting_loop(const Node& loop, const Variables& variables, const std::shared_ptr<Graph>& body,
                            Value zero) {
    const FuncRef& condition = loop.attr("cond").func();
    std::shared_ptr<Graph> go_on =
        part_of(*condition.body, pick(condition.body->inputs, variables.scalars), condition.body->outputs);
    argument(go_on, kCount, "iterations@");
    const Operand iterations = argument(body, kCount, "iterations@");
    body->outputs.push_back(added(body, "AddV2", iterations, Tensor::scalar(std::int64_t{1})).value);
    SmallVector<Value, 3> inputs;
    for (std::size_t i : variables.scalars) inputs.push_back(loop.inputs[i]);
    inputs.push_back(zero);
    return new_loop(loop, {condition.name, go_on}, {loop.attr("body").func().name, body}, std::move(inputs));
  }

  // The iterations done, the iteration count, then the arrays' variables and their invariants.
  Replacement repeating_loop(const Node& loop, const std::vector<std::size_t>& in, const std::shared_ptr<Graph>& arrays,
                             std::size_t num_changing, Value zero, Value iterations) {
    auto go_on = std::make_shared<Graph>(loop.attr("cond").func().name);
    const Operand done = argument(go_on, kCount, "done@"), all = argument(go_on, kCount, "iterations@");
    for (std::size_t k = 0; k < in.size(); ++k)
      argument(go_on, arrays->info(arrays->inputs[k]), "variable@" + std::to_string(k));
    go_on->outputs.push_back(added(go_on, "Less", done, all).value);

    GraphCopy copy(*arrays);
    const std::shared_ptr<Graph>& body = copy.shared();
    const Operand done_before = argument(body, kCount, "done@"), all_along = argument(body, kCount, "iterations@");
    for (NodeId id : arrays->order()) copy.add(id, copy.moved(id));
    copy.finish();
    std::vector<Value> results = {added(body, "AddV2", done_before, Tensor::scalar(std::int64_t{1})).value,
                                  all_along.value};
    results.insert(results.end(), body->outputs.begin(), body->outputs.end());
    for (std::size_t k = num_changing; k < in.size(); ++k) results.push_back(body->inputs[k + 2]);
    body->outputs = std::move(results);

    SmallVector<Value, 3> inputs = {zero, iterations};
    for (std::size_t i : in) inputs.push_back(loop.inputs[i]);
    return new_loop(loop, {loop.attr("cond").func().name, go_on}, {loop.attr("body").func().name, body},
                    std::move(inputs), NodeForm::kArrayLoop);
  }

  // The same op as `loop`, under a unique name that is displayed as the loop's.
  Replacement new_loop(const Node& loop, FuncRef condition, FuncRef body, SmallVector<Value, 3> inputs,
                       NodeForm form = NodeForm::kOp) {
    Node node = loop;
    node.form = form;
    auto attr = [&](const char* name) -> Attr& {
      return node.attrs[static_cast<std::size_t>(node.op->attr_index(name))];
    };
    std::vector<DType> types;
    std::vector<Shape> shapes;
    node.outputs.clear();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const OutputInfo& info = body.body->info(body.body->inputs[i]);
      types.push_back(info.dtype);
      shapes.push_back(info.shape);
      node.outputs.push_back(info);
    }
    attr("cond") = std::move(condition);
    attr("body") = std::move(body);
    attr("T") = std::move(types);
    attr("output_shapes") = std::move(shapes);
    node.inputs = std::move(inputs);
    return rewriter_.add(node, false);
  }

  Value count_constant(std::int64_t value) {
    return rewriter_.make([&] {
      return emit1("Const", {}, {{"value", Tensor::scalar(value)}, {"dtype", DType::kInt64}});
    })[0];
  }

  Rewriter rewriter_;
};

std::shared_ptr<Graph> split_loops(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id)
    if (is_loop(graph.node(id))) return Splitter(graph).run();
  return nullptr;
}

}  // namespace

const Pass kSplitLoops{"split_loops", "all iterations over a block of an array find it in the cache", kLoopOptimization,
                       split_loops};

}  // namespace tracefn
