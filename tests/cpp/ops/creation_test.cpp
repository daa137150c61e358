// Creation, reshaping and shape queries.
#include "ops/array_test.h"

namespace tracefn::test {

TEST(range_of_each_kind) {
  CHECK_EQ(values<std::int32_t>(run("Range", {int_scalar(7), int_scalar(0), int_scalar(-3)})), (List{7, 4, 1}));
  CHECK_EQ(run("Range", {Tensor::scalar(0.f), Tensor::scalar(5.f), Tensor::scalar(.7f)}).shape(), Shape({8}));
  CHECK_THROWS(run("Range", {int_scalar(0), int_scalar(5), int_scalar(0)}), kInvalidArgument, "Requires delta != 0: 0");
  CHECK_THROWS(run("Range", {int_scalar(0), int_scalar(-5), int_scalar(1)}), kInvalidArgument,
               "Requires start <= limit when delta > 0: 0/-5");
  CHECK_THROWS(run("Range", {Tensor::scalar(std::int64_t{INT64_MIN}), Tensor::scalar(std::int64_t{INT64_MAX}),
                             Tensor::scalar(std::int64_t{1})}),
               kInvalidArgument, "Requires ((limit - start) / delta) <= 9223372036854775807");
  CHECK_EQ(infer("Range", {Tensor(int_scalar(0)), Known(Shape(), DType::kInt32), Tensor(int_scalar(1))})[0],
           Shape({-1}));
}

TEST(fill_and_one_hot) {
  Tensor s = run("Fill", {ints({2}), Tensor::scalar(std::string("ab"))});
  CHECK_EQ(s.data<std::string>()[1], std::string("ab"));
  CHECK_THROWS(run("Fill", {ints({-1}), int_scalar(1)}), kInvalidArgument, "Dimension -1 must be >= 0");
  CHECK_THROWS(run("Fill", {ints({2000000000, 2000000000}), int_scalar(1)}), kResourceExhausted, "OOM");
  Tensor hot = run("OneHot", {ints({0, 2, -1, 7}), int_scalar(3), int_scalar(1), int_scalar(0)});
  CHECK_EQ(values<std::int32_t>(hot), (List{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}));
  CHECK_EQ(
      infer("OneHot",
            {Known(Shape({-1}), DType::kInt32), Tensor(int_scalar(3)), Tensor(int_scalar(1)), Tensor(int_scalar(0))},
            {{"axis", 0}})[0],
      Shape({3, -1}));
}

TEST(reshape_shares_and_checks) {
  Tensor x = floats(Shape({6}), {1, 2, 3, 4, 5, 6});
  Tensor y = run("Reshape", {x, ints({2, -1})});
  CHECK_EQ(y.shape(), Shape({2, 3}));
  CHECK(y.raw() == x.raw());
  CHECK_THROWS(run("Reshape", {x, ints({4})}), kInvalidArgument,
               "Input to reshape is a tensor with 6 values, but the requested shape has 4");
  CHECK_THROWS(run("Reshape", {x, ints({-1, 4})}), kInvalidArgument, "the requested shape requires a multiple of 4");
  CHECK_THROWS(run("Reshape", {x, ints({-1, -1})}), kInvalidArgument,
               "Only one input size may be -1, not both 0 and 1");
  CHECK_THROWS(run("Reshape", {x, ints({-2, 3})}), kInvalidArgument, "Size 0 must be non-negative, not -2");
  CHECK_EQ(run("Reshape", {floats(Shape({0}), {}), ints({-1, 0})}).shape(), Shape({1, 0}));
  CHECK_EQ(infer("Reshape", {Shape({6}), ints({-1, 2})})[0], Shape({3, 2}));
  CHECK_EQ(infer("Reshape", {Shape({-1, 6}), ints({-1, 2})})[0], Shape({-1, 2}));
  CHECK_THROWS(infer("Reshape", {Shape({6}), ints({4})}), kInvalidArgument,
               "Cannot reshape a tensor with 6 elements to shape [4] (4 elements)");
}

TEST(squeeze_and_expand) {
  Tensor x = floats(Shape({1, 2, 1}), {1, 2});
  CHECK_EQ(run("Squeeze", {x}).shape(), Shape({2}));
  CHECK_EQ(run("Squeeze", {x}, {{"squeeze_dims", std::vector<std::int64_t>{-1}}}).shape(), Shape({1, 2}));
  CHECK_THROWS(run("Squeeze", {x}, {{"squeeze_dims", std::vector<std::int64_t>{1}}}), kInvalidArgument,
               "Can not squeeze dim[1], expected a dimension of 1, got 2");
  CHECK_EQ(run("ExpandDims", {x, int_scalar(-1)}).shape(), Shape({1, 2, 1, 1}));
  CHECK_THROWS(run("ExpandDims", {x, int_scalar(5)}), kInvalidArgument,
               "Tried to expand dim index 5 for tensor with 3 dimensions.");
  CHECK(!infer("Squeeze", {Shape({1, -1})})[0].has_rank());
}

TEST(broadcast_gradient_axes) {
  Operand args[] = {ints({2, 1, 1}), ints({1, 1})};
  Operands axes = emit_all("BroadcastGradientArgs", args);
  CHECK_EQ(values<std::int32_t>(axes[0].tensor), (List{1, 2}));
  CHECK_EQ(values<std::int32_t>(axes[1].tensor), (List{0, 1, 2}));
  Operand same[] = {ints({2, 1, 3}), ints({2, 1, 3})};
  CHECK_EQ(emit_all("BroadcastGradientArgs", same)[0].tensor.num_elements(), 0);
}

TEST(transpose_any_order) {
  Tensor x = floats(Shape({2, 3, 4}), {});
  for (int i = 0; i < 24; ++i) x.mutable_data<float>()[i] = static_cast<float>(i);
  for (auto& perm : {std::vector<double>{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    Tensor y = run("Transpose", {x, ints(perm)});
    int at[3];
    for (at[0] = 0; at[0] < 2; ++at[0])
      for (at[1] = 0; at[1] < 3; ++at[1])
        for (at[2] = 0; at[2] < 4; ++at[2]) {
          std::int64_t to = 0;
          for (int i = 0; i < 3; ++i) to = to * y.dim(i) + at[static_cast<int>(perm[static_cast<std::size_t>(i)])];
          CHECK_EQ(y.data<float>()[to], x.data<float>()[(at[0] * 3 + at[1]) * 4 + at[2]]);
        }
  }
  CHECK_THROWS(run("Transpose", {x, ints({0, 1})}), kInvalidArgument,
               "transpose expects a vector of size 3. But input(1) is a vector of size 2");
  CHECK_THROWS(run("Transpose", {x, ints({0, 1, 1})}), kInvalidArgument, "2 is missing from {0,1,1}.");
  CHECK_EQ(infer("Transpose", {Shape({-1, 2}), ints({1, 0})})[0], Shape({2, -1}));
}

}  // namespace tracefn::test
