// What a strided slice selects: the rules of StridedSlice's masks, for shape rules and kernels alike.
#pragma once

#include "tensor/tensor.h"

namespace tracefn {

struct SliceMasks {
  std::int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
};

struct ResolvedSlice {
  // For each input dimension; sizes may be unknown (-1), and then begin and stride mean nothing.
  Dims begin, stride;
  Shape block;               // the selected block, of the input's rank
  Shape shape;               // the result: without shrunk axes and with new ones
  SmallVector<int, 5> axes;  // for each of the result's dimensions the input's, or -1 for a new one
  bool identity = true;      // the block is the whole input
  bool rows_only = true;     // only the first dimension is cut, with stride 1
};

// `begin` and `end` are as long as `strides`, and null when not known. Error(kInvalidArgument) when the slice does not
// fit. Precondition: `in` has a rank.
ResolvedSlice resolve_slice(const Tensor* begin, const Tensor* end, const Tensor& strides, const SliceMasks& masks,
                            const Shape& in);

}  // namespace tracefn
