// Device placement: the CPU is the only device; placement on any other is an error unless it is soft.
#pragma once

#include <string>

#include "ir/graph.h"
#include "ops/emit.h"

namespace tracefn {

// Whether ops placed on a missing device run on the CPU; true initially. Any thread may get and set it.
bool soft_placement();
void set_soft_placement(bool enabled);

// Error(kInvalidArgument) if a node of the graph, or of its bodies, is placed where it cannot run; `function` is the
// name in the message.
void check_placement(const Graph& graph, std::string_view function);

// Replaces eager execution where ops are placed on a missing device: each op is an error. Constants are no ops; they
// call refuse_missing_device().
class MissingDeviceTarget final : public EmitTarget {
 public:
  explicit MissingDeviceTarget(std::string message) : message_(std::move(message)) {}
  void emit(const OpDef& op, std::span<const Operand> inputs, AttrList attrs, std::string_view name,
            Operands& outputs) override;
  Tensor constant_value(const Operand& operand) override { return operand.tensor; }
  bool is_eager() const override { return true; }
  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

// Error(kInvalidArgument) if the current target is a MissingDeviceTarget. `op` is the op to run, "" for a constant.
void refuse_missing_device(std::string_view op = {});

}  // namespace tracefn
