// GradContext: what a gradient rule sees. A rule is made of emitted ops, so it serves the tape and graphs, and higher
// orders follow. Lives on the caller's stack.
#pragma once

#include <span>
#include <string_view>

#include "ops/build.h"
#include "ops/emit.h"

namespace tracefn {

class GradContext {
 public:
  GradContext(const OpDef& op, const AttrList& attrs, std::span<const Operand> inputs, std::span<const Operand> outputs,
              std::span<const Operand> output_gradients)
      : op_(op), attrs_(attrs), inputs_(inputs), outputs_(outputs), dys_(output_gradients), results_(inputs.size()) {}

  const OpDef& op() const { return op_; }
  const AttrList& attrs() const { return attrs_; }
  const Attr& attr(std::string_view name) const {
    return attrs_[static_cast<std::size_t>(op_.signature.attr_index(name))];
  }
  std::size_t num_inputs() const { return inputs_.size(); }
  std::size_t num_outputs() const { return outputs_.size(); }
  const Operand& input(std::size_t i) const { return inputs_[i]; }
  const Operand& output(std::size_t j) const { return outputs_[j]; }
  // The incoming gradient of output j; zeros when none came in. has_dy tells.
  Operand dy(std::size_t j) const { return has_dy(j) ? dys_[j] : build::zeros_like(outputs_[j]); }
  bool has_dy(std::size_t j) const { return dys_[j].defined(); }

  void to_input(std::size_t i, Operand gradient) { results_[i] = std::move(gradient); }
  // Undefined where the rule gave none.
  const Operands& results() const { return results_; }

 private:
  const OpDef& op_;
  const AttrList& attrs_;
  std::span<const Operand> inputs_;
  std::span<const Operand> outputs_;
  std::span<const Operand> dys_;
  Operands results_;
};

}  // namespace tracefn
