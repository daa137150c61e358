// The algebra of partly known shapes.
#include "tensor/shape.h"

#include "check.h"

namespace tracefn {

TEST(shape_broadcast) {
  CHECK_EQ(broadcast(Shape({2, 1}), Shape({3})), Shape({2, 3}));
  CHECK_EQ(broadcast(Shape({-1}), Shape({3})), Shape({3}));
  CHECK_EQ(broadcast(Shape({-1}), Shape({1})), Shape({-1}));
  CHECK_EQ(broadcast(Shape({-1}), Shape({0})), Shape({0}));
  CHECK(!broadcast(Shape::unknown(), Shape({3})).has_rank());
  CHECK_THROWS(broadcast(Shape({3}), Shape({2})), kInvalidArgument, "Incompatible shapes: [3] vs. [2]");
}

TEST(shape_order) {
  CHECK(Shape({-1, 2}).is_supertype_of(Shape({5, 2})));
  CHECK(!Shape({5, 2}).is_supertype_of(Shape({-1, 2})));
  CHECK(Shape::unknown().is_supertype_of(Shape({-1})));
  CHECK_EQ(most_specific_common_supertype(Shape({1, 2}), Shape({3, 2})), Shape({-1, 2}));
  CHECK(!most_specific_common_supertype(Shape({1}), Shape({1, 2})).has_rank());
}

TEST(shape_text) {
  CHECK_EQ(Shape({3}).python_text(), "(3,)");
  CHECK_EQ(Shape({2, -1}).python_text(), "(2, None)");
  CHECK_EQ(Shape::unknown().python_text(), "<unknown>");
  CHECK_EQ(Shape({2, -1}).text(), "[2,?]");
}

TEST(shape_size_overflow) {
  CHECK_THROWS(Shape({INT64_MAX, 4}).num_elements(), kInvalidArgument, "too many elements");
  CHECK_EQ(Shape({INT64_MAX, 0, 4}).num_elements(), 0);
}

}  // namespace tracefn
