// boolean_mask as reshape, where and gather.
#include "bind/tensor/boolean_mask.h"

#include "base/error.h"
#include "bind/graph/name_scope.h"
#include "ops/build.h"

namespace tracefn::bind {
namespace {

Operand slice_of_shape(const Operand& shape, int begin, int end, bool to_the_end) {
  return emit1("StridedSlice", {shape, build::ints({begin}), build::ints({end}), build::ints({1})},
               {{"end_mask", to_the_end ? 1 : 0}});
}

// The shape of `tensor` with its first `axes` dimensions made one.
Operand flattened_shape(const Operand& tensor, int axes) {
  const Shape& shape = tensor.shape();
  if (axes == 1 && !shape.is_fully_known()) return emit1("Shape", {tensor});
  if (shape.is_fully_known()) {
    std::int64_t leading = 1;
    for (int i = 0; i < axes; ++i) leading *= shape[i];
    std::vector<std::int32_t> dims = {static_cast<std::int32_t>(leading)};
    for (int i = axes; i < shape.rank(); ++i) dims.push_back(static_cast<std::int32_t>(shape[i]));
    return build::ints(dims);
  }
  Operand whole = emit1("Shape", {tensor});
  Operand leading = emit1("Prod", {slice_of_shape(whole, 0, axes, false), build::ints({0})}, {{"keep_dims", true}});
  Operand parts[] = {leading, slice_of_shape(whole, axes, 0, true), build::scalar(DType::kInt32, 0)};
  return emit_all("ConcatV2", parts)[0];
}

}  // namespace

Operand boolean_mask(const Operand& tensor, const Operand& mask) {
  const Shape& wanted = mask.shape();
  if (!wanted.has_rank())
    fail(ErrorKind::kValue,
         "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. shape=[None] is ok, "
         "but shape=None is not.");
  int axes = wanted.rank();
  if (axes == 0) fail(ErrorKind::kValue, "mask cannot be scalar.");
  const Shape& shape = tensor.shape();
  if (shape.has_rank()) {
    Shape leading;
    for (int i = 0; i < std::min(axes, shape.rank()); ++i) leading.push_back(shape[i]);
    if (!leading.is_compatible_with(wanted))
      fail(ErrorKind::kValue, "Shapes ", leading.python_text(), " and ", wanted.python_text(), " are incompatible");
  }
  NameScope scope("boolean_mask");
  // Also by one axis: the gradient of a reshaped tensor is a tensor, that of a gathered one is IndexedSlices.
  Operand flat = build::reshape(tensor, flattened_shape(tensor, axes));
  Operand flat_mask = axes == 1 ? mask : build::reshape(mask, build::ints({-1}));
  Operand places = emit1("Where", {flat_mask});
  Operand indices = emit1("Squeeze", {places}, {{"squeeze_dims", std::vector<std::int64_t>{1}}});
  return emit1("GatherV2", {flat, indices, build::scalar(DType::kInt32, 0)});
}

}  // namespace tracefn::bind
