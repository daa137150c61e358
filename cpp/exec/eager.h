// The eager target: runs an emitted op at once on the calling thread. One for the whole process; thread-safe.
#pragma once

#include <cstdint>

#include "ops/emit.h"

namespace tracefn {

// While one lives, ops that this thread runs eagerly may leave out some outputs: bit j says that nothing reads output
// j. What tapes record is computed all the same, since gradients may read it. One at a time on a thread.
class UnreadOutputs {
 public:
  explicit UnreadOutputs(std::uint64_t outputs);
  ~UnreadOutputs();
  UnreadOutputs(const UnreadOutputs&) = delete;
  UnreadOutputs& operator=(const UnreadOutputs&) = delete;
};

class EagerTarget final : public EmitTarget {
 public:
  static EagerTarget& get();
  // Bodies of a conditional, loop or call are compiled on first use and cached for a while.
  // Error messages end as TensorFlow's do: "... [Op:AddV2] name: ".
  void emit(const OpDef& op, std::span<const Operand> inputs, AttrList attrs, std::string_view name,
            Operands& outputs) override;
  Tensor constant_value(const Operand& operand) override { return operand.tensor; }
  bool is_eager() const override { return true; }
};

// Whether ops run eagerly on this thread: the current target is the eager one.
inline bool runs_eagerly() { return &current_target() == &EagerTarget::get(); }

}  // namespace tracefn
