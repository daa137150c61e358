// The gradient of While: the loop pushes what each iteration's backward needs to lists, and a second loop pops it, last
// iteration first.
#include <algorithm>
#include <optional>

#include "autodiff/body_gradient.h"
#include "autodiff/loop_analysis.h"
#include "autodiff/saved_values.h"
#include "autodiff/tape.h"
#include "base/check.h"
#include "ops/node_kinds.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

constexpr std::string_view kPush = "TensorListPushBack";

std::size_t index_of_attr(const OpDef& op, std::string_view name) {
  return static_cast<std::size_t>(op.signature.attr_index(name));
}

// Dependences through a body, as far as gradients follow them.
class Flow {
 public:
  explicit Flow(const std::shared_ptr<Graph>& body) : body_(body), records_(records_of(body)) {}

  // Which loop variables depend on one of `vars`, over any number of iterations.
  std::vector<char> reached(std::vector<char> vars) const {
    for (bool grows = true; grows;) {
      std::vector<char> nodes(static_cast<std::size_t>(body_->size()), 0);
      for (std::size_t i = 0; i < vars.size(); ++i)
        if (vars[i]) nodes[at(body_->inputs[i])] = 1;
      for (const RecordedOp& op : records_)
        for (const Operand& in : op.inputs)
          if (nodes[at(in.value)] && is_differentiable(in)) nodes[at(op.outputs[0].value)] = 1;
      grows = merge(vars, [&](std::size_t i) { return nodes[at(body_->outputs[i])]; });
    }
    return vars;
  }
  // Which loop variables affect one of `vars`, over any number of iterations.
  std::vector<char> needed(std::vector<char> vars) const {
    for (bool grows = true; grows;) {
      std::vector<char> nodes(static_cast<std::size_t>(body_->size()), 0);
      for (std::size_t i = 0; i < vars.size(); ++i)
        if (vars[i]) nodes[at(body_->outputs[i])] = 1;
      for (std::size_t r = records_.size(); r-- > 0;)
        if (nodes[at(records_[r].outputs[0].value)])
          for (const Operand& in : records_[r].inputs)
            if (is_differentiable(in)) nodes[at(in.value)] = 1;
      grows = merge(vars, [&](std::size_t i) { return nodes[at(body_->inputs[i])]; });
    }
    return vars;
  }

 private:
  static std::size_t at(Value v) { return static_cast<std::size_t>(v.node); }
  template <typename Has>
  static bool merge(std::vector<char>& vars, Has has) {
    bool grew = false;
    for (std::size_t i = 0; i < vars.size(); ++i)
      if (!vars[i] && has(i)) {
        vars[i] = 1;
        grew = true;
      }
    return grew;
  }

  std::shared_ptr<Graph> body_;
  std::vector<RecordedOp> records_;
};

class LoopGradient {
 public:
  explicit LoopGradient(GradContext& c)
      : c_(c), graph_(c.output(0).graph), id_(c.output(0).value.node), num_vars_(c.num_inputs()) {}

  void run() {
    if (!graph_) fail(ErrorKind::kUnimplemented, "The gradient of an eager ", c_.op().name(), " op is not supported.");
    cond_ = c_.attr("cond").func();
    body_ = c_.attr("body").func();
    find_active();
    give_zeros();
    if (active_.empty()) return;
    differentiate();
    add_gradients();
    place_saved();
    Operand count = iteration_count();
    extend_node();
    emit_backward(count);
  }

 private:
  struct List {
    Value value;           // of the forward body
    Value inner;           // its placeholder in the backward body
    std::size_t variable;  // of the forward loop
  };

  struct Count {
    LoopSteps::Counter counter;
    Value inner;
  };
  struct Stay {
    Value inner;
    std::size_t variable;  // of the forward loop
  };

  // The variables through which a gradient flows: they depend on a source, and a result depends on them.
  void find_active() {
    std::vector<char> from(num_vars_), to(num_vars_);
    for (std::size_t i = 0; i < num_vars_; ++i) {
      from[i] = c_.wanted(i);
      to[i] = c_.has_dy(i);
    }
    Flow flow(std::make_shared<Graph>(*body_.body));
    from = flow.reached(from);
    to = flow.needed(to);
    for (std::size_t i = 0; i < num_vars_; ++i)
      if (from[i] && to[i] && is_differentiable(c_.output(i))) active_.push_back(i);
  }

  // As in TensorFlow, an input through which no gradient flows has zeros, not none.
  void give_zeros() {
    for (std::size_t i = 0; i < num_vars_; ++i) {
      const Operand& input = c_.input(i);
      const bool is_active = std::ranges::find(active_, i) != active_.end();
      if (!is_active && c_.wanted(i) && input.dtype() != DType::kResource && is_differentiable(input))
        c_.to_input(i, zero_gradient(input));
    }
  }

  void differentiate() {
    std::vector<Value> sources;
    for (std::size_t i : active_) sources.push_back(body_.body->inputs[i]);
    step_ = differentiate_body(*body_.body, sources, active_, derived_name(body_.name, "grad"), current_scope());
    cond_graph_ = std::make_shared<Graph>(*cond_.body);
    steps_.emplace(graph_, id_, cond_graph_, step_.forward);
  }

  void add_gradients() {
    TapePause pause;
    TargetScope scope(*step_.backward);
    for (std::size_t a = 0; a < active_.size(); ++a) {
      Operand gradient = step_.gradients[a].dense();
      if (!gradient.defined()) gradient = zero_gradient(Operand(step_.forward, step_.forward->inputs[active_[a]]));
      step_.backward->add_output(gradient);
    }
  }

  // For each value that the backward body reads: invariants are passed in, counters are counted down, everything else
  // is saved in a list.
  void place_saved() {
    const Graph& forward = *step_.forward;
    auto variable = [&](Value value) { return input_index(forward, value); };
    auto at_hand = [&](Value value) {
      std::int64_t i = variable(value);
      return can_stay(value) || (i >= 0 && steps_->counter(static_cast<std::size_t>(i)));
    };
    for (const FuncGraph::Capture& capture : choose_saved(step_.forward, *step_.backward, at_hand)) {
      if (capture.outer.graph != step_.forward) {
        constants_.emplace_back(capture.outer, capture.inner);
        continue;
      }
      Value value = behind_identity(forward, capture.outer.value);
      std::int64_t i = variable(value);
      auto at = static_cast<std::size_t>(i);
      if (i >= 0 && can_stay(value)) {
        constants_.emplace_back(c_.input(at), capture.inner);
      } else if (i >= 0 && steps_->counter(at)) {
        counters_.push_back({*steps_->counter(at), capture.inner});
      } else if (can_stay(value)) {
        stays_.push_back({capture.inner, variable_of(value)});
      } else {
        lists_.push_back({value, capture.inner, list_of(value)});
      }
    }
  }

  bool can_stay(Value value) const {
    const OutputInfo& info = step_.forward->info(value);
    bool needs_a_start = input_index(*step_.forward, value) < 0;
    if (needs_a_start && info.dtype == DType::kResource) return false;
    if (needs_a_start && info.dtype == DType::kVariant && info.handle_dtype == DType::kInvalid) return false;
    return steps_->is_invariant(value);
  }

  // The variable that holds a loop-invariant value; created if necessary. Before the first iteration its value is
  // unused, but fits the static shape: passes rely on that in a loop with zero iterations, too.
  std::size_t variable_of(Value value) {
    Graph& forward = *step_.forward;
    const OutputInfo info = forward.info(value);
    if (std::int64_t j = output_index(forward, value); j >= 0) {
      const auto at = static_cast<std::size_t>(j);
      if (at >= num_vars_ || info.shape.is_supertype_of(c_.input(at).shape())) return at;
    }
    forward.inputs.push_back(add_argument(forward, info, "before"));
    forward.outputs.push_back(value);
    new_vars_.push_back(info);
    lists_made_.push_back(false);
    return forward.outputs.size() - 1;
  }

  // The loop variable that is a list of this value at every iteration; created if necessary.
  std::size_t list_of(Value value) {
    Graph& forward = *step_.forward;
    for (std::size_t j = 0; j < forward.outputs.size(); ++j) {
      Value out = behind_identity(forward, forward.outputs[j]);
      const Node& push = forward.node(out.node);
      if (push.op->name == kPush && push.inputs[0] == forward.inputs[j] &&
          behind_identity(forward, push.inputs[1]) == value && starts_empty(j))
        return j;
    }
    OutputInfo info;
    info.dtype = DType::kVariant;
    info.shape = Shape();
    info.handle_dtype = forward.info(value).dtype;
    info.handle_shape = forward.info(value).shape;
    Value list = add_argument(forward, info, "accumulator");
    forward.inputs.push_back(list);
    GraphTarget target(step_.forward);
    TargetScope scope(target);
    TapePause pause;
    Operand args[] = {Operand(step_.forward, list), Operand(step_.forward, value)};
    forward.outputs.push_back(emit_all(kPush, args)[0].value);
    new_vars_.push_back(info);
    lists_made_.push_back(true);
    return forward.outputs.size() - 1;
  }

  // Whether variable j is a list that is initially empty: then it has one element per iteration.
  bool starts_empty(std::size_t j) const {
    if (j >= num_vars_) return lists_made_[j - num_vars_];
    Value initial = behind_identity(*graph_, graph_->node(id_).inputs[j]);
    return graph_->node(initial.node).is(OpKind::kListEmpty);
  }

  // The iteration count: a variable that counts, or the length of a list.
  Operand iteration_count() {
    const Graph& forward = *step_.forward;
    for (std::size_t i = 0; i < num_vars_; ++i)
      if (steps_->counts_steps(i)) return Operand(graph_, {id_, static_cast<std::int32_t>(i)});
    if (lists_.empty()) {
      counter_ = forward.outputs.size();
      add_counter();
      return Operand(graph_, {id_, static_cast<std::int32_t>(counter_)});
    }
    length_of_ = static_cast<std::int64_t>(lists_[0].variable);
    return {};
  }

  void add_counter() {
    Graph& forward = *step_.forward;
    OutputInfo info;
    info.dtype = DType::kInt32;
    info.shape = Shape();
    Value counter = add_argument(forward, info, "counter");
    forward.inputs.push_back(counter);
    GraphTarget target(step_.forward);
    TargetScope scope(target);
    TapePause pause;
    forward.outputs.push_back((Operand(step_.forward, counter) + build::scalar(DType::kInt32, 1)).value);
    new_vars_.push_back(info);
    lists_made_.push_back(false);
  }

  // The loop carries the lists: they are created before it.
  void extend_node() {
    TapePause pause;
    Node& node = graph_->node(id_);
    InsertTarget before(graph_, id_);
    TargetScope scope(before);
    std::vector<DType> types = node.attrs[index_of_attr(c_.op(), "T")].types();
    std::vector<Shape> shapes = node.attrs[index_of_attr(c_.op(), "output_shapes")].shapes();
    bool has_shapes = !shapes.empty();
    Operand most;
    if (std::find(lists_made_.begin(), lists_made_.end(), true) != lists_made_.end())
      most = steps_->most_steps().value_or(build::constant(Tensor::scalar(std::int32_t{-1})));
    for (std::size_t k = 0; k < new_vars_.size(); ++k) {
      const OutputInfo& info = new_vars_[k];
      Operand initial;
      if (info.dtype == DType::kVariant) {
        Operand room = lists_made_[k] ? most : build::constant(Tensor::scalar(std::int32_t{-1}));
        initial =
            emit1("EmptyTensorList", {element_shape(info.handle_shape), room}, {{"element_dtype", info.handle_dtype}});
      } else {
        initial = nothing_yet(info);
      }
      node.inputs.push_back(initial.value);
      node.outputs.push_back(info);
      types.push_back(info.dtype);
      if (has_shapes) shapes.push_back(info.shape);
      cond_graph_->inputs.push_back(add_argument(*cond_graph_, info, "unused"));
    }
    node.attrs[index_of_attr(c_.op(), "T")] = std::move(types);
    node.attrs[index_of_attr(c_.op(), "output_shapes")] = std::move(shapes);
    node.attrs[index_of_attr(c_.op(), "cond")] = FuncRef{derived_name(cond_.name, "rewritten"), cond_graph_};
    node.attrs[index_of_attr(c_.op(), "body")] = FuncRef{derived_name(body_.name, "rewritten"), step_.forward};
  }

  // Zeros or empty strings of the static shape, with unknown dimensions as 0.
  static Operand nothing_yet(const OutputInfo& info) {
    Operand element = info.dtype == DType::kString ? build::constant(Tensor::zeros(DType::kString, Shape()))
                                                   : build::scalar(info.dtype, 0);
    if (!info.shape.has_rank() || info.shape.is_scalar()) return element;
    std::vector<std::int32_t> dims;
    for (std::int64_t d : info.shape.dims()) dims.push_back(static_cast<std::int32_t>(std::max<std::int64_t>(d, 0)));
    return emit1("Fill", {build::ints(dims), element});
  }

  static Operand element_shape(const Shape& shape) {
    if (!shape.has_rank()) return build::constant(Tensor::scalar(std::int32_t{-1}));
    std::vector<std::int32_t> dims;
    for (std::int64_t d : shape.dims()) dims.push_back(static_cast<std::int32_t>(d));
    return build::ints(dims);
  }

  // The backward body: (iterations left, gradients, lists, constants) to the same.
  std::shared_ptr<Graph> backward_body() {
    TapePause pause;
    GradientGraph& backward = *step_.backward;
    const std::shared_ptr<Graph>& graph = backward.shared_graph();
    std::vector<Value> dys = graph->inputs, gradients = graph->outputs;
    TRACEFN_CHECK(dys.size() == active_.size() && gradients.size() == active_.size());
    OutputInfo scalar;
    scalar.dtype = DType::kInt32;
    scalar.shape = Shape();
    // A node before the first one is visible to all others.
    const NodeId first = graph->order().front();
    Value counter = add_argument(*graph, scalar, "steps_left", first);
    std::vector<Value> inputs = {counter}, outputs;
    Operand left;
    {
      InsertTarget before(graph, first);
      TargetScope scope(before);
      left = Operand(graph, counter) - build::scalar(DType::kInt32, 1);
    }
    outputs.push_back(left.value);
    inputs.insert(inputs.end(), dys.begin(), dys.end());
    outputs.insert(outputs.end(), gradients.begin(), gradients.end());
    for (const Count& count : counters_) count_back(graph, count, left);
    for (const List& list : lists_) {
      NodeId at = list.inner.node;
      InsertTarget before(graph, at);
      TargetScope scope(before);
      OutputInfo value = graph->info(list.inner);
      OutputInfo info;
      info.dtype = DType::kVariant;
      info.shape = Shape();
      info.handle_dtype = value.dtype;
      info.handle_shape = value.shape;
      Value handle = add_argument(*graph, info, "list", at);
      Operand args[] = {Operand(graph, handle), element_shape(value.shape)};
      Operands popped = emit_all("TensorListPopBack", args, {{"element_dtype", value.dtype}});
      // Replaces the placeholder of the value by the element popped from the list.
      replace_argument(*graph, at, popped[1].value);
      inputs.push_back(handle);
      outputs.push_back(popped[0].value);
    }
    for (const auto& [outer, inner] : constants_) {
      inputs.push_back(inner);
      outputs.push_back(inner);
    }
    graph->inputs = std::move(inputs);
    graph->outputs = std::move(outputs);
    backward.finish_with({});
    return graph;
  }

  // The value of a counter when `left` iterations were left.
  void count_back(const std::shared_ptr<Graph>& graph, const Count& count, const Operand& left) {
    NodeId at = count.inner.node;
    auto inside = [&](const Operand& x, const char* name) {
      if (x.is_eager()) {
        InsertTarget before(graph, at);
        TargetScope scope(before);
        return build::constant(x.tensor);
      }
      Value inner = add_argument(*graph, x.graph->info(x.value), name, at);
      constants_.emplace_back(x, inner);
      return Operand(graph, inner);
    };
    Operand first = inside(count.counter.first, "first"), by = inside(count.counter.by, "by");
    InsertTarget before(graph, at);
    TargetScope scope(before);
    replace_argument(*graph, at, (build::cast(left, first.dtype()) * by + first).value);
  }

  std::shared_ptr<Graph> backward_cond(const Graph& body) {
    TapePause pause;
    auto graph = std::make_shared<Graph>(derived_name(cond_.name, "grad"));
    for (Value v : body.inputs) graph->inputs.push_back(add_argument(*graph, body.info(v), "x"));
    GraphTarget target(graph);
    TargetScope scope(target);
    Operand left(graph, graph->inputs[0]);
    graph->outputs.push_back(emit1("Greater", {left, build::scalar(DType::kInt32, 0)}).value);
    return graph;
  }

  void emit_backward(const Operand& count) {
    auto result = [&](std::size_t j) { return Operand(graph_, {id_, static_cast<std::int32_t>(j)}); };
    for (const Stay& stay : stays_) constants_.emplace_back(result(stay.variable), stay.inner);
    std::shared_ptr<Graph> body = backward_body();
    std::shared_ptr<Graph> cond = backward_cond(*body);
    Operands inputs;
    inputs.push_back(length_of_ < 0 ? count
                                    : emit1("TensorListLength", {result(static_cast<std::size_t>(length_of_))}));
    // A handle that the body returns in its place is the one that the loop was given: nothing needs to be saved for it.
    const auto like = [&](std::size_t i) {
      const Graph& body = *body_.body;
      const bool stays =
          c_.output(i).dtype() == DType::kResource && behind_identity(body, body.outputs[i]) == body.inputs[i];
      return stays ? c_.input(i) : c_.output(i);
    };
    for (std::size_t i : active_) inputs.push_back(c_.has_dy(i) ? c_.dy(i) : zero_gradient(like(i)));
    for (const List& list : lists_) inputs.push_back(result(list.variable));
    for (const auto& [outer, inner] : constants_) inputs.push_back(outer);
    bool effects = !body->control_outputs.empty();
    const OpDef& op = Registry::get().at(effects ? "While" : "StatelessWhile");
    AttrList attrs(op.signature.attrs.size());
    std::vector<Shape> shapes;
    for (Value v : body->inputs) shapes.push_back(body->info(v).shape);
    // Gradients enter with the shape of the final value and leave with that of the first.
    for (std::size_t a = 0; a < active_.size(); ++a) {
      const Shape& at_end = inputs[1 + a].shape();
      if (!shapes[1 + a].is_supertype_of(at_end)) shapes[1 + a] = Shape::unknown();
    }
    attrs[index_of_attr(op, "cond")] = FuncRef{cond->name(), cond};
    attrs[index_of_attr(op, "body")] = FuncRef{body->name(), body};
    attrs[index_of_attr(op, "output_shapes")] = std::move(shapes);
    Operands outputs;
    emit(op, inputs, std::move(attrs), outputs);
    for (std::size_t a = 0; a < active_.size(); ++a) c_.to_input(active_[a], outputs[1 + a]);
  }

  GradContext& c_;
  std::shared_ptr<Graph> graph_;
  NodeId id_;
  std::size_t num_vars_;
  FuncRef cond_, body_;
  std::vector<std::size_t> active_;
  BodyGradient step_;
  std::shared_ptr<Graph> cond_graph_;
  std::optional<LoopSteps> steps_;
  std::vector<OutputInfo> new_vars_;  // after the loop's own variables
  std::vector<char> lists_made_;      // which of these are lists that each iteration pushes to
  std::vector<List> lists_;
  std::vector<Count> counters_;
  std::vector<Stay> stays_;
  std::vector<std::pair<Operand, Value>> constants_;
  std::size_t counter_ = 0;
  std::int64_t length_of_ = -1;
};

}  // namespace

void loop_gradient(GradContext& c) { LoopGradient(c).run(); }

}  // namespace tracefn
