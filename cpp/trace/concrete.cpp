// Compiles and runs traced functions.
#include "trace/concrete.h"

#include "base/check.h"
#include "base/host_lock.h"
#include "base/poll.h"
#include "exec/long_work.h"
#include "exec/placement.h"
#include "ops/leaked.h"
#include "passes/pass.h"
#include "spec/tensor_type.h"
#include "trace/constant_inputs.h"

namespace tracefn {

Concrete::Concrete(std::string name, std::shared_ptr<FuncGraph> graph, CallKey key, TraceTypePtr output)
    : name_(std::move(name)), graph_(std::move(graph)), key_(std::move(key)), output_(std::move(output)) {
  TRACEFN_CHECK(graph_->finished());
  num_args_ = graph_->graph()->inputs.size() - graph_->captures().size();
  const Graph& g = *graph_->graph();
  for (NodeId id = 0; id < g.size(); ++id) has_loop_ |= op_def(*g.node(id).op).has_function_attr;
}

FunctionTypePtr Concrete::type() const {
  std::vector<Capture> captures;
  for (const FuncGraph::Capture& c : graph_->captures_and_constants())
    captures.push_back({static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(
                            c.outer.is_eager() ? c.outer.tensor.raw() : static_cast<const void*>(c.outer.graph.get()))),
                        TraceTypePtr(make_ref<TensorType>(c.outer.dtype(), c.outer.shape()))});
  return make_ref<FunctionType>(key_, std::move(captures), output_);
}

const Concrete::Callee& Concrete::callee() {
  std::call_once(callee_made_, [this] {
    WithoutPolls whole;
    callee_.constants = differentiable_constants(graph_->constants());
    callee_.graph = callee_.constants.empty() ? graph_->shared_graph()
                                              : with_constants_as_inputs(*graph_->graph(), callee_.constants);
  });
  return callee_;
}

// Lock-free: a signal handler that runs meanwhile may call the same function. Of several results the first one is kept.
void Concrete::compile() {
  check_placement(*graph_->graph(), name_);
  std::vector<Tensor> captured, used_captures;
  for (const FuncGraph::Capture& c : graph_->captures()) {
    if (!c.outer.is_eager()) leaked_tensor(c.outer, nullptr);
    captured.push_back(c.outer.tensor);
  }
  auto program = Program::compile(optimize(graph_->shared_graph()), name_);
  auto state = std::make_unique<ProgramState>(*program);
  std::vector<std::uint32_t> used_args;
  for (std::uint32_t i : program->used_arguments()) {
    if (i < num_args_) {
      used_args.push_back(i);
    } else {
      used_captures.push_back(captured[i - num_args_]);
    }
  }
  std::lock_guard lock(compiled_);
  if (ready_.load(std::memory_order_relaxed)) return;
  state_ = std::move(state);
  captured_ = std::move(captured);
  program_ = std::move(program);
  used_args_ = std::move(used_args);
  used_captures_ = std::move(used_captures);
  ready_.store(true, std::memory_order_release);
}

void Concrete::run(std::span<Tensor> args, std::vector<Tensor>& results) {
  if (!ready_.load(std::memory_order_acquire)) compile();
  if (computes_scalars()) {
    SmallVector<const Tensor*, 8> used;
    for (std::uint32_t i : used_args_) used.push_back(&args[i]);
    std::vector<Tensor> made(program_->num_results());
    if (run_scalars(used, made)) {
      results = std::move(made);
      return;
    }
  }
  if (captured_.empty()) {
    tracefn::run(*program_, args, results, *state_);
    return;
  }
  SmallVector<Tensor, 8> all;
  all.reserve(args.size() + captured_.size());
  for (Tensor& t : args) all.push_back(std::move(t));
  for (const Tensor& t : captured_) all.push_back(t);
  tracefn::run(*program_, std::span(all.data(), all.size()), results, *state_);
}

void Concrete::run_used(std::span<Tensor> used, std::vector<Tensor>& results) {
  if (used_captures_.empty()) {
    tracefn::run_used(*program_, used, results, *state_);
    return;
  }
  SmallVector<Tensor, 8> all;
  all.reserve(used.size() + used_captures_.size());
  for (Tensor& t : used) all.push_back(std::move(t));
  for (const Tensor& t : used_captures_) all.push_back(t);
  tracefn::run_used(*program_, std::span(all.data(), all.size()), results, *state_);
}

bool Concrete::run_scalars(std::span<const Tensor* const> used, std::span<Tensor> results) const {
  if (used_captures_.empty()) return tracefn::run_scalars(*program_, used, results);
  SmallVector<const Tensor*, 8> all(used.begin(), used.end());
  for (const Tensor& t : used_captures_) all.push_back(&t);
  return tracefn::run_scalars(*program_, all, results);
}

void Concrete::run_only(std::vector<NodeId> nodes, std::span<Tensor> args, bool has_args) const {
  auto part = std::make_shared<Graph>(*graph_->graph());
  part->outputs.clear();
  part->control_outputs = std::move(nodes);
  for (NodeId id = 0; id < part->size(); ++id) part->node(id).control_inputs.clear();
  std::vector<char> needed(static_cast<std::size_t>(part->size()), 0);
  for (NodeId id : live_nodes(*part)) needed[static_cast<std::size_t>(id)] = 1;
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < num_args_; ++i) {
    if (!has_args && needed[static_cast<std::size_t>(part->inputs[i].node)])
      fail(ErrorKind::kValue, "The initial value of a Variable made in ", graph_->name(),
           " depends on an argument; call the function once before asking for a concrete function.");
    all.push_back(has_args ? std::move(args[i]) : Tensor::scalar(0.0f));
  }
  for (const FuncGraph::Capture& c : graph_->captures()) {
    if (!c.outer.is_eager()) leaked_tensor(c.outer, nullptr);
    all.push_back(c.outer.tensor);
  }
  auto program = Program::compile(part, name_);
  ProgramState state(*program);
  std::vector<Tensor> results;
  tracefn::run(*program, all, results, state);
}

void Concrete::visit_owned(OwnedVisitor& visitor) const {
  visitor.shared(graph_);
  visitor.shared(callee_.graph);
  if (ready_.load(std::memory_order_acquire)) visitor.shared(program_);
}

bool Concrete::may_be_long(std::span<const Tensor> args) const {
  return has_loop_ || any_is_long(args) || any_is_long(captured_);
}

}  // namespace tracefn
