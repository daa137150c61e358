// Accuracy of the elementwise functions, in units of the last place, against the C library in the next wider type.
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "check.h"
#include "ops/emit.h"

namespace tracefn {
namespace {

template <typename T>
double ulps(T got, long double expected) {
  if (std::isnan(expected)) return std::isnan(got) ? 0 : 1e30;
  T rounded = static_cast<T>(expected);
  if (got == rounded) return 0;
  if (std::isinf(rounded) || std::isinf(got) || std::isnan(got)) return 1e30;
  long double spacing = std::nextafter(std::fabs(rounded), std::numeric_limits<T>::infinity()) - std::fabs(rounded);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - expected) / spacing);
}

template <typename T>
std::vector<T> between(double low, double high, int n) {
  std::vector<T> values;
  for (int i = 0; i <= n; ++i) values.push_back(static_cast<T>(low + (high - low) * i / n));
  return values;
}

// The worst error over n points of [low, high], and over its image under x -> 1/x for functions that care for tiny x.
template <typename T>
double worst(std::string_view op, const std::vector<T>& points, long double (*reference)(long double)) {
  Tensor y = emit1(op, {Tensor::vector(std::span<const T>(points))}).tensor;
  double most = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double error = ulps(y.data<T>()[i], reference(points[i]));
    if (error > most) most = error;
  }
  return most;
}

struct Row {
  const char* op;
  double low, high;
  long double (*reference)(long double);
  double float_ulps = 2, double_ulps = 2;
};

const Row kRows[] = {
    {"Exp", -86, 88, [](long double x) { return std::exp(x); }},
    {"Exp", 0, 709.7, [](long double x) { return std::exp(x); }},
    {"Expm1", 0, 709.7, [](long double x) { return std::expm1(x); }},
    {"Expm1", -50, -5, [](long double x) { return std::expm1(x); }},
    {"Expm1", -5, 5, [](long double x) { return std::expm1(x); }},
    {"Expm1", -1e-3, 1e-3, [](long double x) { return std::expm1(x); }},
    {"Log", 1e-6, 5, [](long double x) { return std::log(x); }},
    {"Log", 0.9, 1.1, [](long double x) { return std::log(x); }},
    {"Log1p", -0.9, 5, [](long double x) { return std::log1p(x); }},
    {"Log1p", -1e-3, 1e-3, [](long double x) { return std::log1p(x); }},
    {"Sqrt", 0, 1e6, [](long double x) { return std::sqrt(x); }},
    {"Rsqrt", 1e-6, 1e6, [](long double x) { return 1 / std::sqrt(x); }},
    {"Sin", -20, 20, [](long double x) { return std::sin(x); }},
    {"Sin", 1e4, 1e6, [](long double x) { return std::sin(x); }},
    {"Sin", 1e9, 1e12, [](long double x) { return std::sin(x); }},
    {"Cos", -20, 20, [](long double x) { return std::cos(x); }},
    {"Cos", 1e4, 1e6, [](long double x) { return std::cos(x); }},
    {"Cos", 1e9, 1e12, [](long double x) { return std::cos(x); }},
    // On both sides of the ends of the vectorised reductions.
    {"Sin", 9e5, 12e5, [](long double x) { return std::sin(x); }},
    {"Cos", 9e5, 12e5, [](long double x) { return std::cos(x); }},
    {"Sin", 3e6, 5e6, [](long double x) { return std::sin(x); }},
    {"Sin", 1e35, 3e38, [](long double x) { return std::sin(x); }},
    {"Tan", -10, 10, [](long double x) { return std::tan(x); }},
    {"Tan", 3e6, 5e6, [](long double x) { return std::tan(x); }},
    {"Asin", -1, 1, [](long double x) { return std::asin(x); }},
    {"Asin", -1e-3, 1e-3, [](long double x) { return std::asin(x); }},
    {"Acos", -1, 1, [](long double x) { return std::acos(x); }},
    {"Atan", -50, 50, [](long double x) { return std::atan(x); }},
    {"Atan", -1.5, 1.5, [](long double x) { return std::atan(x); }},
    {"Sinh", -2, 2, [](long double x) { return std::sinh(x); }},
    {"Sinh", 80, 88.9, [](long double x) { return std::sinh(x); }},
    {"Cosh", 80, 88.9, [](long double x) { return std::cosh(x); }},
    {"Sinh", -20, 20, [](long double x) { return std::sinh(x); }},
    {"Cosh", -20, 20, [](long double x) { return std::cosh(x); }},
    {"Tanh", -10, 10, [](long double x) { return std::tanh(x); }},
    {"Tanh", -1e-2, 1e-2, [](long double x) { return std::tanh(x); }},
    {"Asinh", -50, 50, [](long double x) { return std::asinh(x); }},
    {"Sinh", 0, 710.4, [](long double x) { return std::sinh(x); }},
    {"Cosh", 0, 710.4, [](long double x) { return std::cosh(x); }},
    {"Tanh", -1, 1, [](long double x) { return std::tanh(x); }},
    {"Log", 1e30, 3e38, [](long double x) { return std::log(x); }},
    {"Log1p", 1e30, 3.4e38, [](long double x) { return std::log1p(x); }},
    {"Log1p", -0.999999, -0.9, [](long double x) { return std::log1p(x); }},
    {"Asinh", -1e-3, 1e-3, [](long double x) { return std::asinh(x); }},
    {"Asinh", 1e30, 3e38, [](long double x) { return std::asinh(x); }},
    {"Acosh", 1, 1.001, [](long double x) { return std::acosh(x); }},
    {"Acosh", 1, 50, [](long double x) { return std::acosh(x); }},
    {"Atanh", -0.99, 0.99, [](long double x) { return std::atanh(x); }},
    {"Atanh", -1e-3, 1e-3, [](long double x) { return std::atanh(x); }},
    {"Sigmoid", -80, 30, [](long double x) { return 1 / (1 + std::exp(-x)); }, 3, 3},
    {"Elu", -10, 10, [](long double x) { return x < 0 ? std::expm1(x) : x; }},
    {"Softplus", -80, 80, [](long double x) { return x > 100 ? x : std::log1p(std::exp(x)); }, 3, 3},
    {"Erf", -4, 4, [](long double x) { return std::erf(x); }},
    {"Erf", -1e-3, 1e-3, [](long double x) { return std::erf(x); }},
    {"Erfc", -3, 9, [](long double x) { return std::erfc(x); }, 2, 4},
    {"Lgamma", 0.01, 0.9, [](long double x) { return std::lgamma(x); }, 2, 4},
    {"Lgamma", 0.9, 2.1, [](long double x) { return std::lgamma(x); }, 2, 4},
    {"Lgamma", 2.1, 100, [](long double x) { return std::lgamma(x); }, 2, 4},
    {"Lgamma", 100, 1e30, [](long double x) { return std::lgamma(x); }, 2, 4},
};

}  // namespace

TEST(accuracy_of_unary_functions) {
  for (const Row& row : kRows) {
    double f = worst<float>(row.op, between<float>(row.low, row.high, 40'013), row.reference);
    double d = worst<double>(row.op, between<double>(row.low, row.high, 10'007), row.reference);
    if (f > row.float_ulps || d > row.double_ulps)
      test::failed(__FILE__, __LINE__,
                   concat(row.op, " on [", row.low, ", ", row.high, "]: ", f, " ulp in float, ", d, " in double"));
  }
}

// The function of two arguments over a grid of the points.
template <typename T>
double worst_of_pairs(std::string_view op, const std::vector<T>& xs, const std::vector<T>& ys,
                      long double (*reference)(long double, long double)) {
  std::vector<T> x, y;
  for (T a : xs)
    for (T b : ys) {
      x.push_back(a);
      y.push_back(b);
    }
  Tensor z = emit1(op, {Tensor::vector(std::span<const T>(x)), Tensor::vector(std::span<const T>(y))}).tensor;
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::fmax(most, ulps(z.data<T>()[i], reference(x[i], y[i])));
  return most;
}

TEST(accuracy_of_binary_functions) {
  auto pow = [](long double x, long double y) { return std::pow(x, y); };
  auto atan2 = [](long double y, long double x) { return std::atan2(y, x); };
  auto check = [&]<typename T>(T) {
    CHECK(worst_of_pairs<T>("Pow", between<T>(0.01, 20, 211), between<T>(-18, 18, 197), pow) <= 2);
    CHECK(worst_of_pairs<T>("Pow", between<T>(0.99, 1.01, 211), between<T>(-5000, 5000, 197), pow) <= 2);
    CHECK(worst_of_pairs<T>("Pow", between<T>(-100, 100, 211), between<T>(-11, 11, 22), pow) <= 2);
    CHECK(worst_of_pairs<T>("Pow", between<T>(-9, 9, 211), {-3, -2, -1, 0.5, 1, 3, 10, 19}, pow) <= 2);
    CHECK(worst_of_pairs<T>("Atan2", between<T>(-9, 9, 211), between<T>(-10, 10, 197), atan2) <= 2);
  };
  check(0.0f);
  check(0.0);
}

// Zeros of both signs, infinities, NaN and what overflows, as C has it, on their own and among other numbers.
template <typename T, typename F>
void check_special_values(const char* op, F reference) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> x = {T(0), -T(0), inf, -inf, nan, 1, -1, T(1e30), T(-1e30), 2, -2, 100, -100, T(0.5), 800, -800};
  for (int copies = 0; copies < 20; ++copies) {
    Tensor y = emit1(op, {Tensor::vector(std::span<const T>(x))}).tensor;
    for (std::size_t i = 0; i < 16; ++i) {
      T got = y.data<T>()[i], expected = static_cast<T>(reference(static_cast<long double>(x[i])));
      if (std::fabs(expected) < std::numeric_limits<T>::min()) expected = std::copysign(T(0), expected);
      bool same = std::isnan(expected) ? std::isnan(got)
                                       : ulps<T>(got, expected) <= 2 && std::signbit(got) == std::signbit(expected);
      if (!same) test::failed(__FILE__, __LINE__, concat(op, "(", x[i], ") is ", got, ", not ", expected));
    }
    x.push_back(T(0.25));
  }
}

TEST(accuracy_of_unary_functions_at_special_values) {
  const std::tuple<const char*, long double (*)(long double)> functions[] = {
      {"Exp", [](long double x) { return std::exp(x); }},     {"Expm1", [](long double x) { return std::expm1(x); }},
      {"Log", [](long double x) { return std::log(x); }},     {"Log1p", [](long double x) { return std::log1p(x); }},
      {"Sin", [](long double x) { return std::sin(x); }},     {"Cos", [](long double x) { return std::cos(x); }},
      {"Tan", [](long double x) { return std::tan(x); }},     {"Asin", [](long double x) { return std::asin(x); }},
      {"Acos", [](long double x) { return std::acos(x); }},   {"Atan", [](long double x) { return std::atan(x); }},
      {"Sinh", [](long double x) { return std::sinh(x); }},   {"Cosh", [](long double x) { return std::cosh(x); }},
      {"Tanh", [](long double x) { return std::tanh(x); }},   {"Asinh", [](long double x) { return std::asinh(x); }},
      {"Acosh", [](long double x) { return std::acosh(x); }}, {"Atanh", [](long double x) { return std::atanh(x); }},
      {"Erf", [](long double x) { return std::erf(x); }},     {"Erfc", [](long double x) { return std::erfc(x); }},
  };
  for (auto [op, reference] : functions) {
    check_special_values<float>(op, reference);
    check_special_values<double>(op, reference);
  }
}

template <typename T>
void check_special_pairs() {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T odd = std::numeric_limits<T>::digits == 24 ? T(16777215) : T(9007199254740991);  // the largest odd number
  const std::vector<T> values = {0,  -T(0),  inf,     -inf,    nan,      1,      -1,      2,      -2,  3,
                                 -3, T(0.5), T(-0.5), T(1e30), T(-1e30), T(1e8), T(-1e8), T(2.5), odd, -odd};
  for (T x : values)
    for (T y : values)
      for (int n : {1, 19}) {  // alone, and in vectors
        std::vector<T> xs(n, x), ys(n, y);
        for (auto [op, expected] : {std::pair{"Pow", std::pow(x, y)}, {"Atan2", std::atan2(x, y)}}) {
          Tensor z = emit1(op, {Tensor::vector(std::span<const T>(xs)), Tensor::vector(std::span<const T>(ys))}).tensor;
          T got = z.data<T>()[0];
          if (std::fabs(expected) < std::numeric_limits<T>::min()) expected = std::copysign(T(0), expected);
          bool same = std::isnan(expected) ? std::isnan(got)
                                           : ulps(got, expected) <= 2 && std::signbit(got) == std::signbit(expected);
          if (!same) test::failed(__FILE__, __LINE__, concat(op, "(", x, ", ", y, ") is ", got, ", not ", expected));
        }
      }
}

TEST(accuracy_of_pow_and_atan2_at_special_values) {
  check_special_pairs<float>();
  check_special_pairs<double>();
}

TEST(accuracy_of_exponentials_at_the_ends_of_their_range) {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> x(20, 100.0f);  // more than a packet of every instruction set
  for (auto [at, exp, sigmoid] :
       {std::tuple{100.0f, inf, 1.0f}, {-110.0f, 0.0f, 0.0f}, {inf, inf, 1.0f}, {-inf, 0.0f, 0.0f}}) {
    x.assign(20, at);
    CHECK_EQ(emit1("Exp", {Tensor::vector(std::span<const float>(x))}).tensor.data<float>()[3], exp);
    CHECK_EQ(emit1("Sigmoid", {Tensor::vector(std::span<const float>(x))}).tensor.data<float>()[3], sigmoid);
  }
  CHECK(std::isnan(emit1("Exp", {Tensor::scalar(std::nanf(""))}).tensor.item<float>()));
}

TEST(accuracy_of_quantiles) {
  // Round iterations: erf(erfinv(x)) = x, with the condition of the inverse in mind.
  for (double x : between<double>(-0.999, 0.999, 1000)) {
    double y = emit1("Erfinv", {Tensor::scalar(x)}).tensor.item<double>();
    CHECK(std::fabs(std::erf(y) - x) <= 4e-16);
    double p = (1 + x) / 2, q = emit1("Ndtri", {Tensor::scalar(p)}).tensor.item<double>();
    CHECK(std::fabs(0.5 * std::erfc(-q / std::sqrt(2.0)) - p) <= 4e-16);
  }
  CHECK(std::isinf(emit1("Erfinv", {Tensor::scalar(1.0f)}).tensor.item<float>()));
  CHECK(std::isnan(emit1("Ndtri", {Tensor::scalar(1.5f)}).tensor.item<float>()));
}

TEST(accuracy_of_gamma_functions) {
  auto call = [](std::string_view op, double x) { return emit1(op, {Tensor::scalar(x)}).tensor.item<double>(); };
  auto polygamma = [](double n, double x) {
    return emit1("Polygamma", {Tensor::scalar(n), Tensor::scalar(x)}).tensor.item<double>();
  };
  auto near = [](double got, double expected) { return std::fabs(got - expected) <= 4e-15 * std::fabs(expected); };
  constexpr double kPi = 3.14159265358979323846, kEuler = 0.57721566490153286061;
  CHECK(near(call("Digamma", 1), -kEuler));
  CHECK(near(call("Digamma", 0.5), -kEuler - 2 * std::log(2.0)));
  CHECK(std::fabs(call("Digamma", -0.5) - (2 - kEuler - 2 * std::log(2.0))) < 1e-15);
  CHECK(std::isnan(call("Digamma", -3)));
  CHECK(near(call("Digamma", -1e-10), 1e10 - kEuler));
  // The float function is another algorithm than that of double.
  std::vector<float> points = between<float>(0.01, 30, 3000);
  Tensor digamma = emit1("Digamma", {Tensor::vector(std::span<const float>(points))}).tensor;
  for (std::size_t i = 0; i < points.size(); ++i)
    CHECK(ulps<float>(digamma.data<float>()[i], call("Digamma", points[i])) <= 1);
  for (float x : {0.0f, -2.0f, -std::numeric_limits<float>::infinity(), std::nanf("")})
    CHECK(std::isnan(emit1("Digamma", {Tensor::scalar(x)}).tensor.item<float>()));
  CHECK(std::isinf(emit1("Lgamma", {Tensor::scalar(-3.0f)}).tensor.item<float>()));
  CHECK(std::isinf(emit1("Lgamma", {Tensor::scalar(1e38f)}).tensor.item<float>()));
  CHECK_EQ(emit1("Lgamma", {Tensor::scalar(2.0f)}).tensor.item<float>(), 0.0f);
  CHECK(near(polygamma(1, 1), kPi * kPi / 6));
  CHECK(near(polygamma(1, 0.5), kPi * kPi / 2));
  CHECK(near(polygamma(1, -0.5), kPi * kPi / 2 + 4));
  CHECK(near(polygamma(2, 0.5), -14 * 1.2020569031595942854));
  CHECK(near(polygamma(1, -1e7 + 0.5), kPi * kPi - 1 / (1e7 + 0.5)));
  Tensor zeta = emit1("Zeta", {Tensor::scalar(4.0), Tensor::scalar(1.0)}).tensor;
  CHECK(near(zeta.item<double>(), kPi * kPi * kPi * kPi / 90));
}

// A packet's element and a lone element have the same bits.
template <typename T>
void check_places(const std::vector<T>& x) {
  for (const char* op :
       {"Exp",   "Tanh", "Sin",  "Cos",     "Tan", "Asin",     "Acos",  "Atan",   "Sinh",    "Cosh", "Asinh", "Acosh",
        "Atanh", "Erf",  "Erfc", "Sigmoid", "Elu", "Softplus", "Expm1", "Lgamma", "Digamma", "Log",  "Log1p"}) {
    Tensor all = emit1(op, {Tensor::vector(std::span<const T>(x))}).tensor;
    for (std::size_t i = 0; i < x.size(); ++i) {
      Tensor single = emit1(op, {Tensor::scalar(x[i])}).tensor;
      T alone = single.data<T>()[0], among = all.data<T>()[i];
      CHECK(among == alone || (std::isnan(among) && std::isnan(alone)));
    }
  }
}

TEST(accuracy_does_not_depend_on_place) {
  check_places(between<float>(-3, 3, 66));
  check_places(between<double>(-3, 3, 66));
}

}  // namespace tracefn
