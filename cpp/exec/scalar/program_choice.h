// ProgramChoice: whether a graph runs as an array program or op by op. The array program is compiled once the graph has
// run often; then a few runs of each way are timed, and the faster way stays. Results do not depend on it. Any number
// of threads may use it; a lost update costs nothing but time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "exec/scalar/array_program.h"
#include "ir/graph.h"

namespace tracefn {

class ProgramChoice {
 public:
  // The graph must outlive it. `arguments` are the inputs that a run reads.
  ProgramChoice(const Graph& graph, std::vector<std::uint32_t> arguments);
  ~ProgramChoice();
  ProgramChoice(const ProgramChoice&) = delete;
  ProgramChoice& operator=(const ProgramChoice&) = delete;

  // What one run does: by `program`, or op by op if that is null.
  struct Turn {
    const ArrayProgram* program = nullptr;
    bool is_timed = false;
  };
  Turn next() {
    if (settled_.load(std::memory_order_acquire)) return {program_.load(std::memory_order_relaxed), false};
    return next_unsettled();
  }
  // What a timed run took.
  void note(bool by_program, std::chrono::nanoseconds time);
  // The program, if it is what runs.
  const ArrayProgram* chosen() const {
    return settled_.load(std::memory_order_acquire) ? program_.load(std::memory_order_relaxed) : nullptr;
  }

 private:
  Turn next_unsettled();
  void compile();
  void settle(bool by_program);

  const Graph& graph_;
  const std::vector<std::uint32_t> arguments_;
  std::unique_ptr<const ArrayProgram> made_;           // by the thread that has set compiling_
  std::atomic<const ArrayProgram*> program_{nullptr};  // null again if it is not used
  std::atomic<bool> settled_;
  std::atomic_flag compiling_;
  std::atomic<std::uint32_t> runs_{0};
  std::atomic<std::int64_t> fastest_[2];  // nanoseconds, op by op and by the program
};

}  // namespace tracefn
