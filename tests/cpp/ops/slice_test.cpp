// Strided slices, their gradients and assignment, and Slice.
#include "ops/array_test.h"

namespace tracefn::test {
namespace {

struct Masks {
  int begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
};

Tensor cut(const Tensor& x, const Tensor& b, const Tensor& e, const Tensor& s, Masks m = {}) {
  return run("StridedSlice", {x, b, e, s},
             {{"begin_mask", m.begin},
              {"end_mask", m.end},
              {"ellipsis_mask", m.ellipsis},
              {"new_axis_mask", m.new_axis},
              {"shrink_axis_mask", m.shrink}});
}

}  // namespace

TEST(strided_slice_values) {
  Tensor x = counting(Shape({3, 4}));
  CHECK_EQ(values<float>(cut(x, ints({1, 0}), ints({3, 4}), ints({1, 2}))), (List{4, 6, 8, 10}));
  CHECK_EQ(values<float>(cut(x, ints({0, 0}), ints({0, 0}), ints({-1, -2}), {.begin = 3, .end = 3})),
           (List{11, 9, 7, 5, 3, 1}));
  CHECK_EQ(values<float>(cut(x, ints({-1}), ints({0}), ints({1}), {.shrink = 1})), (List{8, 9, 10, 11}));
  // x[..., 1, newaxis]
  Tensor y = cut(x, ints({0, 1, 0}), ints({0, 2, 0}), ints({1, 1, 1}), {.ellipsis = 1, .new_axis = 4, .shrink = 2});
  CHECK_EQ(y.shape(), Shape({3, 1}));
  CHECK_EQ(values<float>(y), (List{1, 5, 9}));
  CHECK_EQ(cut(x, ints({5}), ints({9}), ints({1})).shape(), Shape({0, 4}));
}

TEST(strided_slice_errors) {
  Tensor x = counting(Shape({2, 3}));
  CHECK_THROWS(cut(x, ints({0}), ints({1}), ints({0})), kInvalidArgument, "strides[0] must be non-zero");
  CHECK_THROWS(cut(x, ints({0, 0, 0}), ints({1, 1, 1}), ints({1, 1, 1})), kInvalidArgument,
               "Index out of range using input dim 2; input has only 2 dims");
  CHECK_THROWS(cut(x, ints({5}), ints({6}), ints({1}), {.shrink = 1}), kInvalidArgument,
               "slice index 5 of dimension 0 out of bounds.");
  CHECK_THROWS(cut(x, ints({-5}), ints({6}), ints({1}), {.shrink = 1}), kInvalidArgument,
               "slice index -3 of dimension 0 out of bounds.");
  CHECK_THROWS(cut(x, ints({1}), ints({6}), ints({-1}), {.shrink = 1}), kInvalidArgument,
               "only stride 1 allowed on non-range indexing.");
  CHECK_THROWS(cut(x, ints({0, 0}), ints({1, 1}), ints({1, 1}), {.ellipsis = 3}), kInvalidArgument,
               "Multiple ellipses in slice spec not allowed");
}

TEST(strided_slice_shapes) {
  auto shape = [](Known in, Known b, Known e, Masks m = {}) {
    return infer("StridedSlice", {std::move(in), std::move(b), std::move(e), ints({1})},
                 {{"begin_mask", m.begin}, {"end_mask", m.end}, {"shrink_axis_mask", m.shrink}})[0];
  };
  Known unknown(Shape({1}), DType::kInt32);
  CHECK_EQ(shape(Shape({-1, 3}), ints({0}), ints({-1}), {.begin = 1}), Shape({-1, 3}));
  CHECK_EQ(shape(Shape({2, 3}), unknown, ints({1})), Shape({-1, 3}));
  CHECK_EQ(shape(Shape({2, 3}), unknown, unknown, {.shrink = 1}), Shape({3}));
  CHECK_EQ(shape(Shape({2, 3}), unknown, unknown, {.begin = 1, .end = 1}), Shape({2, 3}));
  CHECK(!shape(Shape::unknown(), ints({0}), ints({1})).has_rank());
}

TEST(strided_slice_grad_and_update) {
  Tensor dy = floats(Shape({2}), {7, 8});
  Tensor g =
      run("StridedSliceGrad", {ints({2, 3}), ints({0, 2}), ints({2, 3}), ints({1, 1}), dy}, {{"shrink_axis_mask", 2}});
  CHECK_EQ(values<float>(g), (List{0, 0, 7, 0, 0, 8}));
  CHECK_THROWS(run("StridedSliceGrad", {ints({2, 3}), ints({0}), ints({1}), ints({1}), g}), kInvalidArgument,
               "shape of dy was [2,3] instead of [1,3]");
  Tensor x = counting(Shape({2, 3}));
  auto update = [&](const Tensor& v) {
    return run("TensorStridedSliceUpdate", {x, ints({0}), ints({1}), ints({1}), v});
  };
  CHECK_EQ(values<float>(update(Tensor::scalar(9.f))), (List{9, 9, 9, 3, 4, 5}));
  CHECK_EQ(values<float>(update(floats(Shape({1, 1, 3}), {7, 8, 9}))), (List{7, 8, 9, 3, 4, 5}));
  CHECK_EQ(values<float>(x), (List{0, 1, 2, 3, 4, 5}));
  CHECK_THROWS(update(floats(Shape({4}), {1, 2, 3, 4})), kInvalidArgument,
               "Cannot broadcast input shape [4] into final shape [1,3]");
  // x[:, newaxis, ::2] = column
  Tensor y = run("TensorStridedSliceUpdate",
                 {x, ints({0, 0, 0}), ints({0, 0, 0}), ints({1, 1, 2}), floats(Shape({2, 1, 1}), {7, 8})},
                 {{"begin_mask", 5}, {"end_mask", 5}, {"new_axis_mask", 2}});
  CHECK_EQ(values<float>(y), (List{7, 1, 7, 8, 4, 8}));
}

TEST(slice_values_and_errors) {
  Tensor x = counting(Shape({2, 3}));
  CHECK_EQ(values<float>(run("Slice", {x, ints({1, 1}), ints({-1, 2})})), (List{4, 5}));
  CHECK_THROWS(run("Slice", {x, ints({0, 0}), ints({3, 1})}), kInvalidArgument,
               "Expected size[0] in [0, 2], but got 3");
  CHECK_THROWS(run("Slice", {x, ints({3, 0}), ints({-1, 1})}), kInvalidArgument,
               "Expected begin[0] in [0, 2], but got 3");
  CHECK_EQ(infer("Slice", {Shape({3, -1}), ints({1, 0}), ints({-1, -1})})[0], Shape({2, -1}));
}

}  // namespace tracefn::test
