// Non-maximum suppression of boxes (y1, x1, y2, x2): what its ops share.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tracefn {

// A box with its corners in order.
struct BoxCorners {
  float top, left, bottom, right;

  template <typename Read>
  static BoxCorners of(const Read& read) {
    const float a = read(0), b = read(1), c = read(2), d = read(3);
    return {std::min(a, c), std::min(b, d), std::max(a, c), std::max(b, d)};
  }
  float area() const { return (bottom - top) * (right - left); }
};

// The area of the intersection divided by that of the union; 0 for empty boxes.
inline float intersection_over_union(const BoxCorners& a, const BoxCorners& b) {
  const float first = a.area(), second = b.area();
  if (first <= 0 || second <= 0) return 0;
  const float common = std::max(std::min(a.bottom, b.bottom) - std::max(a.top, b.top), 0.0f) *
                       std::max(std::min(a.right, b.right) - std::max(a.left, b.left), 0.0f);
  return common / (first + second - common);
}

}  // namespace tracefn
