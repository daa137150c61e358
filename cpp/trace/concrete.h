// Concrete: one traced function, ready to run: graph, captured tensors, types of arguments and result, and
// its CompiledFunction.
// Immutable apart from its run-time state, so any thread may run it, several at a time.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/compiled_function.h"
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

  // What runs it, compiled on first use. Error(kType) if a capture belongs to a graph.
  const CompiledFunction& compiled();
  bool is_compiled() const { return compiled_.if_made() != nullptr; }
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

 private:
  std::vector<Tensor> captured_tensors() const;

  std::string name_;
  std::shared_ptr<FuncGraph> graph_;
  CallKey key_;
  TraceTypePtr output_;
  std::size_t num_args_;
  std::once_flag callee_made_;
  Callee callee_;
  CompiledOnce compiled_;
};

}  // namespace tracefn
