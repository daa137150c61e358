// Recognizes loops over iterators of scalars, and runs them.
#include "exec/scalar/iterator_loop.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/check.h"
#include "base/poll.h"
#include "ops/element_source.h"
#include "ops/list/optional.h"
#include "ops/node_kinds.h"
#include "passes/graph_copy.h"
#include "passes/pass.h"
#include "passes/pass_options.h"

namespace tracefn {
namespace {

const Graph& function_of(const Node& node, std::string_view attr) { return *node.attr(attr).func().body; }

std::optional<std::size_t> argument_of(const Graph& g, Value v) {
  v = behind_identity(g, v);
  for (std::size_t i = 0; i < g.inputs.size(); ++i)
    if (g.inputs[i] == v) return i;
  return std::nullopt;
}

std::unique_ptr<const ScalarProgram> compile_all(const Graph& g) {
  std::vector<std::uint32_t> all(g.inputs.size());
  std::iota(all.begin(), all.end(), 0);
  return ScalarProgram::compile(g, all);
}

bool is_scalar(const Tensor& t, DType dtype) { return t.dtype() == dtype && t.shape().is_scalar(); }

}  // namespace

// Finds the parts of a loop, and makes the graphs of its programs.
class IteratorLoop::Analysis {
 public:
  Analysis(const Node& loop, IteratorLoop& out)
      : condition_(function_of(loop, "cond")), body_(function_of(loop, "body")), out_(out) {}

  bool succeeds() {
    if (!find_optional() || !find_next() || !find_types()) return false;
    if (std::ranges::any_of(body_.control_outputs, [&](NodeId id) { return id != next_node_; })) return false;
    if (!condition_.control_outputs.empty()) return false;
    const std::shared_ptr<const Graph> condition = condition_of_flag();
    if (!condition) return false;
    if (!(behind_identity(*condition, condition->outputs[0]) == condition->inputs[out_.optional_])) {
      if (!ends_without_value(*condition)) return false;
      out_.condition_graph_ = condition;
      out_.condition_ = compile_all(*condition);
      if (!out_.condition_) return false;
    }
    out_.body_graph_ = body_of_components();
    out_.body_ = compile_all(*out_.body_graph_);
    return out_.body_ != nullptr;
  }

 private:
  // The one whose value the condition asks for.
  bool find_optional() {
    for (NodeId id : live_nodes(condition_)) {
      const Node& n = condition_.node(id);
      if (!n.is(OpKind::kOptionalHasValue)) continue;
      const std::optional<std::size_t> found = argument_of(condition_, n.inputs[0]);
      if (!found || (found_ && out_.optional_ != *found)) return false;
      out_.optional_ = *found;
      found_ = true;
    }
    return found_;
  }

  bool find_next() {
    const Value next = behind_identity(body_, body_.outputs[out_.optional_]);
    const Node& n = body_.node(next.node);
    next_node_ = next.node;
    if (n.is(OpKind::kIteratorGetNext)) return set_next(n, argument_of(body_, n.inputs[0]));
    if (!n.is(OpKind::kConditional) || n.outputs.size() != 1) return false;
    out_.may_stay_ = true;
    for (const bool stays_when : {true, false}) {
      const Graph& stays = function_of(n, stays_when ? "then_branch" : "else_branch");
      const Graph& takes = function_of(n, stays_when ? "else_branch" : "then_branch");
      const std::optional<std::size_t> kept = argument_of(stays, stays.outputs[0]);
      if (!kept || argument_of(body_, n.inputs[*kept + 1]) != out_.optional_) continue;
      const Value taken = behind_identity(takes, takes.outputs[0]);
      const Node& next_there = takes.node(taken.node);
      if (!stays.control_outputs.empty() || !next_there.is(OpKind::kIteratorGetNext)) continue;
      if (std::ranges::any_of(takes.control_outputs, [&](NodeId id) { return id != taken.node; })) continue;
      const std::optional<std::size_t> handle = argument_of(takes, next_there.inputs[0]);
      out_.stays_when_ = stays_when;
      stays_ = n.inputs[0];
      return handle && set_next(next_there, argument_of(body_, n.inputs[*handle + 1]));
    }
    return false;
  }

  bool set_next(const Node& next, std::optional<std::size_t> iterator) {
    if (!iterator || argument_of(body_, body_.outputs[*iterator]) != iterator) return false;
    out_.next_ = &next;
    out_.iterator_ = *iterator;
    return true;
  }

  bool find_types() {
    out_.types_ = out_.next_->attr("output_types").types();
    const std::vector<Shape>& shapes = out_.next_->attr("output_shapes").shapes();
    return shapes.size() == out_.types_.size() &&
           std::ranges::all_of(shapes, [](const Shape& s) { return s.is_scalar(); });
  }

  // The condition with a flag in place of the optional: whether that has a value. Null if it needs more of it.
  std::shared_ptr<const Graph> condition_of_flag() {
    auto made = std::make_shared<Graph>(condition_);
    const NodeId optional = made->inputs[out_.optional_].node;
    const NodeId flag = made->insert(placeholder({DType::kBool, Shape()}, made->unique_name("has_value")), optional);
    for (NodeId id : live_nodes(condition_)) {
      const Node& n = made->node(id);
      if (n.is(OpKind::kOptionalHasValue)) replace(*made, {id, 0}, {flag, 0});
    }
    if (!is_unused(*made, optional)) return nullptr;
    made->inputs[out_.optional_] = {flag, 0};
    return made;
  }

  // Whether the condition is false, whatever the other loop variables are, once the flag is.
  bool ends_without_value(const Graph& condition) const {
    auto ended = std::make_shared<Graph>(condition);
    replace(*ended, ended->inputs[out_.optional_],
            {ended->insert(constant(Tensor::scalar(false), "no_value"), ended->inputs[0].node), 0});
    const std::shared_ptr<const Graph> simple = optimize(ended, PassOptions());
    const Node& result = simple->node(behind_identity(*simple, simple->outputs[0]).node);
    if (!result.is(OpKind::kConst)) return false;
    const Tensor& value = result.attr("value").tensor();
    return is_scalar(value, DType::kBool) && !value.item<bool>();
  }

  // The body with an element's components as further arguments, in place of what the optional holds. Its results are
  // the loop variables that change, and whether the optional stays.
  std::shared_ptr<const Graph> body_of_components() {
    auto made = std::make_shared<Graph>(body_);
    made->control_outputs.clear();
    made->outputs.clear();
    for (std::uint32_t i = 0; i < body_.outputs.size(); ++i) {
      if (i == out_.optional_ || argument_of(body_, body_.outputs[i]) == i) continue;
      out_.changes_.push_back(i);
      made->outputs.push_back(body_.outputs[i]);
    }
    if (out_.may_stay_) made->outputs.push_back(stays_);
    const NodeId optional = made->inputs[out_.optional_].node;
    std::vector<Value> components;
    for (DType type : out_.types_)
      components.push_back({made->insert(placeholder({type, Shape()}, made->unique_name("component")), optional), 0});
    for (NodeId id : live_nodes(*made)) {
      const Node& n = made->node(id);
      if (!n.is(OpKind::kOptionalGetValue) || argument_of(*made, n.inputs[0]) != out_.optional_) continue;
      if (n.outputs.size() != components.size()) continue;
      for (std::size_t j = 0; j < components.size(); ++j)
        if (n.outputs[j].dtype == out_.types_[j]) replace(*made, {id, static_cast<std::int32_t>(j)}, components[j]);
    }
    for (Value v : components) made->inputs.push_back(v);
    return made;
  }

  static void replace(Graph& g, Value old, Value is) {
    for (NodeId id = 0; id < g.size(); ++id)
      for (Value& v : g.node(id).inputs)
        if (v == old) v = is;
    for (Value& v : g.outputs)
      if (v == old) v = is;
  }

  static bool is_unused(const Graph& g, NodeId node) {
    const std::vector<NodeId> live = live_nodes(g);
    return std::ranges::find(live, node) == live.end();
  }

  const Graph &condition_, &body_;
  IteratorLoop& out_;
  bool found_ = false;
  NodeId next_node_ = -1;  // of the body: takes an element, or is a conditional that may
  Value stays_;            // of the body, for a conditional
};

std::unique_ptr<const IteratorLoop> IteratorLoop::compile(const Node& loop) {
  auto made = std::make_unique<IteratorLoop>();
  return Analysis(loop, *made).succeeds() ? std::move(made) : nullptr;
}

// One run: the loop variables, the components of the element, and the results of the body.
class IteratorLoop::Run {
 public:
  Run(const IteratorLoop& loop, std::span<TensorRef> inputs, ElementSource& source, const std::vector<Tensor>* held)
      : loop_(loop),
        source_(source),
        has_element_(held != nullptr),
        components_(loop.types_.size()),
        results_(loop.changes_.size() + (loop.may_stay_ ? 1 : 0)),
        flag_(DType::kBool, Shape()) {
    for (const TensorRef& input : inputs) variables_.push_back(*input.tensor);
    if (held) components_ = *held;
    for (Tensor& t : variables_) arguments_.push_back({&t, false});
    arguments_[loop.optional_].tensor = &flag_;
    num_variables_ = arguments_.size();
    for (Tensor& t : components_) arguments_.push_back({&t, false});
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // False, with nothing done, if a loop variable is not what the programs expect.
  bool all(const Node*& failed) {
    PolledSteps polled;
    for (bool first = true;; first = false) {
      bool goes_on = has_element_;
      if (goes_on && loop_.condition_ && !condition(goes_on, failed)) {
        TRACEFN_CHECK(first);
        return false;
      }
      if (!goes_on) return true;
      if (!loop_.body_->run(arguments_, results_, failed)) {
        TRACEFN_CHECK(first);
        return false;
      }
      for (std::size_t k = 0; k < loop_.changes_.size(); ++k) std::swap(variables_[loop_.changes_[k]], results_[k]);
      polled.step();
      if (!loop_.may_stay_ || results_.back().item<bool>() != loop_.stays_when_) take(failed);
    }
  }

  void give(std::span<Tensor> outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (i != loop_.optional_) outputs[i] = std::move(variables_[i]);
    outputs[loop_.optional_] =
        Tensor::handle(DType::kVariant, has_element_ ? optional_of(std::move(components_)) : empty_optional());
  }

 private:
  // Whether the program runs.
  bool condition(bool& goes_on, const Node*& failed) {
    *flag_.mutable_data<bool>() = true;
    if (!loop_.condition_->run({arguments_.data(), num_variables_}, {&goes_on_, 1}, failed)) return false;
    goes_on = goes_on_.item<bool>();
    return true;
  }

  void take(const Node*& failed) {
    try {
      has_element_ = source_.next(fetched_, loop_.types_, loop_.next_->attr("output_shapes").shapes());
    } catch (const Error&) {
      failed = loop_.next_;
      throw;
    }
    if (has_element_) std::ranges::move(fetched_, components_.begin());
  }

  const IteratorLoop& loop_;
  ElementSource& source_;
  bool has_element_;
  std::vector<Tensor> variables_, components_, fetched_, results_;
  Tensor flag_, goes_on_;             // the condition's argument and its result
  std::vector<TensorRef> arguments_;  // the loop variables, with the flag for the optional, and the components
  std::size_t num_variables_ = 0;
};

bool IteratorLoop::run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner&,
                       const Node*& failed) const {
  const Tensor& handle = *inputs[iterator_].tensor;
  if (handle.dtype() != DType::kResource || handle.rank() != 0) return false;
  auto* source = dynamic_cast<ElementSource*>(handle.object().get());
  const std::optional<const std::vector<Tensor>*> optional = held_by_optional(*inputs[optional_].tensor);
  if (!source || !optional) return false;
  const std::vector<Tensor>* held = *optional;
  if (held && held->size() != types_.size()) return false;
  for (std::size_t j = 0; held && j < types_.size(); ++j)
    if (!is_scalar((*held)[j], types_[j])) return false;
  Run run(*this, inputs, *source, held);
  if (!run.all(failed)) return false;
  run.give(outputs);
  return true;
}

}  // namespace tracefn
