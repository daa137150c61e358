// Invariant variables, counters, and bounds of loops.
#include "autodiff/loop_analysis.h"

#include <limits>

#include "autodiff/body_gradient.h"
#include "ops/build.h"
#include "ops/elementwise/functions.h"
#include "ops/node_kinds.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

std::optional<std::int64_t> number(const Operand& x) {
  if (!x.is_eager() || x.tensor.rank() != 0) return std::nullopt;
  return x.tensor.int_at(0);
}

bool is_integer_scalar(const OutputInfo& info) {
  return (info.dtype == DType::kInt32 || info.dtype == DType::kInt64) && info.shape.is_scalar();
}

}  // namespace

LoopSteps::LoopSteps(std::shared_ptr<Graph> around, NodeId loop, std::shared_ptr<const Graph> cond,
                     std::shared_ptr<const Graph> body)
    : around_(std::move(around)),
      loop_(loop),
      cond_(std::move(cond)),
      body_(std::move(body)),
      num_vars_(this->loop().inputs.size()) {}

bool LoopSteps::is_invariant(std::size_t i) const {
  return behind_identity(*body_, body_->outputs[i]) == body_->inputs[i];
}

bool LoopSteps::is_invariant(Value value) const {
  invariant_.resize(static_cast<std::size_t>(body_->size()), 0);
  // Evaluates the unknown nodes behind `value` first, without recursion: bodies can be deep.
  std::vector<NodeId> stack{value.node};
  while (!stack.empty()) {
    NodeId id = stack.back();
    char& answer = invariant_[static_cast<std::size_t>(id)];
    const Node& node = body_->node(id);
    if (answer != 0) {
      stack.pop_back();
    } else if (node.op->stateful || !node.control_inputs.empty() || node.gradient) {
      answer = 2;
    } else if (std::int64_t i = input_index(*body_, {id, 0}); i >= 0) {
      answer = static_cast<std::size_t>(i) < num_vars_ && is_invariant(static_cast<std::size_t>(i)) ? 1 : 2;
    } else {
      char all = 1;
      for (Value in : node.inputs) {
        char of_input = invariant_[static_cast<std::size_t>(in.node)];
        if (of_input == 0) stack.push_back(in.node);
        if (all == 1 || of_input == 2) all = of_input;
      }
      if (all == 2 || stack.back() == id) answer = all;
    }
  }
  return invariant_[static_cast<std::size_t>(value.node)] == 1;
}

// A value of the condition or the body that is constant, or equal to an outside value in every iteration.
std::optional<Operand> LoopSteps::constant_or_outside(const Graph& graph, Value value) const {
  value = behind_identity(graph, value);
  const Node& node = graph.node(value.node);
  if (node.is(OpKind::kConst)) return Operand(node.attr("value").tensor());
  std::int64_t i = input_index(graph, value);
  if (i < 0 || static_cast<std::size_t>(i) >= num_vars_ || !is_invariant(static_cast<std::size_t>(i))) return {};
  Value outside = behind_identity(*around_, loop().inputs[static_cast<std::size_t>(i)]);
  const Node& made_by = around_->node(outside.node);
  if (made_by.is(OpKind::kConst)) return Operand(made_by.attr("value").tensor());
  return Operand(around_, outside);
}

std::optional<LoopSteps::Counter> LoopSteps::counter(std::size_t i) const {
  if (i >= num_vars_ || !is_integer_scalar(body_->info(body_->inputs[i]))) return {};
  Value next = behind_identity(*body_, body_->outputs[i]);
  const Node& add = body_->node(next.node);
  if (!op_def(*add.op).computes(id_of<functions::Add>)) return {};
  for (std::size_t side = 0; side < 2; ++side) {
    if (behind_identity(*body_, add.inputs[side]) != body_->inputs[i]) continue;
    std::optional<Operand> by = constant_or_outside(*body_, add.inputs[1 - side]);
    if (!by || !by->shape().is_scalar()) continue;
    Value outside = behind_identity(*around_, loop().inputs[i]);
    const Node& made_by = around_->node(outside.node);
    if (made_by.is(OpKind::kConst)) return Counter{Operand(made_by.attr("value").tensor()), *by};
    return Counter{Operand(around_, outside), *by};
  }
  return {};
}

bool LoopSteps::counts_steps(std::size_t i) const {
  if (i >= num_vars_ || body_->info(body_->inputs[i]).dtype != DType::kInt32) return false;
  std::optional<Counter> c = counter(i);
  return c && number(c->first) == 0 && number(c->by) == 1;
}

std::optional<Operand> LoopSteps::most_steps() const {
  return cond_->outputs.size() == 1 ? most_by(cond_->outputs[0]) : std::nullopt;
}

// `condition` holds only while an increasing counter is less than an invariant.
std::optional<Operand> LoopSteps::most_by(Value condition) const {
  condition = behind_identity(*cond_, condition);
  const Node& node = cond_->node(condition.node);
  if (op_def(*node.op).computes(id_of<functions::LogicalAnd>)) {
    for (Value part : node.inputs)
      if (auto found = most_by(part)) return found;
    return {};
  }
  if (!op_def(*node.op).computes(id_of<functions::Less>)) return {};
  std::int64_t i = input_index(*cond_, behind_identity(*cond_, node.inputs[0]));
  if (i < 0) return {};
  std::optional<Counter> c = counter(static_cast<std::size_t>(i));
  std::optional<Operand> end = constant_or_outside(*cond_, node.inputs[1]);
  if (!c || !end || !end->shape().is_scalar() || end->dtype() == DType::kInvalid) return {};
  std::optional<std::int64_t> first = number(c->first), by = number(c->by), last = number(*end);
  if (!first || !by || *by < 1 || *first < 0) return {};
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (last) {
    std::int64_t most = *last <= *first ? 0 : (*last - *first - 1) / *by + 1;
    if (most > kMost) return {};
    return build::constant(Tensor::scalar(static_cast<std::int32_t>(most)));
  }
  // An int64 may exceed what the lists can hold.
  if (end->dtype() != DType::kInt32 || *first != 0 || *by != 1) return {};
  return emit1("Maximum", {*end, build::scalar(DType::kInt32, 0)});
}

}  // namespace tracefn
