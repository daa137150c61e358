// An axis is cut where the differences along it change; then every box is checked.
#include "exec/nest/affine_grid.h"

#include <algorithm>
#include <cstdlib>

#include "exec/nest/array_expression.h"

namespace tracefn {
namespace {

constexpr std::size_t kMostBoxes = 64;

// The numbers as planes of one index of an axis: outer blocks of `size` planes of `inner` numbers.
struct Axis {
  std::span<const std::int64_t> numbers;
  std::int64_t outer, size, inner;

  std::int64_t difference(std::int64_t o, std::int64_t i, std::int64_t k) const {
    const auto at = static_cast<std::size_t>((o * size + i) * inner + k);
    return numbers[at + static_cast<std::size_t>(inner)] - numbers[at];
  }
  // Whether plane i + 1 follows plane i: by the same differences as from `since` on.
  bool goes_on(std::int64_t since, std::int64_t i) const {
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t k = 0; k < inner; ++k) {
        const std::int64_t d = difference(o, i, k);
        if (std::abs(d) > AffineGrid::kFar || d != difference(o, since, k)) return false;
      }
    return true;
  }
};

bool is_affine(std::span<const std::int64_t> numbers, const Dims& strides, std::int64_t at,
               std::span<const std::int64_t> sizes, const AffineGrid::Box& box, std::size_t axis,
               std::int64_t expected) {
  if (axis == sizes.size()) return numbers[static_cast<std::size_t>(at)] == expected;
  for (std::int64_t i = 0; i < sizes[axis]; ++i)
    if (!is_affine(numbers, strides, at + i * strides[axis], sizes, box, axis + 1, expected + i * box.strides[axis]))
      return false;
  return true;
}

}  // namespace

std::optional<AffineGrid> AffineGrid::find(std::span<const std::int64_t> numbers, const Shape& shape) {
  AffineGrid grid;
  const auto rank = static_cast<std::size_t>(shape.rank());
  const Dims strides = dense_strides(shape);
  std::size_t num_boxes = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t size = shape[static_cast<int>(d)], inner = strides[d];
    const Axis axis{numbers, static_cast<std::int64_t>(numbers.size()) / (size * inner), size, inner};
    std::vector<std::int64_t> ends;
    for (std::int64_t i = 0, since = 0; i + 1 < size && ends.size() < kMostBoxes; ++i) {
      if (axis.goes_on(since, i)) continue;
      // Any two numbers follow each other: the second one may be the first of what comes then.
      const bool only_two = i == since + 1 && axis.goes_on(i, i);
      since = only_two ? i : i + 1;
      ends.push_back(since);
      if (only_two) --i;
    }
    ends.push_back(size);
    num_boxes *= ends.size();
    if (num_boxes > kMostBoxes) return std::nullopt;
    grid.ends.push_back(std::move(ends));
  }
  std::vector<std::size_t> at(rank, 0);
  for (std::size_t n = 0; n < num_boxes; ++n) {
    Box box;
    Dims sizes;
    std::int64_t first = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t begin = at[d] == 0 ? 0 : grid.ends[d][at[d] - 1];
      sizes.push_back(grid.ends[d][at[d]] - begin);
      first += begin * strides[d];
    }
    box.first = numbers[static_cast<std::size_t>(first)];
    for (std::size_t d = 0; d < rank; ++d)
      box.strides.push_back(sizes[d] > 1 ? numbers[static_cast<std::size_t>(first + strides[d])] - box.first : 0);
    if (!is_affine(numbers, strides, first, {sizes.data(), sizes.size()}, box, 0, box.first)) return std::nullopt;
    grid.boxes.push_back(std::move(box));
    for (std::size_t d = rank; d-- > 0;) {
      if (++at[d] < grid.ends[d].size()) break;
      at[d] = 0;
    }
  }
  return grid;
}

}  // namespace tracefn
