// LoopCheck: runs a compiled loop on the side, to compare it with the same loop op by op (TRACEFN_COMPILE=verify).
// Lives on the stack of one run.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "exec/instruction_runner.h"

namespace tracefn {

class LoopCheck {
 public:
  // Runs the loop on borrowed inputs, which it may not change. Throws what signal handlers throw.
  LoopCheck(const InstructionRunner& loop, std::span<const TensorRef> inputs, std::size_t num_outputs,
            ShardRunner& shards);

  // What happened op by op: the outputs, or an error. Error(kInternal) if the compiled loop did otherwise.
  void compare(std::span<const Tensor> outputs, std::string_view what) const;
  void compare(const Error& error, std::string_view what) const;

 private:
  bool ran_ = false;  // else the loop does not take these inputs
  std::vector<Tensor> outputs_;
  std::optional<Error> error_;
};

}  // namespace tracefn
