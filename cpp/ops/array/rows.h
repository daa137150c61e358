// Shapes of tensors seen as rows: the first dimensions count rows, the others are a row's.
#pragma once

#include <algorithm>

#include "tensor/tensor.h"

namespace tracefn {

// The dimensions of `shape` after the first n; unknown if its rank is.
inline Shape tail(const Shape& shape, int n) {
  return shape.has_rank() ? Shape(Dims(shape.dims().begin() + std::min(n, shape.rank()), shape.dims().end()))
                          : Shape::unknown();
}

// Whether the first dimensions of `shape` can be those of `start`.
inline bool starts_with(const Shape& shape, const Shape& start) {
  if (shape.rank() < start.rank()) return false;
  for (int i = 0; i < start.rank(); ++i)
    if (shape[i] >= 0 && start[i] >= 0 && shape[i] != start[i]) return false;
  return true;
}

// `rest` after a dimension of size `first`.
inline Shape with_first(std::int64_t first, const Shape& rest) {
  if (!rest.has_rank()) return Shape::unknown();
  Dims dims = rest.dims();
  dims.insert(dims.begin(), first);
  return Shape(std::move(dims));
}

}  // namespace tracefn
