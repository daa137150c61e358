// EagerBodies: runs the function attributes of an eagerly executed op. Compiled bodies are cached in a small
// process-wide cache. Lives on the stack of one call.
#pragma once

#include "ir/attr.h"
#include "ops/emit.h"
#include "ops/kernel.h"

namespace tracefn {

class EagerBodies final : public BodyRunner {
 public:
  explicit EagerBodies(const AttrList& attrs);
  void run(std::size_t index, std::span<const TensorRef> args, std::vector<Tensor>& results) override;

  struct Compiled;

 private:
  std::vector<std::shared_ptr<Compiled>> bodies_;
};

// Runs an op that holds graphs and records it on this thread's tapes; false if they need not record it. Implemented in
// cpp/autodiff, which can differentiate a graph.
using RecordedBodies = bool (*)(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs,
                                Operands& outputs);
// Returns the previous one.
RecordedBodies set_recorded_bodies(RecordedBodies runner);
bool run_recorded_bodies(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs, Operands& outputs);

}  // namespace tracefn
