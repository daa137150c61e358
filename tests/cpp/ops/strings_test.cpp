// Text of values: AsString, StringFormat, assertion messages; and the other string ops.
#include <cmath>

#include "check.h"
#include "ops/emit.h"
#include "ops/strings/value_format.h"
#include "ops/vectors.h"

namespace tracefn {
namespace {

Tensor strings(std::initializer_list<std::string> values) {
  return Tensor::vector(std::span<const std::string>(values.begin(), values.size()));
}
Tensor range(std::int32_t n, Shape shape) {
  Tensor t(DType::kInt32, std::move(shape));
  for (std::int32_t i = 0; i < n; ++i) t.mutable_data<std::int32_t>()[i] = i;
  return t;
}
std::string as_string(Tensor x, std::initializer_list<NamedAttr> attrs = {}) {
  std::string out;
  Tensor texts = emit1("AsString", {std::move(x)}, attrs).tensor;
  for (const std::string& s : texts.span<std::string>()) out += out.empty() ? s : "|" + s;
  return out;
}

}  // namespace

TEST(strings_as_string) {
  CHECK_EQ(as_string(floats({1.5f, 1e10f, NAN, -INFINITY})), "1.500000|10000000000.000000|nan|-inf");
  CHECK_EQ(as_string(floats({1.5f, 1e10f}), {{"scientific", true}, {"precision", 3}}), "1.500e+00|1.000e+10");
  CHECK_EQ(as_string(floats({0.1f, 1e10f}), {{"shortest", true}}), "0.1|1e+10");
  CHECK_EQ(as_string(range(3, {3}), {{"width", 3}, {"fill", "0"}}), "000|001|002");
  CHECK_EQ(as_string(floats({1.5f}), {{"width", 10}, {"fill", "+"}}), " +1.500000");
  CHECK_EQ(as_string(floats({-1.5f}), {{"width", 10}, {"fill", "0"}}), "-01.500000");
  CHECK_EQ(as_string(floats({NAN}), {{"width", 8}, {"fill", "0"}}), "     nan");
  CHECK_EQ(as_string(Tensor::scalar(std::complex<float>(1, -2)), {{"precision", 1}}), "(1.0,-2.0)");
  CHECK_THROWS(as_string(range(1, {1}), {{"precision", 3}}), kInvalidArgument,
               "precision not supported for datatype int32");
}

TEST(strings_format_tensor) {
  CHECK_EQ(format_tensor(range(10, {10}), 3), "[0 1 2 ... 7 8 9]");
  CHECK_EQ(format_tensor(range(10, {10}), -1), "[0 1 2 3 4 5 6 7 8 9]");
  CHECK_EQ(format_tensor(range(8, {2, 2, 2}), 3), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
  CHECK_EQ(format_tensor(Tensor::zeros(DType::kFloat, {2, 0}), 3), "[\n ...]");
  CHECK_EQ(format_tensor(floats({1.0f / 3, 1e10f, 100000, 1234567}), -1), "[0.333333343 1e+10 100000 1234567]");
  CHECK_EQ(format_tensor(Tensor::scalar(1.0 / 3), 3), "0.33333333333333331");
  CHECK_EQ(format_tensor(strings({"a\"b", "x\n"}), 3), "[\"a\\\"b\" \"x\\n\"]");
}

TEST(strings_summarize_value) {
  CHECK_EQ(summarize_value(range(24, {2, 3, 4}), 7), "[[0 1 2 3][4 5 6...]]...");
  CHECK_EQ(summarize_value(range(6, {2, 3}), 3), "[0 1 2]...");
  CHECK_EQ(summarize_value(range(4, {2, 2}), 3), "[0 1][2...]...");
  CHECK_EQ(summarize_value(range(5, {5}), 3), "0 1 2...");
  CHECK_EQ(summarize_value(Tensor::scalar(std::string("a b")), 3), "a b");
  CHECK_EQ(summarize_value(range(0, {0}), 3), "");
}

TEST(strings_to_number) {
  Tensor in = strings({"1", " 2.5 ", "0x1A", "+4", "-1e3", "1e40"});
  CHECK(identical(emit1("StringToNumber", {in}).tensor, floats({1, 2.5f, 26, 4, -1000, INFINITY})));
  CHECK_THROWS(emit1("StringToNumber", {strings({"1.5"})}, {{"out_type", DType::kInt32}}), kInvalidArgument,
               "StringToNumberOp could not correctly convert string: 1.5");
}

TEST(strings_join_and_cut) {
  Operand parts[] = {Tensor::scalar(std::string("a")), strings({"b", "c"})};
  CHECK(identical(emit_all("StringJoin", parts, {{"separator", "-"}})[0].tensor, strings({"a-b", "a-c"})));
  Operand unequal[] = {strings({"a"}), strings({"b", "c"})};
  CHECK_THROWS(emit_all("StringJoin", unequal), kInvalidArgument, "Input shapes do not match: [1] vs. [2]");
  auto cut = [](Tensor in, std::int32_t pos, std::int32_t len, const char* unit) {
    return emit1("Substr", {in, Tensor::scalar(pos), Tensor::scalar(len)}, {{"unit", unit}}).tensor;
  };
  CHECK(identical(cut(strings({"hello"}), -3, 2, "BYTE"), strings({"ll"})));
  CHECK(identical(cut(strings({"w\xc3\xb6rld"}), 1, 2, "UTF8_CHAR"), strings({"\xc3\xb6r"})));
  CHECK_THROWS(cut(strings({"ab"}), 3, 1, "BYTE"), kInvalidArgument, "pos 3 out of range for string b'ab' at index 0");
}

TEST(strings_reduce_join) {
  Tensor in = strings({"a", "b", "c", "d"}).reshaped({2, 2});
  auto join = [&](std::initializer_list<std::int32_t> axes) {
    Tensor t = Tensor::vector(std::span<const std::int32_t>(axes.begin(), axes.size()));
    return emit1("ReduceJoin", {in, t}).tensor;
  };
  CHECK_EQ(join({1, 0}).item<std::string>(), "abcd");
  CHECK_EQ(join({0, 1}).item<std::string>(), "acbd");
  CHECK(identical(join({0}), strings({"ac", "bd"})));
}

}  // namespace tracefn
