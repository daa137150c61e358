// Edge cases of the elementwise kernels: special values, overflow, signs of remainders, shifts, conversions.
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "check.h"
#include "ops/elementwise/elementwise.h"
#include "ops/emit.h"
#include "ops/registry.h"
#include "tensor/stored_types.h"

namespace tracefn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename T>
Tensor vec(std::initializer_list<T> values) {
  return Tensor::vector(std::span<const T>(values.begin(), values.size()));
}

template <typename T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  else
    return a == b;
}

template <typename T>
void check_values(const Operand& got, std::initializer_list<T> expected, const char* what) {
  CHECK_EQ(got.tensor.dtype(), DTypeOf<T>::value);
  CHECK_EQ(got.tensor.num_elements(), static_cast<std::int64_t>(expected.size()));
  std::size_t i = 0;
  for (T e : expected) {
    T g = got.tensor.data<T>()[i];
    if (!same(g, e)) test::failed(what, static_cast<int>(i), concat(+g, " where ", +e, " was expected"));
    ++i;
  }
}

Operand binary(std::string_view op, Tensor a, Tensor b) { return emit1(op, {std::move(a), std::move(b)}); }

Tensor cast(Tensor x, DType to) { return emit1("Cast", {std::move(x)}, {{"DstT", to}}).tensor; }

}  // namespace

TEST(kernels_integer_division) {
  using I = std::int32_t;
  auto x = [] { return vec<I>({7, -7, 7, -7, INT32_MIN}); };
  auto y = [] { return vec<I>({3, 3, -3, -3, -1}); };
  check_values<I>(binary("FloorDiv", x(), y()), {2, -3, -3, 2, INT32_MIN}, "FloorDiv");
  check_values<I>(binary("FloorMod", x(), y()), {1, 2, -2, -1, 0}, "FloorMod");
  check_values<I>(binary("TruncateDiv", x(), y()), {2, -2, -2, 2, INT32_MIN}, "TruncateDiv");
  check_values<I>(binary("TruncateMod", x(), y()), {1, -1, 1, -1, 0}, "TruncateMod");
  check_values<I>(binary("Div", x(), y()), {2, -2, -2, 2, INT32_MIN}, "Div");
  check_values<std::int8_t>(binary("FloorDiv", vec<std::int8_t>({-128, -128}), vec<std::int8_t>({-1, 3})), {-128, -43},
                            "FloorDiv of int8");
  check_values<std::uint8_t>(binary("FloorMod", vec<std::uint8_t>({200}), vec<std::uint8_t>({7})), {4}, "uint8");
  for (const char* op : {"FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod", "Div", "Mod"}) {
    CHECK_THROWS(binary(op, x(), vec<I>({1, 1, 1, 1, 0})), kInvalidArgument, "Integer division by zero");
    CHECK_EQ(binary(op, Tensor(DType::kInt32, Shape({0})), vec<I>({0})).shape(), Shape({0}));
  }
}

TEST(kernels_float_division) {
  auto x = [] { return vec<double>({7.5, -7.5, 7.5, -7.5, 1, -1, kInf, 5, -5, 0, -0.0, -6}); };
  auto y = [] { return vec<double>({2, 2, -2, -2, 0, 0, 2, kInf, kInf, 0, 3, 3}); };
  check_values<double>(binary("FloorDiv", x(), y()), {3, -4, -4, 3, kInf, -kInf, kInf, 0, -0.0, kNan, -0.0, -2},
                       "FloorDiv");
  check_values<double>(binary("FloorMod", x(), y()),
                       {1.5, 0.5, -0.5, -1.5, kNan, kNan, kNan, 5, kInf, kNan, -0.0, -0.0}, "FloorMod");
  check_values<double>(binary("DivNoNan", x(), y()), {3.75, -3.75, -3.75, 3.75, 0, 0, kInf, 0, -0.0, 0, -0.0, -2},
                       "DivNoNan");
  check_values<double>(binary("MulNoNan", vec<double>({kNan, kInf, 2}), vec<double>({0, 0, 3})), {0, 0, 6}, "MulNoNan");
  check_values<double>(binary("Xlogy", vec<double>({0, 0, kNan, 2}), vec<double>({kNan, -1, 0, 0})),
                       {0, 0, kNan, -kInf}, "Xlogy");
}

TEST(kernels_powers) {
  using I = std::int32_t;
  check_values<I>(binary("Pow", vec<I>({2, -3, 0, 7}), vec<I>({3, 3, 0, 20})), {8, -27, 1, -1199696159}, "Pow");
  check_values<std::int8_t>(binary("Pow", vec<std::int8_t>({7}), vec<std::int8_t>({20})), {-31}, "Pow of int8");
  check_values<float>(binary("Pow", vec<float>({7.5f, -2}), Tensor::scalar(2.0f)), {56.25f, 4}, "squares");
  check_values<float>(binary("Pow", vec<float>({-8, 0, 4}), vec<float>({1.0f / 3, 0, 0.5f})),
                      {static_cast<float>(kNan), 1, 2}, "Pow of float");
  CHECK_THROWS(binary("Pow", vec<I>({1, 1}), vec<I>({1, -1})), kInvalidArgument,
               "Integers to negative integer powers are not allowed");
}

TEST(kernels_extremes) {
  auto x = [] { return vec<double>({kNan, 1, 2, -0.0, 0}); };
  auto y = [] { return vec<double>({1, kNan, 1, 0, -0.0}); };
  check_values<double>(binary("Maximum", x(), y()), {kNan, kNan, 2, -0.0, 0}, "Maximum");
  check_values<double>(binary("Minimum", x(), y()), {kNan, kNan, 1, -0.0, 0}, "Minimum");
}

TEST(kernels_shifts) {
  using I = std::int32_t;
  check_values<I>(binary("LeftShift", vec<I>({5, 5, 5, -5, 5}), vec<I>({1, 31, 100, 2, -40})),
                  {10, INT32_MIN, INT32_MIN, -20, 5}, "LeftShift");
  check_values<I>(binary("RightShift", vec<I>({100, 100, -5, -5, 5}), vec<I>({1, 100, 1, 40, -40})), {50, 0, -3, -1, 5},
                  "RightShift");
  check_values<std::uint8_t>(binary("LeftShift", vec<std::uint8_t>({5}), vec<std::uint8_t>({8})), {128}, "uint8");
}

TEST(kernels_rounding_and_signs) {
  check_values<float>(emit1("Round", {vec<float>({0.5f, 1.5f, 2.5f, -0.5f, -1.5f})}), {0, 2, 2, -0.0f, -2}, "Round");
  check_values<float>(emit1("Sign", {vec<float>({-0.0f, 3, -3, static_cast<float>(kNan)})}),
                      {0, 1, -1, static_cast<float>(kNan)}, "Sign");
  check_values<std::int8_t>(emit1("Abs", {vec<std::int8_t>({-128, -5})}), {-128, 5}, "Abs");
  check_values<double>(emit1("Relu", {vec<double>({kNan, -1, 2, -0.0})}), {kNan, 0, 2, -0.0}, "Relu");
  check_values<double>(emit1("Relu6", {vec<double>({kNan, -1, 2, 7})}), {kNan, 0, 2, 6}, "Relu6");
  check_values<double>(emit1("Softplus", {vec<double>({kNan, kInf, -kInf, 1000})}), {kNan, kInf, 0, 1000}, "Softplus");
  check_values<double>(emit1("Elu", {vec<double>({kNan, kInf, -kInf, 2})}), {kNan, kInf, -1, 2}, "Elu");
  check_values<bool>(emit1("IsInf", {vec<double>({kNan, kInf, -kInf, 2})}), {false, true, true, false}, "IsInf");
  check_values<bool>(emit1("IsNan", {vec<float>({static_cast<float>(kNan), 1, 2})}), {true, false, false}, "IsNan");
}

TEST(kernels_functions_at_special_values) {
  struct Row {
    const char* op;
    double x, y;
  };
  const Row rows[] = {
      {"Exp", kInf, kInf},     {"Exp", -kInf, 0},           {"Exp", kNan, kNan},   {"Exp", 1000, kInf},
      {"Expm1", -kInf, -1},    {"Log", 0, -kInf},           {"Log", -1, kNan},     {"Log", kInf, kInf},
      {"Log1p", -1, -kInf},    {"Log1p", -2, kNan},         {"Log1p", kInf, kInf}, {"Tanh", kInf, 1},
      {"Tanh", -kInf, -1},     {"Sigmoid", -kInf, 0},       {"Sigmoid", kInf, 1},  {"Sigmoid", 1000, 1},
      {"Sin", kInf, kNan},     {"Cos", kNan, kNan},         {"Rsqrt", 0, kInf},    {"Rsqrt", -0.0, -kInf},
      {"Rsqrt", kInf, 0},      {"Sqrt", -0.0, -0.0},        {"Sqrt", -1, kNan},    {"Lgamma", -1, kInf},
      {"Lgamma", -kInf, kInf}, {"Digamma", -kInf, kNan},    {"Digamma", 0, kNan},  {"Digamma", kInf, kInf},
      {"Erf", -kInf, -1},      {"Reciprocal", -0.0, -kInf}, {"Expm1", 0, 0},       {"Tanh", -0.0, -0.0},
      {"Sin", -0.0, -0.0},     {"Expm1", kNan, kNan},       {"Tanh", kNan, kNan}};
  for (const Row& row : rows) {
    check_values<double>(emit1(row.op, {Tensor::scalar(row.x)}), {row.y}, row.op);
    check_values<float>(emit1(row.op, {Tensor::scalar(static_cast<float>(row.x))}), {static_cast<float>(row.y)},
                        row.op);
  }
}

TEST(kernels_cast_out_of_range) {
  Tensor x = vec<double>({kNan, kInf, -kInf, 300.7, -1.5, 3e9, 1e19, -1e19});
  check_values<std::int32_t>(cast(x, DType::kInt32),
                             {INT32_MIN, INT32_MIN, INT32_MIN, 300, -1, INT32_MIN, INT32_MIN, INT32_MIN}, "int32");
  check_values<std::int64_t>(cast(x, DType::kInt64),
                             {INT64_MIN, INT64_MIN, INT64_MIN, 300, -1, 3000000000, INT64_MIN, INT64_MIN}, "int64");
  check_values<std::int8_t>(cast(x, DType::kInt8), {0, 0, 0, 44, -1, 0, 0, 0}, "int8");
  check_values<std::uint16_t>(cast(x, DType::kUInt16), {0, 0, 0, 300, 65535, 0, 0, 0}, "uint16");
  check_values<std::uint32_t>(cast(x, DType::kUInt32), {0, 0, 0, 300, 4294967295u, 3000000000u, 0, 0}, "uint32");
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  check_values<std::uint64_t>(cast(x, DType::kUInt64),
                              {kTop, kTop, kTop, 300, UINT64_MAX, 3000000000u, 10000000000000000000u, kTop}, "uint64");
  check_values<bool>(cast(x, DType::kBool), {true, true, true, true, true, true, true, true}, "bool");
}

TEST(kernels_cast_pairs) {
  // Every pair of dtypes with arithmetic, there and back, for numbers that all of them hold.
  for (int from = 1; from < kDTypeSlots; ++from) {
    for (int to = 1; to < kDTypeSlots; ++to) {
      DType a = static_cast<DType>(from), b = static_cast<DType>(to);
      if (!is_dtype(from) || !is_dtype(to) || !is_plain(a) || !is_plain(b) || is_stored_only(a) || is_stored_only(b))
        continue;
      Tensor one = cast(vec<std::int32_t>({0, 1, 1}), a);
      Tensor back = cast(cast(one, b), DType::kInt32);
      check_values<std::int32_t>(back, {0, 1, 1}, "cast there and back");
    }
  }
  check_values<float>(cast(vec<std::complex<float>>({{2.5f, 1}}), DType::kFloat), {2.5f}, "real part");
  Tensor half = cast(vec<float>({65504, 65520, 1e-8f, 0.1f}), DType::kHalf);
  check_values<float>(cast(half, DType::kFloat), {65504, static_cast<float>(kInf), 0, 0.0999755859375f}, "half");
  CHECK_THROWS(cast(Tensor::scalar(std::string("1")), DType::kFloat), kUnimplemented,
               "Cast string to float is not supported");
  CHECK_EQ(cast(Tensor::scalar(std::string("1")), DType::kString).item<std::string>(), "1");
}

TEST(stored_types_keep_their_numbers) {
  // Every float8 and every integer of four bits, as numbers and back.
  for (DType dtype : {DType::kFloat8E5M2, DType::kFloat8E4M3FN, DType::kInt4, DType::kUInt4, DType::kQUInt8}) {
    const std::size_t count = is_four_bits(dtype) ? 16 : 256;
    Tensor stored(dtype, Shape({static_cast<std::int64_t>(count)}));
    auto* bytes = static_cast<std::uint8_t*>(stored.mutable_raw());
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i);
    const Tensor numbers = numbers_of(stored), back = stored_as(numbers, dtype);
    CHECK(numbers.dtype() == number_dtype(dtype) && back.dtype() == dtype);
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_nan = is_float8(dtype) && std::isnan(numbers.data<float>()[i]);
      CHECK(is_nan || static_cast<const std::uint8_t*>(back.raw())[i] == bytes[i]);
    }
  }
}

TEST(kernels_small_floats_round_once) {
  // 1 + 2^-11 lies between two halves; the product of the unrounded sum would differ.
  Tensor x = cast(vec<float>({1, 3, -2.5f}), DType::kHalf),
         y = cast(vec<float>({0.00048828125f, 1.0f / 3, 4}), DType::kHalf);
  Tensor sum = cast(binary("AddV2", x, y).tensor, DType::kFloat);
  check_values<float>(sum, {1, 3.333984375f, 1.5f}, "half");
  Tensor wide(DType::kBFloat16, Shape({1000}));
  std::fill_n(wide.mutable_data<BFloat16>(), 1000, BFloat16(2.0f));
  Tensor squares = emit1("Square", {wide}).tensor;
  for (int i = 0; i < 1000; ++i) CHECK_EQ(static_cast<float>(squares.data<BFloat16>()[i]), 4.0f);
  CHECK(binary("Less", x, Tensor(cast(vec<float>({2}), DType::kHalf))).tensor.data<bool>()[0]);
}

TEST(kernels_select_and_clip) {
  Tensor condition = vec<bool>({true, false});
  auto t = vec<float>({1, 2, 3, 4}).reshaped(Shape({2, 2})), e = vec<float>({5, 6, 7, 8}).reshaped(Shape({2, 2}));
  check_values<float>(emit1("Select", {condition, t, e}), {1, 2, 7, 8}, "rows");
  check_values<float>(emit1("SelectV2", {condition, t, e}), {1, 6, 3, 8}, "columns");
  check_values<float>(emit1("SelectV2", {condition, Tensor::scalar(1.0f), Tensor::scalar(2.0f)}), {1, 2}, "scalars");
  CHECK_THROWS(emit1("SelectV2", {vec<bool>({true, false, true}), vec<float>({1, 2}), Tensor::scalar(0.0f)}),
               kInvalidArgument, "condition [3], then [2], and else [] must be broadcastable");
  CHECK_THROWS(emit1("Select", {vec<bool>({true}), t, e}), kInvalidArgument,
               "Number of batches of 'then' must match size of 'cond', but saw: 2 vs. 1");
  Tensor words(DType::kString, Shape({2}));
  words.mutable_data<std::string>()[0] = "a";
  Tensor picked = emit1("SelectV2", {condition, words, Tensor::scalar(std::string("z"))}).tensor;
  CHECK(picked.data<std::string>()[0] == "a" && picked.data<std::string>()[1] == "z");
  auto x = [] { return vec<double>({1, 5, kNan, -3}); };
  check_values<double>(emit1("ClipByValue", {x(), Tensor::scalar(0.0), Tensor::scalar(2.0)}), {1, 2, kNan, 0}, "clip");
  CHECK_THROWS(emit1("ClipByValue", {x(), vec<double>({1, 2}), Tensor::scalar(2.0)}), kInvalidArgument,
               "must be either of the same shape as input, or a scalar");
}

TEST(kernels_sums_of_many) {
  Tensor x = vec<float>({1, 2}), y = vec<float>({10, 20});
  check_values<float>(emit1("AddN", {x, y, x}), {12, 24}, "AddN");
  check_values<float>(emit1("AddN", {x}), {1, 2}, "AddN of one");
  check_values<float>(x, {1, 2}, "inputs stay");
  CHECK_THROWS(
      emit1("AddN", {x, vec<float>({1})}), kInvalidArgument,
      "Inputs to operation AddN of type AddN must have the same size and shape.  Input 0: [2] != input 1: [1]");
}

TEST(kernels_bitcast) {
  check_values<std::int32_t>(emit1("Bitcast", {vec<float>({1, 2})}, {{"type", DType::kInt32}}),
                             {1065353216, 1073741824}, "int32");
  Tensor bytes = emit1("Bitcast", {vec<float>({1})}, {{"type", DType::kUInt8}}).tensor;
  CHECK_EQ(bytes.shape(), Shape({1, 4}));
  Tensor wide = emit1("Bitcast", {vec<std::int32_t>({1, 2})}, {{"type", DType::kInt64}}).tensor;
  CHECK_EQ(wide.shape(), Shape());
  CHECK_EQ(wide.item<std::int64_t>(), 8589934593);
  CHECK_THROWS(emit1("Bitcast", {vec<float>({1, 2, 3})}, {{"type", DType::kDouble}}), kInvalidArgument,
               "Cannot bitcast from");
}

TEST(kernels_complex) {
  using C = std::complex<double>;
  Tensor x = vec<C>({{3, 4}, {0, 0}});
  check_values<double>(emit1("ComplexAbs", {x}, {{"Tout", DType::kDouble}}), {5, 0}, "ComplexAbs");
  check_values<double>(emit1("Angle", {vec<C>({{0, 1}})}, {{"Tout", DType::kDouble}}), {std::atan2(1.0, 0.0)}, "Angle");
  CHECK_THROWS(emit1("Real", {x}), kInvalidArgument, "Signature mismatch");
  Tensor huge = binary("RealDiv", vec<C>({{1e300, 1e300}}), vec<C>({{1e300, 1e300}})).tensor;
  CHECK(huge.item<C>() == C(1, 0));
  Tensor z = emit1("Complex", {vec<double>({1, 2}), Tensor::scalar(3.0)}, {{"Tout", DType::kComplex128}}).tensor;
  CHECK(z.data<C>()[1] == C(2, 3));
}

}  // namespace tracefn
