// Matrix products: orders, batches, types, errors.
#include "ops/array_test.h"

namespace tracefn::test {

TEST(matmul_in_every_order) {
  // A is 2 x 3 and B 3 x 2, also stored transposed.
  Tensor a = floats(Shape({2, 3}), {1, 2, 3, 4, 5, 6}), at = floats(Shape({3, 2}), {1, 4, 2, 5, 3, 6});
  Tensor b = floats(Shape({3, 2}), {1, 0, 2, 1, 0, 3}), bt = floats(Shape({2, 3}), {1, 2, 0, 0, 1, 3});
  List expected = {5, 11, 14, 23};
  CHECK_EQ(values<float>(run("MatMul", {a, b})), expected);
  CHECK_EQ(values<float>(run("MatMul", {at, b}, {{"transpose_a", true}})), expected);
  CHECK_EQ(values<float>(run("MatMul", {a, bt}, {{"transpose_b", true}})), expected);
  CHECK_EQ(values<float>(run("MatMul", {at, bt}, {{"transpose_a", true}, {"transpose_b", true}})), expected);
}

TEST(matmul_of_each_type) {
  std::vector<double> a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  List expected = {19, 22, 43, 50};
  Shape s({2, 2});
  CHECK_EQ(values<double>(run("MatMul", {make<double>(s, a), make<double>(s, b)})), expected);
  CHECK_EQ(values<Half>(run("MatMul", {make<Half>(s, a), make<Half>(s, b)})), expected);
  CHECK_EQ(values<BFloat16>(run("MatMul", {make<BFloat16>(s, a), make<BFloat16>(s, b)})), expected);
  CHECK_EQ(values<std::int32_t>(run("MatMul", {make<std::int32_t>(s, a), make<std::int32_t>(s, b)})), expected);
  CHECK_EQ(values<std::int64_t>(run("MatMul", {make<std::int64_t>(s, a), make<std::int64_t>(s, b)})), expected);
  CHECK_EQ(values<std::uint8_t>(run("MatMul", {make<std::uint8_t>(s, a), make<std::uint8_t>(s, b)})), expected);
}

TEST(matmul_over_nothing) {
  Tensor out = run("MatMul", {floats(Shape({2, 0}), {}), floats(Shape({0, 3}), {})});
  CHECK_EQ(values<float>(out), (List{0, 0, 0, 0, 0, 0}));
}

TEST(batch_matmul_broadcasts) {
  Tensor a = floats(Shape({2, 1, 1, 2}), {1, 2, 3, 4}), b = floats(Shape({3, 2, 1}), {1, 0, 0, 1, 1, 1});
  Tensor out = run("BatchMatMulV2", {a, b});
  CHECK_EQ(out.shape(), Shape({2, 3, 1, 1}));
  CHECK_EQ(values<float>(out), (List{1, 2, 3, 3, 4, 7}));
}

TEST(matmul_errors) {
  Tensor a = floats(Shape({1, 2}), {1, 2}), v = floats(Shape({2}), {1, 2});
  CHECK_THROWS(run("MatMul", {a, a}), kInvalidArgument, "Matrix size-incompatible: In[0]: [1,2], In[1]: [1,2]");
  CHECK_THROWS(run("MatMul", {v, a}), kInvalidArgument, "In[0] and In[1] has different ndims: [2] vs. [1,2]");
  CHECK_THROWS(run("MatMul", {v, v}), kInvalidArgument, "In[0] and In[1] ndims must be == 2: 1");
  CHECK_THROWS(run("BatchMatMulV2", {v, a}), kInvalidArgument, "In[0] ndims must be >= 2: 1");
  CHECK_THROWS(infer("MatMul", {Shape({2, 3}), Shape({4, 5})}), kInvalidArgument,
               "Dimensions must be equal, but are 3 and 4");
  CHECK_EQ(infer("MatMul", {Shape::unknown(), Shape({4, 5})})[0], Shape({-1, 5}));
  CHECK_EQ(infer("BatchMatMulV2", {Shape({-1, 2, 3}), Shape({4, 3, 5})})[0], Shape({4, 2, 5}));
}

}  // namespace tracefn::test
