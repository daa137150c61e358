// Makes IndexedSlices dense; decides which tensors are differentiable.
#include "ops/gradient.h"

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

bool is_differentiable(const Operand& x) {
  DType d = x.dtype();
  if (d != DType::kVariant && d != DType::kResource) return carries(d);
  if (x.is_eager()) return true;
  DType held = x.graph->info(x.value).handle_dtype;
  return held == DType::kInvalid || carries(held) || held == DType::kVariant;
}

}  // namespace tracefn
