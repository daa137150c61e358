// Concrete: one traced function, ready to run: graph, program, captured tensors, types of arguments and result.
// Immutable but for its run-time state, so any thread may run it, several at a time.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "exec/program.h"
#include "function/func_graph.h"
#include "spec/call_key.h"
#include "spec/function_type.h"

namespace tracefn {

class Concrete {
 public:
  // `graph` is finished. The program is compiled on the first run, so that a function which is only traced costs none.
  // `name` is unique in the process: "__inference_f_12".
  Concrete(std::string name, std::shared_ptr<FuncGraph> graph, CallKey key, TraceTypePtr output);

  const std::string& name() const { return name_; }
  const std::shared_ptr<FuncGraph>& graph() const { return graph_; }
  const CallKey& key() const { return key_; }
  const TraceTypePtr& output() const { return output_; }
  FunctionTypePtr type() const;
  // Tensors of the arguments, captures not counted.
  std::size_t num_args() const { return num_args_; }

  // Runs with `args` (moved from) and the captured tensors. Error(kType) when a capture belongs to a graph.
  void run(std::span<Tensor> args, std::vector<Tensor>& results);
  // The arguments that running reads, by index, ascending; null until the first run has compiled the program.
  const std::vector<std::uint32_t>* used_args() const {
    return ready_.load(std::memory_order_acquire) ? &used_args_ : nullptr;
  }
  // Runs with the arguments of used_args() (moved from) alone. Precondition: used_args() is not null.
  void run_used(std::span<Tensor> used, std::vector<Tensor>& results);
  // Whether run_scalars() may be called: the program computes with nothing but scalars. Precondition: used_args() is
  // not null.
  bool computes_scalars() const { return program_->scalars() != nullptr; }
  // Runs with the arguments of used_args() alone, and as many results as the function has. It is short, or gives up the
  // host's lock by itself, and reads no argument after that. False, with nothing done, when an argument is no scalar.
  bool run_scalars(std::span<const Tensor* const> used, std::span<Tensor> results) const;
  // Runs only what `nodes` need, in spite of any order of effects: the initial values of variables. Without `args`,
  // Error(kValue) when one of them is needed.
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
  // True when the work may be long enough that the host's lock should be given up.
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
  std::mutex compiled_;  // held to write what follows, once
  Callee callee_;
  std::shared_ptr<const Program> program_;
  std::unique_ptr<ProgramState> state_;
  std::vector<std::uint32_t> used_args_;
  std::vector<Tensor> used_captures_;
  std::atomic<bool> ready_{false};  // set once all of the above are
};

}  // namespace tracefn
