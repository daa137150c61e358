// CompiledFunction: a graph compiled to a program, with the tensors that it captured and the state that its nodes keep
// between calls. What runs a graph runs one of these: calls of traced functions, gradients, loaded models. Immutable
// apart from that state, so any thread may run it, several at a time. It owns its program and captures.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/owned.h"
#include "exec/executor.h"
#include "exec/program.h"

namespace tracefn {

class CompiledFunction {
 public:
  // Optimizes and compiles `graph`, which is finished; its last inputs are the captured ones. `name` is the function's
  // in errors. Error(kInvalidArgument) if a node is placed on a device that is not there.
  CompiledFunction(std::shared_ptr<const Graph> graph, const std::string& name, std::vector<Tensor> captured = {});
  // Compiles it as it is.
  struct AsItIs {};
  CompiledFunction(AsItIs, std::shared_ptr<const Graph> graph, const std::string& name,
                   std::vector<Tensor> captured = {});

  const std::string& name() const { return program_->name(); }
  // Arguments, without captures.
  std::size_t num_args() const { return program_->num_arguments() - captured_.size(); }
  std::size_t num_results() const { return program_->num_results(); }

  // Runs with one argument for each of num_args(), of the dtypes of the graph's inputs, which is not checked; those
  // that it does not read may be null. Arguments marked so are moved from; the others are not read once the host's lock
  // may be released. `results` has num_results() tensors. An Error of a tf.errors kind has TensorFlow's text around it:
  // the node, where it was made, the function.
  void run(std::span<const TensorRef> args, std::span<Tensor> results) const;

  // As Program::loops(). Of a function of scalars there are none: it is compiled from its arguments to its results.
  std::vector<Program::LoopReport> loops() const {
    return program_->scalars() ? std::vector<Program::LoopReport>() : program_->loops();
  }
  // Its program. See base/owned.h.
  void visit_owned(OwnedVisitor& visitor) const { visitor.shared(program_); }

 private:
  std::shared_ptr<const Program> program_;
  mutable ProgramState state_;
  std::vector<Tensor> captured_;
};

// A CompiledFunction made when it is first needed. Any thread may call.
class CompiledOnce {
 public:
  CompiledOnce() = default;
  ~CompiledOnce() { delete made_.load(std::memory_order_relaxed); }
  CompiledOnce(const CompiledOnce&) = delete;
  CompiledOnce& operator=(const CompiledOnce&) = delete;

  // `make` returns a new CompiledFunction. It runs without a lock, for a signal handler that runs meanwhile may need
  // the same function. Of several results the first one is kept.
  template <typename Make>
  const CompiledFunction& get(Make make) {
    if (const CompiledFunction* made = if_made()) return *made;
    std::unique_ptr<const CompiledFunction> mine = make();
    const CompiledFunction* first = nullptr;
    if (made_.compare_exchange_strong(first, mine.get(), std::memory_order_acq_rel)) return *mine.release();
    return *first;
  }
  // Null if it has not been needed yet.
  const CompiledFunction* if_made() const { return made_.load(std::memory_order_acquire); }

  void visit_owned(OwnedVisitor& visitor) const {
    if (const CompiledFunction* made = if_made()) made->visit_owned(visitor);
  }

 private:
  std::atomic<const CompiledFunction*> made_{nullptr};
};

}  // namespace tracefn
