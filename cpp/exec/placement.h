// Where ops are placed: on the CPU, the one device there is, or on one that does not exist, which is an error unless
// placement is soft.
#pragma once

#include <string>

#include "ir/graph.h"
#include "ops/emit.h"

namespace tracefn {

// Whether what is placed on a device that does not exist runs on the CPU; true at first. Any thread may ask and tell.
bool soft_placement();
void set_soft_placement(bool enabled);

// Error(kInvalidArgument) when a node of the graph, or of the bodies in it, is placed where it cannot run; `function`
// is whose graph it is, for the message.
void check_placement(const Graph& graph, std::string_view function);

// Stands for eager execution where ops are placed on a device that does not exist: each is an error. Constants made
// there are no ops, and ask refuse_missing_device().
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

// Error(kInvalidArgument) where the current target is a MissingDeviceTarget. `op` is what was to run, "" for a
// constant.
void refuse_missing_device(std::string_view op = {});

}  // namespace tracefn
