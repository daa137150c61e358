// Numbers of moved elements as boxes.
#include "exec/nest/affine_grid.h"

#include <numeric>

#include "check.h"

namespace tracefn::test {
namespace {

using Numbers = std::vector<std::int64_t>;

// What the boxes say, element by element.
Numbers numbers_of(const AffineGrid& grid, const Shape& shape) {
  Numbers all;
  const auto visit = [&](std::size_t axis, std::size_t box, std::vector<std::int64_t> index, const auto& self) -> void {
    if (axis == grid.ends.size()) {
      std::int64_t number = grid.boxes[box].first;
      for (std::size_t d = 0; d < index.size(); ++d) number += index[d] * grid.boxes[box].strides[d];
      all.push_back(number);
      return;
    }
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < grid.ends[axis].size(); begin = grid.ends[axis][i], ++i)
      for (std::int64_t k = begin; k < grid.ends[axis][i]; ++k) {
        index.push_back(k - begin);
        self(axis + 1, box * grid.ends[axis].size() + i, index, self);
        index.pop_back();
      }
  };
  visit(0, 0, {}, visit);
  CHECK_EQ(all.size(), static_cast<std::size_t>(shape.num_elements()));
  return all;
}

Numbers up_to(std::int64_t n) {
  Numbers all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

TEST(affine_grid_of_one_box) {
  const std::optional<AffineGrid> whole = AffineGrid::find(up_to(12), Shape({3, 4}));
  CHECK(whole);
  CHECK_EQ(whole->boxes.size(), std::size_t{1});
  CHECK(whole->boxes[0].strides == Dims({4, 1}));
  const std::optional<AffineGrid> transposed = AffineGrid::find(Numbers{0, 3, 6, 1, 4, 7, 2, 5, 8}, Shape({3, 3}));
  CHECK(transposed && transposed->boxes[0].strides == Dims({1, 3}));
  const std::optional<AffineGrid> reversed = AffineGrid::find(Numbers{3, 2, 1, 0}, Shape({4}));
  CHECK(reversed && reversed->boxes.size() == 1 && reversed->boxes[0].strides[0] == -1);
  const std::optional<AffineGrid> one = AffineGrid::find(Numbers{7}, Shape());
  CHECK(one && one->boxes.size() == 1 && one->boxes[0].first == 7);
}

TEST(affine_grid_cuts_where_elements_do_not_follow) {
  // A roll by one along both axes.
  const Numbers rolled{8, 6, 7, 2, 0, 1, 5, 3, 4};
  const std::optional<AffineGrid> grid = AffineGrid::find(rolled, Shape({3, 3}));
  CHECK(grid);
  CHECK_EQ(grid->boxes.size(), std::size_t{4});
  CHECK(numbers_of(*grid, Shape({3, 3})) == rolled);
}

TEST(affine_grid_keeps_far_numbers_apart) {
  const std::int64_t far = 2 * AffineGrid::kFar;
  // Zeros around the numbers far, far + 1, as a padding makes them.
  const Numbers padded{0, far, far + 1, 0};
  const std::optional<AffineGrid> grid = AffineGrid::find(padded, Shape({4}));
  CHECK(grid);
  CHECK_EQ(grid->boxes.size(), std::size_t{3});
  CHECK(numbers_of(*grid, Shape({4})) == padded);
  const std::optional<AffineGrid> two = AffineGrid::find(Numbers{0, far}, Shape({2}));
  CHECK(two && two->boxes.size() == 2);
}

TEST(affine_grid_refuses_what_is_not_affine) {
  Numbers squares;
  for (std::int64_t i = 0; i < 200; ++i) squares.push_back(i * i);
  CHECK(!AffineGrid::find(squares, Shape({200})));
  CHECK(!AffineGrid::find(Numbers{0, 1, 2, 4, 9, 5, 3, 7, 8}, Shape({3, 3})) ||
        numbers_of(*AffineGrid::find(Numbers{0, 1, 2, 4, 9, 5, 3, 7, 8}, Shape({3, 3})), Shape({3, 3})) ==
            (Numbers{0, 1, 2, 4, 9, 5, 3, 7, 8}));
}

}  // namespace
}  // namespace tracefn::test
