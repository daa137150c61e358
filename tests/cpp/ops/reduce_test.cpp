// Reductions: every arrangement of axes against plain loops, special values, errors.
#include <cmath>
#include <limits>

#include "ops/array_test.h"

namespace tracefn::test {
namespace {

// Floats that count up from 0 to 6, again and again.
Tensor counting_to_6(const Shape& shape) {
  std::vector<double> v;
  for (std::int64_t i = 0; i < shape.num_elements(); ++i) v.push_back(static_cast<double>(i % 7));
  return floats(shape, v);
}

// The sum over the axes in `mask`, one element at a time.
List plain_sum(const Tensor& x, unsigned mask) {
  std::int64_t outputs = 1;
  for (int i = 0; i < x.rank(); ++i)
    if (!(mask >> i & 1)) outputs *= x.dim(i);
  List out(static_cast<std::size_t>(outputs), 0.0);
  for (std::int64_t k = 0; k < x.num_elements(); ++k) {
    std::int64_t rest = k, at = 0, step = 1;
    for (int i = x.rank() - 1; i >= 0; --i) {
      if (!(mask >> i & 1)) {
        at += rest % x.dim(i) * step;
        step *= x.dim(i);
      }
      rest /= x.dim(i);
    }
    out[static_cast<std::size_t>(at)] += x.data<float>()[k];
  }
  return out;
}

}  // namespace

TEST(sum_over_every_set_of_axes) {
  for (const Shape& shape : {Shape({3, 4, 5, 2}), Shape({2, 1, 3, 40}), Shape({70, 3, 33, 5})}) {
    Tensor x = counting_to_6(shape);
    for (unsigned mask = 0; mask < 16; ++mask) {
      std::vector<double> axes;
      for (int i = 0; i < 4; ++i)
        if (mask >> i & 1) axes.push_back(i);
      CHECK_EQ(values<float>(run("Sum", {x, ints(axes)})), plain_sum(x, mask));
    }
  }
}

TEST(sum_in_pieces) {
  Tensor row = counting_to_6(Shape({1, 300001}));
  CHECK_EQ(values<float>(run("Sum", {row, ints({1})})), plain_sum(row, 2));
  Tensor tall = counting_to_6(Shape({100003, 3}));
  CHECK_EQ(values<float>(run("Sum", {tall, ints({0})})), plain_sum(tall, 1));
  Tensor wide = counting_to_6(Shape({5, 3000}));
  CHECK_EQ(values<float>(run("Sum", {wide, ints({0})})), plain_sum(wide, 1));
}

TEST(sum_keeps_its_digits) {
  Tensor x = floats(Shape({1000000}), std::vector<double>(1000000, 0.1));
  // Equal numbers are the worst case, as all roundings go one way; adding them one by one gives 100958,
  // TensorFlow 100000.227.
  CHECK(std::abs(run("Sum", {x, ints({0})}).item<float>() - 100000.0) < 0.05);
  Tensor h = make<Half>(Shape({3000}), std::vector<double>(3000, 0.1));
  CHECK_EQ(values<Half>(run("Sum", {h, ints({0})}))[0], 300.0 - 0.0);
}

TEST(reductions_of_small_integers) {
  Tensor x = make<std::int8_t>(Shape({5}), {100, 101, 120, -127, 7});
  CHECK_EQ(values<std::int8_t>(run("Mean", {x, ints({0})}))[0], 40.0);
  CHECK_EQ(values<std::int8_t>(run("Sum", {x, ints({0})}))[0], 201.0 - 256.0);
  CHECK_EQ(values<std::int8_t>(run("Max", {x, ints({0})}))[0], 120.0);
  CHECK_EQ(values<std::int8_t>(run("Min", {x, ints({-1})}))[0], -127.0);
}

TEST(reductions_of_nothing) {
  Tensor x = floats(Shape({0, 2}), {});
  double inf = std::numeric_limits<double>::infinity();
  CHECK_EQ(values<float>(run("Sum", {x, ints({0})})), (List{0, 0}));
  CHECK_EQ(values<float>(run("Prod", {x, ints({0})})), (List{1, 1}));
  CHECK_EQ(values<float>(run("Max", {x, ints({0})})), (List{-inf, -inf}));
  CHECK(std::isnan(run("Mean", {x, ints({0, 1})}).item<float>()));
  CHECK_EQ(run("Sum", {x, ints({1})}).shape(), Shape({0}));
}

TEST(extremes_pass_nan_on) {
  std::vector<double> v(200, 1.0);
  v[77] = std::nan("");
  Tensor x = floats(Shape({200}), v);
  CHECK(std::isnan(run("Max", {x, ints({0})}).item<float>()));
  CHECK(std::isnan(run("Min", {x, ints({0})}).item<float>()));
}

TEST(complex_reductions) {
  Tensor x(DType::kComplex64, Shape({19}));
  std::complex<float> sum = 0;
  for (int i = 0; i < 19; ++i) {
    x.mutable_data<std::complex<float>>()[i] = {float(i), float(2 * i)};
    sum += x.data<std::complex<float>>()[i];
  }
  CHECK(run("Sum", {x, ints({0})}).item<std::complex<float>>() == sum);
}

TEST(reduction_errors) {
  Tensor x = floats(Shape({2}), {1, 2});
  CHECK_THROWS(run("Sum", {x, ints({1})}), kInvalidArgument,
               "Invalid reduction dimension (1 for input with 1 dimension(s)");
  CHECK_THROWS(run("Sum", {x, ints({0, -1})}), kInvalidArgument,
               "Invalid reduction arguments: Axes contains duplicate dimension: 0");
}

TEST(reduction_shapes) {
  CHECK_EQ(infer("Sum", {Shape({-1, 3, 4}), ints({1})})[0], Shape({-1, 4}));
  CHECK_EQ(infer("Sum", {Shape({-1, 3, 4}), ints({-1})}, {{"keep_dims", true}})[0], Shape({-1, 3, 1}));
  CHECK(!infer("Sum", {Shape({2, 3}), Known(Shape({1}), DType::kInt32)})[0].has_rank());
  CHECK_EQ(infer("Sum", {Shape({2, 3}), Known(Shape({1}), DType::kInt32)}, {{"keep_dims", true}})[0], Shape({-1, -1}));
  CHECK_THROWS(infer("Sum", {Shape({2}), ints({1})}), kInvalidArgument,
               "Invalid reduction dimension 1 for input with 1 dimensions.");
}

}  // namespace tracefn::test
