// Linear algebra, diagonals, biases, softmax and cross entropies.
#include "ops/array_test.h"

namespace tracefn::test {
namespace {

Tensor doubles(Shape shape, const std::vector<double>& v) { return make<double>(std::move(shape), v); }

void check_near(const List& a, const List& b, double tolerance = 1e-12) {
  CHECK_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) CHECK(std::abs(a[i] - b[i]) <= tolerance);
}

}  // namespace

TEST(solve_and_invert) {
  Tensor a = doubles(Shape({2, 2}), {4, 1, 2, 3}), b = doubles(Shape({2, 1}), {1, 2});
  check_near(values<double>(run("MatrixSolve", {a, b})), List{0.1, 0.6});
  check_near(values<double>(run("MatrixSolve", {a, b}, {{"adjoint", true}})), List{-0.1, 0.7});
  check_near(values<double>(run("MatrixInverse", {a})), List{0.3, -0.1, -0.2, 0.4});
  check_near(values<double>(run("MatrixDeterminant", {a})), List{10});
  Tensor singular = Tensor::zeros(DType::kDouble, Shape({2, 2}));
  CHECK_THROWS(run("MatrixInverse", {singular}), kInvalidArgument, "Input is not invertible.");
  CHECK_THROWS(run("MatrixSolve", {singular, b}), kInvalidArgument, "Input matrix is not invertible.");
  CHECK_EQ(run("MatrixInverse", {Tensor::zeros(DType::kDouble, Shape({0, 2, 2}))}).shape(), Shape({0, 2, 2}));
  check_near(values<double>(run("MatrixDeterminant", {doubles(Shape({0, 0}), {})})), List{1});
  Tensor half = make<Half>(Shape({1, 1}), {4});
  CHECK_EQ(values<Half>(run("MatrixInverse", {half})), (List{0.25}));
}

TEST(triangles) {
  Tensor a = doubles(Shape({2, 2}), {4, 9, 2, 3});
  check_near(values<double>(run("Cholesky", {a})), List{2, 0, 1, std::sqrt(2.0)});
  CHECK(std::isnan(values<double>(run("Cholesky", {doubles(Shape({1, 1}), {-1})}))[0]));
  Tensor m = doubles(Shape({2, 2}), {1, 2, 3, 4}), b = doubles(Shape({2, 1}), {1, 2});
  check_near(values<double>(run("MatrixTriangularSolve", {m, b}, {{"lower", false}})), List{0, 0.5});
  check_near(values<double>(run("MatrixTriangularSolve", {m, b}, {{"adjoint", true}})), List{-0.5, 0.5});
  Tensor batch = doubles(Shape({2, 1, 1}), {2, 4});
  check_near(values<double>(run("MatrixTriangularSolve", {batch, doubles(Shape({1, 1}), {8})})), List{4, 2});
}

TEST(diagonals) {
  Tensor x = floats(Shape({2, 3}), {1, 2, 3, 4, 5, 6}), pad = Tensor::scalar(9.f);
  Tensor made = run("MatrixDiagV3", {x, ints({-1, 0}), int_scalar(-1), int_scalar(-1), pad});
  CHECK_EQ(values<float>(made), (List{1, 9, 9, 4, 2, 9, 9, 5, 3}));
  Tensor above = run("MatrixDiagV3", {x, ints({0, 1}), int_scalar(-1), int_scalar(-1), pad});
  CHECK_EQ(values<float>(above), (List{4, 2, 9, 9, 5, 3, 9, 9, 6}));
  std::vector<double> v;
  for (int i = 0; i < 12; ++i) v.push_back(i);
  Tensor m = floats(Shape({3, 4}), v);
  CHECK_EQ(values<float>(run("MatrixDiagPartV3", {m, ints({-1, 2}), pad})),
           (List{9, 2, 7, 1, 6, 11, 0, 5, 10, 4, 9, 9}));
  CHECK_EQ(values<float>(run("MatrixSetDiagV3", {m, floats(Shape({3}), {7, 8, 9}), int_scalar(0)})),
           (List{7, 1, 2, 3, 4, 8, 6, 7, 8, 9, 9, 11}));
  CHECK_EQ(values<float>(run("MatrixBandPart", {m, Tensor::scalar(std::int64_t{1}), Tensor::scalar(std::int64_t{0})})),
           (List{0, 0, 0, 0, 4, 5, 0, 0, 0, 9, 10, 0}));
  CHECK_THROWS(run("MatrixDiagPartV3", {m, int_scalar(5), pad}), kInvalidArgument,
               "lower_diag_index is out of bound: 5. It must be between -3 and 4");
  CHECK_THROWS(run("MatrixDiagV3", {x, int_scalar(0), int_scalar(1), int_scalar(-1), pad}), kInvalidArgument,
               "The number of rows is too small.");
  CHECK_EQ(infer("MatrixDiagV3", {Shape({-1, 3}), int_scalar(0), int_scalar(-1), int_scalar(-1), pad})[0],
           Shape({-1, 3, 3}));
}

TEST(biases) {
  Tensor x = floats(Shape({2, 3}), {0, 1, 2, 3, 4, 5}), b = floats(Shape({3}), {10, 20, 30});
  CHECK_EQ(values<float>(run("BiasAdd", {x, b})), (List{10, 21, 32, 13, 24, 35}));
  Tensor image = x.reshaped(Shape({1, 2, 3})), per_channel = floats(Shape({2}), {10, 20});
  CHECK_EQ(values<float>(run("BiasAdd", {image, per_channel}, {{"data_format", "NCHW"}})),
           (List{10, 11, 12, 23, 24, 25}));
  CHECK_EQ(values<float>(run("BiasAddGrad", {image}, {{"data_format", "NCHW"}})), (List{3, 12}));
  CHECK_EQ(values<float>(run("L2Loss", {x})), (List{27.5}));
  CHECK_THROWS(run("BiasAdd", {x, per_channel}), kInvalidArgument,
               "Must provide as many biases as the last dimension of the input tensor: [2] vs. [2,3]");
}

TEST(softmax_rows) {
  Tensor x = doubles(Shape({2, 2}), {1, 2, 1000, 1000});
  double p = 1 / (1 + std::exp(1.0));
  check_near(values<double>(run("Softmax", {x})), List{p, 1 - p, 0.5, 0.5});
  check_near(values<double>(run("LogSoftmax", {x})), List{std::log(p), std::log(1 - p), -std::log(2), -std::log(2)});
  CHECK_EQ(run("Softmax", {floats(Shape({2, 0}), {})}).shape(), Shape({2, 0}));
}

TEST(cross_entropies) {
  Tensor x = doubles(Shape({2, 2}), {1, 2, 0, 0}), p = doubles(Shape({1, 2}), {0, 1});
  Operand args[] = {x, p};
  Operands dense = emit_all("SoftmaxCrossEntropyWithLogits", args);
  double first = std::log(1 + std::exp(-1.0));
  check_near(values<double>(dense[0].tensor), List{first, std::log(2)});
  check_near(values<double>(dense[1].tensor), List{1 - std::exp(-first), std::exp(-first) - 1, 0.5, -0.5});
  Operand sparse_args[] = {x, ints({1, 1})};
  Operands sparse = emit_all("SparseSoftmaxCrossEntropyWithLogits", sparse_args);
  check_near(values<double>(sparse[0].tensor), List{first, std::log(2)});
  Operand bad[] = {x, ints({0, 3})};
  CHECK_THROWS(emit_all("SparseSoftmaxCrossEntropyWithLogits", bad), kInvalidArgument,
               "Received a label value of 3 which is outside the valid range of [0, 2).  Label values: 0 3");
}

}  // namespace tracefn::test
