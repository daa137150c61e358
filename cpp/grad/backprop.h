// The reverse walk: gradients of recorded straight-line ops, as ops emitted on the current target. It serves the tape
// (eager values) and graphs (symbolic ones) alike, because gradient rules are written with emit.
#pragma once

#include <span>
#include <vector>

#include "ops/emit.h"

namespace tracefn {

// One op as it happened. Outputs carry the identity by which later inputs are recognised: `id` of eager operands (an id
// of 0 has no identity: a constant), graph and value of symbolic ones.
struct RecordedOp {
  const OpDef* op = nullptr;
  AttrList attrs;
  Operands inputs;
  Operands outputs;
};

// For each of `sources` the gradient of the sum of targets[i] * target_gradients[i] (of the conjugated gradients, for
// complex numbers, as TensorFlow has it): undefined where no target depends on it. An undefined target gradient means
// ones. `ops` stand in the order in which they ran.
Operands gradients(std::span<const RecordedOp> ops, std::span<const Operand> targets,
                   std::span<const Operand> target_gradients, std::span<const Operand> sources);

// A listener that records every op, for gradients(). Install it by ListenerScope; use it on one thread. `next`, if
// there is one, is told too, so that recorders can be nested for higher orders.
class OpRecorder final : public EmitListener {
 public:
  explicit OpRecorder(EmitListener* next = nullptr) : next_(next) {}
  void emitted(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs, Operands& outputs) override;
  // Gives an eager operand an identity, so that it can be a source. Symbolic operands have one.
  static void watch(Operand& operand);
  const std::vector<RecordedOp>& ops() const { return ops_; }

 private:
  EmitListener* next_;
  std::vector<RecordedOp> ops_;
};

class ListenerScope {
 public:
  explicit ListenerScope(EmitListener* listener) : previous_(set_listener(listener)) {}
  ~ListenerScope() { set_listener(previous_); }
  ListenerScope(const ListenerScope&) = delete;
  ListenerScope& operator=(const ListenerScope&) = delete;

 private:
  EmitListener* previous_;
};

}  // namespace tracefn
