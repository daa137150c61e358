// The rules of simplify, one expression each, and what they must leave alone.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "passes/ops_text.h"

namespace tracefn::test {
namespace {

using Make = std::function<Operand(const Operand& x)>;

std::shared_ptr<Graph> graph_of(const Make& make, DType dtype = DType::kFloat, Shape shape = {2, 3}) {
  GraphMaker maker;
  Operand x = maker.input(dtype, std::move(shape));
  maker.output(make(x));
  return maker.graph();
}

std::string simplified(const Make& make, DType dtype = DType::kFloat, Shape shape = {2, 3}) {
  return ops_after(kSimplify, graph_of(make, dtype, std::move(shape)));
}

Operand ones(Shape shape) {
  Tensor t(DType::kFloat, std::move(shape));
  std::fill_n(t.mutable_data<float>(), t.num_elements(), 1.0f);
  return build::constant(t);
}

TEST(simplify_drops_what_changes_nothing) {
  CHECK_EQ(simplified([](const Operand& x) { return x * real(1); }), "");
  CHECK_EQ(simplified([](const Operand& x) { return real(1) * x; }), "");
  CHECK_EQ(simplified([](const Operand& x) { return x / real(1); }), "");
  CHECK_EQ(simplified([](const Operand& x) { return x - real(0); }), "");
  CHECK_EQ(simplified([](const Operand& x) { return x + real(-0.0); }), "");
  CHECK_EQ(simplified([](const Operand& x) { return x + real(0, DType::kInt32); }, DType::kInt32), "");
  CHECK_EQ(simplified([](const Operand& x) { return x * ones({2, 3}); }), "");
  CHECK_EQ(simplified([](const Operand& x) { return emit1("Pow", {x, real(1)}); }), "");
  CHECK_EQ(simplified([](const Operand& x) { return emit1("Identity", {x}); }), "");
  CHECK_EQ(simplified([](const Operand& x) { return emit1("AddN", {x}, {{"N", 1}}); }), "");
}

TEST(simplify_keeps_signed_zeros) {
  CHECK_EQ(simplified([](const Operand& x) { return x + real(0); }), "AddV2");
  CHECK_EQ(simplified([](const Operand& x) { return x - real(-0.0); }), "Sub");
  CHECK_EQ(simplified([](const Operand& x) { return real(0) - x; }), "Sub");
}

TEST(simplify_keeps_broadcasts) {
  CHECK_EQ(simplified([](const Operand& x) { return x * ones({4, 2, 3}); }), "Mul");
  CHECK_EQ(simplified([](const Operand& x) { return x * ones({2, 3}); }, DType::kFloat, {-1, 3}), "Mul");
  CHECK_EQ(simplified([](const Operand& x) { return x * ones({1, 1, 1}); }), "Mul");
  CHECK_EQ(simplified([](const Operand& x) { return x * ones({1}); }, DType::kFloat, Shape::unknown()), "Mul");
}

TEST(simplify_uses_cheaper_ops) {
  CHECK_EQ(simplified([](const Operand& x) { return x * x; }), "Square");
  CHECK_EQ(simplified([](const Operand& x) { return emit1("Pow", {x, real(2)}); }), "Square");
  CHECK_EQ(simplified([](const Operand& x) { return emit1("Pow", {x, real(0.5)}); }), "Pow");
  CHECK_EQ(simplified([](const Operand& x) { return x * real(-1); }), "Neg");
  CHECK_EQ(simplified([](const Operand& x) { return x + (-x); }), "Sub");
  CHECK_EQ(simplified([](const Operand& x) { return x - (-x); }), "AddV2");
  CHECK_EQ(simplified([](const Operand& x) { return x / real(8); }), "Mul");
  CHECK_EQ(simplified([](const Operand& x) { return x / real(3); }), "RealDiv");
  CHECK_EQ(simplified([](const Operand& x) { return x / real(0); }), "RealDiv");
  CHECK_EQ(simplified([](const Operand& x) { return x / real(std::ldexp(1.0, -127)); }), "RealDiv");
}

TEST(simplify_undoes_pairs) {
  CHECK_EQ(simplified([](const Operand& x) { return -(-x); }), "");
  CHECK_EQ(simplified([](const Operand& x) { return emit1("Relu", {emit1("Relu", {x})}); }), "Relu");
  auto transposed = [](const Operand& x) { return emit1("Transpose", {x, build::ints({1, 0})}); };
  CHECK_EQ(simplified([&](const Operand& x) { return transposed(transposed(x)); }), "");
  CHECK_EQ(simplified([](const Operand& x) { return emit1("Transpose", {x, build::ints({0, 1})}); }), "");
  CHECK_EQ(simplified([](const Operand& x) {
             return build::reshape(build::reshape(x, build::ints({6})), build::ints({2, 3}));
           }),
           "");
  CHECK_EQ(simplified([](const Operand& x) {
             return build::reshape(build::reshape(x, build::ints({6})), build::ints({3, 2}));
           }),
           "Reshape");
  CHECK_EQ(simplified([](const Operand& x) {
             return emit1("Squeeze", {emit1("ExpandDims", {x, build::ints({1})})},
                          {{"squeeze_dims", std::vector<std::int64_t>{1}}});
           }),
           "");
}

TEST(simplify_keeps_reshapes_that_may_fail) {
  auto there_and_back = [](const Operand& x) {
    return build::reshape(build::reshape(x, build::ints({-1, 4})), build::ints({-1}));
  };
  CHECK_EQ(simplified(there_and_back, DType::kFloat, {-1}), "Reshape Reshape");
}

TEST(simplify_drops_casts_without_loss) {
  auto there_and_back = [](DType between) {
    return [between](const Operand& x) { return build::cast(build::cast(x, between), x.dtype()); };
  };
  CHECK_EQ(simplified(there_and_back(DType::kDouble)), "");
  CHECK_EQ(simplified(there_and_back(DType::kHalf)), "Cast Cast");
  CHECK_EQ(simplified(there_and_back(DType::kInt32)), "Cast Cast");
  CHECK_EQ(simplified(there_and_back(DType::kInt64), DType::kInt32), "");
  CHECK_EQ(simplified(there_and_back(DType::kFloat), DType::kInt32), "Cast Cast");
  CHECK_EQ(simplified(there_and_back(DType::kFloat), DType::kBool), "");
}

TEST(simplify_selects_by_constant_conditions) {
  for (bool condition : {true, false}) {
    auto select = [&](const Operand& x) {
      return build::select(build::constant(Tensor::scalar(condition)), x, emit1("Exp", {x}));
    };
    CHECK_EQ(simplified(select), condition ? "" : "Exp");
  }
  auto widening = [](const Operand& x) {
    return build::select(build::constant(Tensor::scalar(true)), x, ones({4, 2, 3}));
  };
  CHECK_EQ(simplified(widening), "SelectV2");
}

TEST(simplify_gives_products_the_transposition) {
  auto product = [](const Operand& x) { return emit1("MatMul", {emit1("Transpose", {x, build::ints({1, 0})}), x}); };
  CHECK_EQ(simplified(product), "MatMul");
  std::shared_ptr<Graph> graph = graph_of(product);
  Tensor x(DType::kFloat, Shape({2, 3}));
  for (int i = 0; i < 6; ++i) x.mutable_data<float>()[i] = std::sin(static_cast<float>(i));
  check_same_results(graph, {x});
}

TEST(simplify_leaves_what_waits_for_a_check) {
  GraphMaker maker;
  Operand x = maker.input(DType::kFloat, Shape({2}));
  Operand checked = emit1("CheckNumerics", {x}, {{"message", "bad"}});
  Operand waits = emit1("Identity", {x});
  maker.graph()->node(waits.value.node).control_inputs.push_back(checked.value.node);
  maker.output(waits);
  CHECK_EQ(ops_after(kSimplify, maker.graph()), "CheckNumerics Identity");
}

// Signs of NaN are nobody's promise, and subnormals are flushed by whatever computes.
TEST(simplify_keeps_the_bits_of_special_numbers) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  Tensor x(DType::kFloat, Shape({2, 4}));
  const float values[] = {0.0f, -0.0f, inf, -inf, nan, 1.5f, -3e38f, 2e-38f};
  std::copy(std::begin(values), std::end(values), x.mutable_data<float>());
  const Make expressions[] = {[](const Operand& v) { return v * real(1) + real(0); },
                              [](const Operand& v) { return v - real(0); },
                              [](const Operand& v) { return v / real(-4); },
                              [](const Operand& v) { return v * v; },
                              [](const Operand& v) { return -(-v) + (-v); },
                              [](const Operand& v) { return v * real(-1); },
                              [](const Operand& v) {
                                return emit1("Pow", {v, real(2)});
                              }};
  for (const Make& make : expressions) {
    std::shared_ptr<Graph> graph = graph_of(make, DType::kFloat, {2, 4});
    Tensor plain = run_graph(graph, {x})[0];
    Tensor better = run_graph(std::const_pointer_cast<Graph>(optimize(graph, kVerified)), {x})[0];
    for (int i = 0; i < 8; ++i) {
      float a = plain.data<float>()[i], b = better.data<float>()[i];
      CHECK((std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0);
    }
  }
}

}  // namespace
}  // namespace tracefn::test
