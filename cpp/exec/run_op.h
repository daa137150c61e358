// run_op: runs one op. Shared by eager execution and the executor of compiled programs.
#pragma once

#include <span>

#include "ops/kernel.h"

namespace tracefn {

// What a kernel may need besides its operands. Any pointer may be null.
struct RunServices {
  BodyRunner* bodies = nullptr;
  ShardRunner* shards = nullptr;
  BlockFinisher* finisher = nullptr;
  StateSlot* state = nullptr;
  std::string_view node_name;
  std::uint64_t unread_outputs = 0;  // bit j: nothing reads output j
  // The inputs' shapes, then those that the shape rule gives the outputs for them, whatever the inputs' values are;
  // empty if that is not known beforehand.
  std::span<const Shape> expected_shapes;
};

// Runs the shape rule if the op wants its outputs allocated, then the kernel. `outputs` has one Tensor per output,
// undefined, or whose memory may be used if it fits and has no other owner and there are expected shapes;
// `output_dtypes` are theirs.
void run_op(const OpDef& op, const AttrList& attrs, std::span<TensorRef> inputs, std::span<Tensor> outputs,
            std::span<const DType> output_dtypes, const RunServices& services);

}  // namespace tracefn
