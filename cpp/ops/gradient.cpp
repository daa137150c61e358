// Makes IndexedSlices dense; decides which tensors are differentiable.
#include "ops/gradient.h"

#include "ops/registry.h"

namespace tracefn {
namespace {

bool carries(DType d) { return is_floating(d) || is_complex(d); }

}  // namespace

Operand Gradient::dense() const {
  if (!is_indexed_slices()) return values;
  Operand first = emit1("StridedSlice", {dense_shape, build::ints({0}), build::ints({1}), build::ints({1})},
                        {{"shrink_axis_mask", 1}});
  Operand sums = emit1("UnsortedSegmentSum", {values, indices, first});
  return build::reshape(sums, dense_shape);
}

Operand GradContext::dy(std::size_t j) const { return has_dy(j) ? dys_[j].dense() : build::zeros_like(outputs_[j]); }

void GradContext::to_input(std::size_t i, Operand gradient) { results_[i] = Gradient(std::move(gradient)); }

Operand emit_like(const GradContext& c, std::string_view op_name, std::initializer_list<Operand> inputs) {
  const OpDef& op = Registry::get().at(op_name);
  AttrList attrs(op.signature.attrs.size());
  for (std::size_t i = 0; i < attrs.size(); ++i) {
    const AttrDef& def = op.signature.attrs[i];
    if (def.kind == Attr::Kind::kType || def.kind == Attr::Kind::kTypes) continue;
    if (const int own = c.op().signature.attr_index(def.name); own >= 0)
      attrs[i] = c.attrs()[static_cast<std::size_t>(own)];
  }
  Operands outputs;
  emit(op, std::span(inputs.begin(), inputs.size()), std::move(attrs), outputs);
  return outputs[0];
}

bool is_differentiable(const Operand& x) {
  DType d = x.dtype();
  if (d != DType::kVariant && d != DType::kResource) return carries(d);
  if (x.is_eager()) return true;
  DType held = x.graph->info(x.value).handle_dtype;
  return held == DType::kInvalid || carries(held) || held == DType::kVariant;
}

}  // namespace tracefn
