// GradContext: the interface of a gradient rule. Rules emit ops, so they serve the tape and graphs, and higher orders
// follow. Lives on the caller's stack.
#pragma once

#include <span>
#include <string_view>

#include "ops/build.h"
#include "ops/emit.h"

namespace tracefn {

// A gradient: a tensor, or TensorFlow's IndexedSlices: row indices[i] of a tensor of shape `dense_shape` gets values[i]
// added, the rest is zero.
struct Gradient {
  Operand values;
  Operand indices;      // IndexedSlices only: an integer vector
  Operand dense_shape;  // IndexedSlices only: an int32 vector

  Gradient() = default;
  Gradient(Operand dense) : values(std::move(dense)) {}  // NOLINT(google-explicit-constructor)
  Gradient(Operand rows, Operand at, Operand shape)
      : values(std::move(rows)), indices(std::move(at)), dense_shape(std::move(shape)) {}

  bool defined() const { return values.defined(); }
  bool is_indexed_slices() const { return indices.defined(); }
  // The tensor itself; IndexedSlices are summed into a dense one. Undefined for an undefined gradient.
  Operand dense() const;
};

// True for differentiable tensors: floating-point and complex ones, handles of variables and of lists of such.
bool is_differentiable(const Operand& x);

class GradContext {
 public:
  // `wanted` may be empty: then all inputs are wanted.
  GradContext(const OpDef& op, const AttrList& attrs, std::span<const Operand> inputs, std::span<const Operand> outputs,
              std::span<const Gradient> output_gradients, std::span<const char> wanted = {})
      : op_(op),
        attrs_(attrs),
        inputs_(inputs),
        outputs_(outputs),
        dys_(output_gradients),
        wanted_(wanted),
        results_(inputs.size()) {}

  const OpDef& op() const { return op_; }
  const AttrList& attrs() const { return attrs_; }
  const Attr& attr(std::string_view name) const {
    return attrs_[static_cast<std::size_t>(op_.signature.attr_index(name))];
  }
  std::size_t num_inputs() const { return inputs_.size(); }
  std::size_t num_outputs() const { return outputs_.size(); }
  const Operand& input(std::size_t i) const { return inputs_[i]; }
  const Operand& output(std::size_t j) const { return outputs_[j]; }
  // The incoming gradient of output j; zeros if there is none. See has_dy.
  Operand dy(std::size_t j) const;
  bool has_dy(std::size_t j) const { return dys_[j].defined(); }
  // The same as it came, IndexedSlices or dense; for rules that pass it through.
  const Gradient& raw_dy(std::size_t j) const { return dys_[j]; }
  // Whether the gradient of input i is needed. Rules may compute it anyway.
  bool wanted(std::size_t i) const { return wanted_.empty() || wanted_[i]; }

  void to_input(std::size_t i, Gradient gradient) { results_[i] = std::move(gradient); }
  void to_input(std::size_t i, Operand gradient);
  // Undefined if the rule set none.
  const std::vector<Gradient>& results() const { return results_; }

 private:
  const OpDef& op_;
  const AttrList& attrs_;
  std::span<const Operand> inputs_;
  std::span<const Operand> outputs_;
  std::span<const Gradient> dys_;
  std::span<const char> wanted_;
  std::vector<Gradient> results_;
};

// The first output of op `op`, with the attributes that it has in common with the op that is differentiated, except
// types, which follow from the inputs.
Operand emit_like(const GradContext& c, std::string_view op, std::initializer_list<Operand> inputs);

// A rule of one call or node instead of an op: that of a tf.custom_gradient, or of a traced function that ran under a
// tape. May be dropped on any thread.
class GradientRule : public RefCounted {
 public:
  virtual void differentiate(GradContext& context) = 0;
};

// The gradient rules of ops that hold graphs, implemented in cpp/autodiff, which can differentiate a graph.
struct BodyGradients {
  GradFn conditional = nullptr;  // If and Case
  GradFn loop = nullptr;         // While
  GradFn call = nullptr;         // PartitionedCall
};
// Returns the previous ones.
BodyGradients set_body_gradients(const BodyGradients& rules);

}  // namespace tracefn
