// AffineGrid: numbers of elements, cut along the axes into boxes in which the number is an affine function of the
// index. So a kernel that moves numbers says where every element goes, whatever the op is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tensor/shape.h"

namespace tracefn {

struct AffineGrid {
  // In row-major order of the segments: the number of the first element, and what an axis adds for each index.
  struct Box {
    std::int64_t first = 0;
    Dims strides;
  };
  SmallVector<std::vector<std::int64_t>, 4> ends;  // by axis: the ends of its segments, the last one being its size
  std::vector<Box> boxes;

  // Numbers further apart than this are in different boxes.
  static constexpr std::int64_t kFar = std::int64_t{1} << 38;

  // Nothing if there would be too many boxes. Precondition: there are elements.
  static std::optional<AffineGrid> find(std::span<const std::int64_t> numbers, const Shape& shape);
};

}  // namespace tracefn
