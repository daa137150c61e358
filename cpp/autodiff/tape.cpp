// Recording on tapes.
#include "autodiff/tape.h"

#include <algorithm>
#include <utility>

#include "ops/state/variable_resource.h"
#include "trace/func_graph.h"

namespace tracefn {
namespace {

// Whether an op that takes a variable's handle reads its value.
bool reads_variables(const OpDef& op) { return op.has_function_attr || op.facts.reads_variable; }

class TapeListener final : public EmitListener {
 public:
  static TapeListener& get() {
    static TapeListener listener;
    return listener;
  }

  void emitted(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs, Operands& outputs) override {
    if (op.grad == not_differentiable) return;
    // Recorded as the call of a graph, if at all (autodiff/recorded_bodies.h).
    if (op.has_function_attr && !outputs.empty() && outputs[0].is_eager()) return;
    ActiveTapes& active = ActiveTapes::of_thread();
    for (const Operand& in : inputs)
      if (in.dtype() == DType::kResource && reads_variables(op)) active.variable_accessed(in);
    if (!outputs.empty()) active.record(&op, attrs, inputs, std::span(outputs.data(), outputs.size()));
  }
};

// The name scope in which a node was just made. TensorFlow's public functions open one of the node's name for some ops.
std::string scope_of(const OpDef* op, std::span<const Operand> outputs) {
  if (!op || outputs.empty() || !outputs[0].graph) return {};
  const std::string& name = outputs[0].graph->node(outputs[0].value.node).name;
  if (op->opens_scope(name)) return name + "/";
  const FuncGraph* graph = current_func_graph();
  return graph ? graph->scope() : std::string();
}

bool tracks_any(const Tape& tape, std::span<const Operand> operands) {
  return std::any_of(operands.begin(), operands.end(),
                     [&](const Operand& x) { return is_differentiable(x) && tape.tracks(x); });
}

}  // namespace

void Tape::watch(const Operand& tensor) {
  if (tracked_.insert(TensorIdentity(tensor)).second) watched_.push_back(tensor);
}

void Tape::watch_variable(const Operand& handle) {
  if (!tracked_.insert(TensorIdentity(handle)).second) return;
  watched_.push_back(handle);
  variables_.push_back(handle);
}

bool Tape::tracks(const Operand& x) const {
  TensorIdentity id(x);
  return id.exists() && tracks(id);
}

void Tape::record(RecordedOp op) {
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (tracks(op.inputs[i])) continue;
    op.unwatched.resize(op.inputs.size(), 0);
    op.unwatched[i] = 1;
  }
  for (const Operand& out : op.outputs)
    if (is_differentiable(out)) tracked_.insert(TensorIdentity(out));
  // A conditional, loop or call gets outputs for its gradient later: they are tracked too.
  if (op.op && op.op->has_function_attr && op.outputs[0].graph) tracked_.insert(TensorIdentity(op.outputs[0]).node());
  ops_.push_back(std::move(op));
}

void Tape::visit_owned(OwnedVisitor& visitor) const {
  for (const RecordedOp& op : ops_) op.visit_owned(visitor);
  for (const Operand& x : watched_) x.visit_owned(visitor);
  for (const Operand& x : variables_) x.visit_owned(visitor);
}

std::vector<const RecordedOp*> Tape::all_ops() const {
  // This tape itself may record the walk (a persistent one): the walk ignores the new records.
  std::vector<const RecordedOp*> ops;
  ops.reserve(ops_.size());
  for (const RecordedOp& op : ops_) ops.push_back(&op);
  return ops;
}

std::vector<bool> Tape::connected(std::span<const Operand> targets, std::span<const Operand> sources) const {
  std::vector<bool> result;
  for (const Operand& source : sources) result.push_back(depends(all_ops(), targets, source));
  return result;
}

std::vector<Gradient> Tape::gradient(std::span<const Operand> targets, std::span<const Operand> target_gradients,
                                     std::span<const Operand> sources) const {
  return gradients_of(all_ops(), targets, target_gradients, sources);
}

ActiveTapes& ActiveTapes::of_thread() {
  thread_local ActiveTapes active;
  return active;
}

void ActiveTapes::push(std::shared_ptr<Tape> tape) {
  std::erase_if(entries_, [&](const Entry& e) { return e.tape == tape; });  // ended by another thread
  tape->recorder_ = this;
  entries_.push_back({std::move(tape)});
  listen();
}

void ActiveTapes::remove(Tape& tape) {
  const ActiveTapes* recorder = std::exchange(tape.recorder_, nullptr);
  if (ActiveTapes& mine = of_thread(); recorder == &mine) mine.listen();
}

std::uint64_t ActiveTapes::pause() {
  entries_.push_back({nullptr, ++last_pause_});
  listen();
  return last_pause_;
}

void ActiveTapes::resume(std::uint64_t number) {
  std::erase_if(entries_, [&](const Entry& e) { return e.pause == number; });
  listen();
}

void ActiveTapes::listen() {
  List ended = std::move(tapes_);  // destroyed last: a tape's records may be long
  tapes_.clear();
  std::erase_if(entries_, [&](const Entry& e) { return e.tape && !records(*e.tape); });
  std::size_t first = entries_.size();
  while (first > 0 && entries_[first - 1].tape) --first;
  for (; first < entries_.size(); ++first) tapes_.push_back(entries_[first].tape);
  set_listener(tapes_.empty() ? nullptr : &TapeListener::get());
}

bool ActiveTapes::listening() const { return !tapes_.empty() && current_listener() != nullptr; }

void ActiveTapes::variable_accessed(const Operand& handle) {
  if (!handle.is_eager() || handle.tensor.rank() != 0) return;
  auto* variable = dynamic_cast<const VariableResource*>(handle.tensor.object().get());
  if (!variable || !variable->trainable()) return;
  for (const auto& tape : tapes_)
    if (tape->watches_variables() && records(*tape)) tape->watch_variable(handle);
}

bool ActiveTapes::track(const Operand& x) const {
  if (!is_differentiable(x)) return false;
  TensorIdentity id(x);
  return id.exists() && std::any_of(tapes_.begin(), tapes_.end(),
                                    [&](const auto& tape) { return records(*tape) && tape->tracks(id); });
}

bool ActiveTapes::record(const OpDef* op, const AttrList& attrs, std::span<const Operand> inputs,
                         std::span<Operand> outputs, const Ref<GradientRule>& rule) {
  SmallVector<TensorIdentity, 8> ids;
  for (const Operand& in : inputs)
    if (is_differentiable(in))
      if (TensorIdentity id(in); id.exists()) ids.push_back(id);
  bool any = false;
  std::string scope;
  for (const auto& tape : tapes_) {
    if (!records(*tape)) continue;
    bool tracked = std::any_of(ids.begin(), ids.end(), [&](const TensorIdentity& id) { return tape->tracks(id); });
    if (!tracked) continue;
    if (!any) {
      for (Operand& out : outputs)
        if (out.is_eager() && out.id == 0) out.id = new_operand_id();
      scope = scope_of(op, outputs);
    }
    any = true;
    tape->record({.op = op,
                  .attrs = attrs,
                  .inputs = {inputs.begin(), inputs.end()},
                  .outputs = {outputs.begin(), outputs.end()},
                  .rule = rule,
                  .scope = scope});
  }
  return any;
}

void ActiveTapes::record_custom(std::span<const Operand> inputs, std::span<const Operand> results,
                                std::span<Operand> outputs, const Ref<GradientRule>& rule) {
  for (const auto& tape : tapes_) {
    if (!records(*tape)) continue;
    bool by_rule = !tape->forward() && tracks_any(*tape, inputs);
    if (!by_rule && !tracks_any(*tape, results)) continue;
    std::span<const Operand> from = by_rule ? inputs : results;
    Ref<GradientRule> used = by_rule ? rule : pass_on_rule();
    tape->record({nullptr, {}, {from.begin(), from.end()}, {outputs.begin(), outputs.end()}, used});
  }
}

void ActiveTapes::record_custom_node(const OpDef& op, const AttrList& attrs, std::span<const Operand> inputs,
                                     std::span<Operand> outputs, std::size_t num_results) {
  for (const auto& tape : tapes_) {
    if (!records(*tape)) continue;
    if (tape->forward()) {
      std::span<const Operand> results = inputs.first(num_results);
      std::span<const Operand> same = outputs.first(num_results);
      if (tracks_any(*tape, results))
        tape->record({nullptr, {}, {results.begin(), results.end()}, {same.begin(), same.end()}, pass_on_rule()});
    } else if (tracks_any(*tape, inputs)) {
      tape->record({&op, attrs, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}});
    }
  }
}

}  // namespace tracefn
