// Concrete: one traced function, ready to run: graph, program, captured tensors, types of arguments and result.
// Immutable apart from its run-time state, so any thread may run it, several at a time.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "exec/program.h"
#include "spec/call_key.h"
#include "spec/function_type.h"
#include "trace/func_graph.h"

namespace tracefn {

class Concrete {
 public:
  // `graph` is finished. The program is compiled on the first run, so a function that is only traced pays nothing for
  // it. `name` is unique in the process: "__inference_f_12".
  Concrete(std::string name, std::shared_ptr<FuncGraph> graph, CallKey key, TraceTypePtr output);

  const std::string& name() const { return name_; }
  const std::shared_ptr<FuncGraph>& graph() const { return graph_; }
  const CallKey& key() const { return key_; }
  const TraceTypePtr& output() const { return output_; }
  FunctionTypePtr type() const;
  // Tensors of the arguments, without captures.
  std::size_t num_args() const { return num_args_; }

  // Runs with `args` (moved from) and the captured tensors. Error(kType) if a capture belongs to a graph.
  void run(std::span<Tensor> args, std::vector<Tensor>& results);
  // The indices of the arguments that a run reads, ascending; null until the first run has compiled the program.
  const std::vector<std::uint32_t>* used_args() const {
    return ready_.load(std::memory_order_acquire) ? &used_args_ : nullptr;
  }
  // Runs with only the arguments of used_args() (moved from). Precondition: used_args() is not null.
  void run_used(std::span<Tensor> used, std::vector<Tensor>& results);
  // Whether run_scalars() may be called: the program computes only with scalars. Precondition: used_args() is not null.
  bool computes_scalars() const { return program_->scalars() != nullptr; }
  // Runs with only the arguments of used_args(), and as many results as the function has. It is short, or releases the
  // host's lock by itself, and reads no argument after that. False, with nothing done, if an argument is not a scalar.
  bool run_scalars(std::span<const Tensor* const> used, std::span<Tensor> results) const;
  // Runs only what `nodes` need, ignoring the order of side effects: the initial values of variables. Without `args`,
  // Error(kValue) if one of them is needed.
  void run_only(std::vector<NodeId> nodes, std::span<Tensor> args, bool has_args) const;
  // The graph for calls from other graphs, which pass the arguments, the captures, and these constants of it: captured
  // tensors that gradients flow to.
  struct Callee {
    std::shared_ptr<const Graph> graph;
    std::vector<FuncGraph::Capture> constants;
  };
  const Callee& callee();
  // Its graphs and its program. See base/owned.h; the caller holds the host's lock.
  void visit_owned(OwnedVisitor& visitor) const;
  // True if the run may be long enough to release the host's lock.
  bool may_be_long(std::span<const Tensor> args) const;

 private:
  void compile();

  std::string name_;
  std::shared_ptr<FuncGraph> graph_;
  CallKey key_;
  TraceTypePtr output_;
  std::size_t num_args_;
  std::vector<Tensor> captured_;
  bool has_loop_ = false;
  std::once_flag callee_made_;
  std::mutex compiled_;  // held to write the members below, once
  Callee callee_;
  std::shared_ptr<const Program> program_;
  std::unique_ptr<ProgramState> state_;
  std::vector<std::uint32_t> used_args_;
  std::vector<Tensor> used_captures_;
  std::atomic<bool> ready_{false};  // set once all of the above are
};

}  // namespace tracefn
