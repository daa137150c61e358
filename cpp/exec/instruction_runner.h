// InstructionRunner: runs an instruction instead of its op's kernel: a fusion group, or a loop compiled as a whole. Any
// number of threads may run it at once.
#pragma once

#include <span>
#include <string>

#include "ir/graph.h"
#include "ops/kernel.h"

namespace tracefn {

class InstructionRunner {
 public:
  virtual ~InstructionRunner() = default;
  // False, with nothing done, if the actual values do not fit: the op's kernel must run then. `outputs` may have
  // tensors of earlier runs, whose memory may be used if nobody else has it (memory_for.h). On an Error, `failed` is
  // the node that threw.
  virtual bool run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
                   const Node*& failed) const = 0;
  // Whether it is a loop compiled as a whole: TRACEFN_COMPILE=verify compares it with the op's kernel.
  virtual bool is_compiled_loop() const { return false; }
  // Whether there is code already, or it is compiled when it runs.
  virtual bool has_code() const { return true; }
  // The code, for a reader; "" if there is nothing to show.
  virtual std::string text() const { return ""; }
};

}  // namespace tracefn
