// The region that a strided slice selects: StridedSlice's mask rules, for shape rules and kernels alike.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace tracefn {

struct SliceMasks {
  std::int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
};

struct ResolvedSlice {
  // Per input dimension; sizes may be unknown (-1), and then begin and stride have no meaning.
  Dims begin, stride;
  Shape block;               // the selected block, of the input's rank
  Shape shape;               // the result: without shrunk axes and with new ones
  SmallVector<int, 5> axes;  // for each of the result's dimensions the input's, or -1 for a new one
  bool identity = true;      // the block is the whole input
  bool rows_only = true;     // only the first dimension is cut, with stride 1
};

// `begin` and `end` are as long as `strides`, and null if unknown. Error(kInvalidArgument) if the slice does not fit.
// Precondition: `in` has a rank.
ResolvedSlice resolve_slice(const Tensor* begin, const Tensor* end, const Tensor& strides, const SliceMasks& masks,
                            const Shape& in);

// The masks of a node, or of the op of a shape rule or kernel.
template <typename HasAttrs>
SliceMasks slice_masks(const HasAttrs& of) {
  return {of.attr("begin_mask").i(), of.attr("end_mask").i(), of.attr("ellipsis_mask").i(),
          of.attr("new_axis_mask").i(), of.attr("shrink_axis_mask").i()};
}

// A slice of a vector: `size` elements from `begin` on, a scalar if `shrunk`.
struct VectorSlice {
  std::int64_t begin = 0, stride = 1, size = 0;
  bool shrunk = false;
};
// Nothing if the slice does not fit a vector of `length` elements, or does anything but take a part or an element.
std::optional<VectorSlice> slice_of_vector(const Tensor& begin, const Tensor& end, const Tensor& strides,
                                           const SliceMasks& masks, std::int64_t length);

}  // namespace tracefn
