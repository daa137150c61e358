// The slices of a tensor that have ranges of their own when they are quantized. Thread-safe: values only.
#pragma once

#include <cstdint>

#include "tensor/shape.h"

namespace tracefn {

// A tensor as slices along an axis: slice k is the runs of `inner` elements at (o * slices + k) * inner. Without an
// axis there is one slice.
struct Slices {
  std::int64_t outer = 1, slices = 1, inner = 1;

  Slices(const Shape& shape, std::int64_t axis) {
    for (int i = 0; i < shape.rank(); ++i) (i < axis ? outer : i == axis ? slices : inner) *= shape[i];
  }
};

}  // namespace tracefn
