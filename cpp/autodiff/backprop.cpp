// Backprop over recorded ops.
#include "autodiff/backprop.h"

#include "base/check.h"
#include "base/poll.h"
#include "ops/without_gradient.h"
#include "trace/func_graph.h"

namespace tracefn {

TensorIdentity::TensorIdentity(const Operand& x) {
  if (x.graph) {
    owner = x.graph.get();
    number = x.value.node;
    output = x.value.output;
  } else if (x.dtype() == DType::kResource && x.tensor.rank() == 0) {
    owner = x.tensor.object().get();
  } else {
    number = x.id;
  }
}

namespace {

// Each input is the output of the same number.
class PassOn final : public GradientRule {
 public:
  void differentiate(GradContext& c) override {
    for (std::size_t i = 0; i < c.num_inputs(); ++i)
      if (c.has_dy(i)) c.to_input(i, c.raw_dy(i));
  }
};

// The sum of several gradients of one tensor: IndexedSlices if all are.
Gradient sum_of(std::vector<Gradient>& parts) {
  if (parts.size() == 1) return parts[0];
  bool all_rows = true;
  for (const Gradient& part : parts)
    all_rows = all_rows && part.is_indexed_slices() && part.indices.dtype() == parts[0].indices.dtype();
  Operands values, indices;
  for (const Gradient& part : parts) {
    values.push_back(all_rows ? part.values : part.dense());
    if (all_rows) indices.push_back(part.indices);
  }
  // A plain addition if nothing is broadcast: its kernel has less overhead.
  if (!all_rows && values.size() == 2 && is_plain(values[0].dtype()) && values[0].shape().is_fully_known() &&
      values[0].shape() == values[1].shape())
    return values[0] + values[1];
  if (!all_rows) return emit_all("AddN", values)[0];
  Operand axis = build::constant(Tensor::scalar(std::int32_t{0}));
  values.push_back(axis);
  indices.push_back(axis);
  return Gradient(emit_all("ConcatV2", values)[0], emit_all("ConcatV2", indices)[0], parts[0].dense_shape);
}

// The gradients accumulated so far for each tensor that depends on a source.
class Accumulated {
 public:
  // Starts accumulating for x; for a source, until the end.
  void expect(const Operand& x, bool is_source = false) {
    TensorIdentity id(x);
    if (!id.exists()) return;
    auto [entry, fresh] = pending_.try_emplace(id);
    entry->second.is_source = entry->second.is_source || is_source;
  }
  bool expects(const Operand& x) const {
    TensorIdentity id(x);
    return id.exists() && pending_.contains(id);
  }
  void add(const Operand& x, Gradient gradient) {
    TensorIdentity id(x);
    if (!id.exists()) return;
    if (auto found = pending_.find(id); found != pending_.end()) found->second.parts.push_back(std::move(gradient));
  }
  // Their sum; undefined when there were none.
  Gradient total(const Operand& x) {
    TensorIdentity id(x);
    auto found = id.exists() ? pending_.find(id) : pending_.end();
    if (found == pending_.end() || found->second.parts.empty()) return {};
    Gradient sum = sum_of(found->second.parts);
    found->second.parts.assign(1, sum);
    return sum;
  }
  // The same for the op that produced x: it is the last use, so the memory is released.
  Gradient take(const Operand& x) {
    Gradient sum = total(x);
    TensorIdentity id(x);
    auto found = id.exists() ? pending_.find(id) : pending_.end();
    if (found != pending_.end() && !found->second.is_source) pending_.erase(found);
    return sum;
  }

 private:
  struct Entry {
    std::vector<Gradient> parts;
    bool is_source = false;
  };
  std::unordered_map<TensorIdentity, Entry, TensorIdentityHash> pending_;
};

// The node of a graph's record; null for eager ops and for calls with a rule of their own.
Node* node_of(const RecordedOp& op) {
  if (!op.op || op.outputs.empty() || !op.outputs[0].graph) return nullptr;
  return &op.outputs[0].graph->node(op.outputs[0].value.node);
}

// The record's current state: a node may have got inputs and outputs since.
struct Present {
  const RecordedOp& op;
  Node* node;
  std::vector<Operand> more_inputs, more_outputs;
  std::span<const Operand> inputs, outputs;

  explicit Present(const RecordedOp& recorded)
      : op(recorded), node(node_of(recorded)), inputs(recorded.inputs), outputs(recorded.outputs) {
    if (!node || (node->inputs.size() == inputs.size() && node->outputs.size() == outputs.size())) return;
    const Operand& first = recorded.outputs[0];
    more_inputs.assign(inputs.begin(), inputs.end());
    for (std::size_t i = inputs.size(); i < node->inputs.size(); ++i)
      more_inputs.emplace_back(first.graph, node->inputs[i]);
    for (std::size_t j = 0; j < node->outputs.size(); ++j)
      more_outputs.emplace_back(first.graph, Value{first.value.node, static_cast<std::int32_t>(j)});
    inputs = more_inputs;
    outputs = more_outputs;
  }
  const AttrList& attrs() const { return node ? node->attrs : op.attrs; }
};

// Replaces the op's rule; null: nothing.
Ref<RefCounted> own_rule(const Present& now) {
  if (!now.node || !now.node->gradient) return nullptr;
  return now.op.of_graph || !dynamic_cast<GraphRule*>(now.node->gradient.get()) ? now.node->gradient : nullptr;
}

// Marks what depends on a source; returns those ops, in order.
std::vector<const RecordedOp*> ops_between(std::span<const RecordedOp* const> ops, Accumulated& accumulated) {
  std::vector<const RecordedOp*> between;
  for (const RecordedOp* op : ops) {
    Present now(*op);
    bool depends = false;
    for (std::size_t i = 0; i < now.inputs.size() && !depends; ++i)
      depends = op->watched(i) && is_differentiable(now.inputs[i]) && accumulated.expects(now.inputs[i]);
    if (!depends) continue;
    between.push_back(op);
    for (const Operand& out : now.outputs)
      if (is_differentiable(out)) accumulated.expect(out);
  }
  return between;
}

void add_results(const Present& now, const GradContext& context, const std::vector<char>& wanted,
                 Accumulated& accumulated) {
  const std::vector<Gradient>& results = context.results();
  for (std::size_t i = 0; i < results.size(); ++i)
    if (wanted[i] && results[i].defined()) accumulated.add(now.inputs[i], results[i]);
}

// The name scope of the nodes that a rule emits, while it lives, as in TensorFlow: that of the op inside gradient_tape
// for a tape's record, the op's name and _grad for a graph's. On a tape, calls and rules of the user's own
// functions have none.
class RuleScope {
 public:
  RuleScope(const RecordedOp& op, bool unscoped) : graph_(node_of(op) && !unscoped ? current_func_graph() : nullptr) {
    if (!graph_) return;
    previous_ = graph_->enter_scope(op.of_graph ? node_of(op)->name + "_grad" : "gradient_tape/" + op.scope);
  }
  ~RuleScope() {
    if (graph_) graph_->leave_scope(std::move(previous_));
  }
  RuleScope(const RuleScope&) = delete;
  RuleScope& operator=(const RuleScope&) = delete;

 private:
  FuncGraph* graph_;
  std::string previous_;
};

void step_back(const RecordedOp& recorded, Accumulated& accumulated) {
  static const OpDef no_op;
  static const AttrList no_attrs;
  Present now(recorded);
  std::vector<Gradient> incoming;
  bool any = false;
  for (const Operand& out : now.outputs) {
    incoming.push_back(accumulated.take(out));
    any = any || incoming.back().defined();
  }
  if (!any) return;
  std::vector<char> wanted;
  for (std::size_t i = 0; i < now.inputs.size(); ++i)
    wanted.push_back(recorded.watched(i) && is_differentiable(now.inputs[i]) && accumulated.expects(now.inputs[i]));
  // A rule may give the node new inputs and outputs: its operands must not move.
  AttrList attrs = recorded.op ? now.attrs() : no_attrs;
  GradContext context(recorded.op ? *recorded.op : no_op, attrs, now.inputs, now.outputs, incoming, wanted);
  if (recorded.rule) {
    recorded.rule->differentiate(context);
    return add_results(now, context, wanted, accumulated);
  }
  const Ref<RefCounted> own = own_rule(now);
  const bool unscoped = own || (recorded.op && recorded.op->signature.kind == OpKind::kCall);
  RuleScope scope(recorded, unscoped && !recorded.of_graph);
  if (own) {
    static_cast<GradientRule&>(*own).differentiate(context);
  } else {
    TRACEFN_CHECK(recorded.op);
    if (is_gradient_replaced(*recorded.op))
      without_gradient(context);
    else
      recorded.op->grad(context);
  }
  add_results(now, context, wanted, accumulated);
}

}  // namespace

void RecordedOp::visit_owned(OwnedVisitor& visitor) const {
  for (const Attr& attr : attrs) attr.visit_owned(visitor);
  for (const Operand& x : inputs) x.visit_owned(visitor);
  for (const Operand& x : outputs) x.visit_owned(visitor);
  visitor.counted(rule);
}

std::vector<Gradient> gradients_of(std::span<const RecordedOp* const> ops, std::span<const Operand> targets,
                                   std::span<const Operand> target_gradients, std::span<const Operand> sources) {
  TRACEFN_CHECK(targets.size() == target_gradients.size());
  Accumulated accumulated;
  for (const Operand& source : sources) accumulated.expect(source, true);
  std::vector<const RecordedOp*> between = ops_between(ops, accumulated);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const DType dtype = targets[i].dtype();
    const bool has_ones = dtype != DType::kString && dtype != DType::kResource && dtype != DType::kVariant;
    if (!accumulated.expects(targets[i]) || !(target_gradients[i].defined() || has_ones)) continue;
    accumulated.add(targets[i], target_gradients[i].defined() ? target_gradients[i] : build::ones_like(targets[i]));
  }
  PolledSteps polled;
  for (std::size_t i = between.size(); i-- > 0; polled.step()) step_back(*between[i], accumulated);
  std::vector<Gradient> results;
  for (const Operand& source : sources) results.push_back(accumulated.total(source));
  return results;
}

bool depends(std::span<const RecordedOp* const> ops, std::span<const Operand> targets, const Operand& source) {
  Accumulated reached;
  reached.expect(source);
  ops_between(ops, reached);
  for (const Operand& target : targets)
    if (reached.expects(target)) return true;
  return false;
}

Operands gradients(std::span<const RecordedOp> ops, std::span<const Operand> targets,
                   std::span<const Operand> target_gradients, std::span<const Operand> sources) {
  std::vector<const RecordedOp*> all;
  for (const RecordedOp& op : ops) all.push_back(&op);
  Operands dense;
  for (const Gradient& gradient : gradients_of(all, targets, target_gradients, sources))
    dense.push_back(gradient.dense());
  return dense;
}

Ref<GradientRule> pass_on_rule() {
  static auto* rule = new Ref<GradientRule>(make_ref<PassOn>());
  return *rule;
}

std::vector<RecordedOp> records_of(const std::shared_ptr<Graph>& graph) {
  std::vector<RecordedOp> records;
  for (NodeId id : graph->order()) {
    const Node& node = graph->node(id);
    const OpDef& op = op_def(*node.op);
    if (node.inputs.empty() || node.outputs.empty() || (op.grad == not_differentiable && !node.gradient)) continue;
    RecordedOp& record = records.emplace_back();
    record.op = &op;
    record.of_graph = true;
    for (Value v : node.inputs) record.inputs.emplace_back(graph, v);
    for (std::size_t j = 0; j < node.outputs.size(); ++j)
      record.outputs.emplace_back(graph, Value{id, static_cast<std::int32_t>(j)});
  }
  return records;
}

void OpRecorder::watch(Operand& operand) {
  if (operand.is_eager() && operand.id == 0) operand.id = new_operand_id();
}

void OpRecorder::emitted(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs, Operands& outputs) {
  for (Operand& out : outputs) watch(out);
  ops_.push_back({&op, attrs, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}});
  if (next_) next_->emitted(op, inputs, attrs, outputs);
}

}  // namespace tracefn
