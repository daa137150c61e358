// run_op: one op, now. Shared by eager execution and by the executor of compiled programs.
#pragma once

#include <span>

#include "ops/kernel.h"

namespace tracefn {

// What a kernel may ask for besides its operands. Any pointer may be null.
struct RunServices {
  BodyRunner* bodies = nullptr;
  ShardRunner* shards = nullptr;
  StateSlot* state = nullptr;
  std::string_view node_name;
};

// Runs the shape rule where the op wants its outputs allocated, then the kernel. `outputs` has one undefined Tensor per
// output; `output_dtypes` are theirs.
void run_op(const OpDef& op, const AttrList& attrs, std::span<KernelContext::Operand> inputs, std::span<Tensor> outputs,
            std::span<const DType> output_dtypes, const RunServices& services);

}  // namespace tracefn
