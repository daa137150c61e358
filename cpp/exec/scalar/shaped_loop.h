// ShapedLoop: a While whose arrays have shapes that the trace does not say. It is compiled at a call, for the shapes of
// that call, as a ScalarLoop; a few of these are kept. Any number of threads may run it at once.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exec/instruction_runner.h"
#include "exec/scalar/scalar_loop.h"
#include "ir/graph.h"

namespace tracefn {

class ShapedLoop final : public InstructionRunner {
 public:
  // `graph` and its node `loop` must outlive it. `general` is the loop as it was compiled without a call's shapes; null
  // if it could not be.
  ShapedLoop(const Graph& graph, const Node& loop, std::unique_ptr<ScalarLoop> general);
  ~ShapedLoop() override;

  // Whether the shapes of a call can make a difference; `has_general` as for the constructor.
  static bool can_help(const Graph& graph, const Node& loop, bool has_general);

  // Output i is unused: it stays as it is. Call before the first run.
  void leave_out(std::size_t i);

  // Runs the loop that was compiled for such inputs, and compiles it if there is none and not too many others have
  // been. False, with nothing done, if that is not possible.
  bool run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
           const Node*& failed) const override;

  bool is_compiled_loop() const override { return true; }
  // The code of the loop that was compiled last.
  std::string text() const override;
  bool has_code() const override { return general_ || made_.load(std::memory_order_acquire) > 0; }

 private:
  static constexpr std::size_t kMost = 8;
  // Whether the call before had inputs of the same shapes: then it pays to compile for them.
  bool come_again(std::span<const TensorRef> inputs) const;
  // Null if another thread compiles now, or the loop does not compile.
  const ScalarLoop* compiled_for(std::span<const TensorRef> inputs) const;

  const Graph& graph_;
  const Node& loop_;
  std::unique_ptr<ScalarLoop> general_;
  std::vector<std::size_t> left_out_;
  // The first made_ are there for good. Only the thread that has set busy_ adds one.
  mutable std::array<std::unique_ptr<const ScalarLoop>, kMost> loops_;
  mutable std::atomic<std::size_t> made_{0};
  mutable std::atomic<std::size_t> tries_{0};
  mutable std::atomic<std::uint64_t> last_shapes_{0};  // a hash
  mutable std::atomic_flag busy_;
};

}  // namespace tracefn
