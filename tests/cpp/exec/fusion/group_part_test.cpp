// Parts of groups as vector code against the same graphs run op by op: random groups, large numbers that only kernels
// take, and threads.
#include "exec/fusion/group_part.h"

#include <cmath>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "exec/fusion/groups.h"

namespace tracefn::test {
namespace {

// The same bits, or not a number both: compilers choose the sign and payload of those.
template <typename T>
void check_equal(const Tensor& a, const Tensor& b, const std::string& what) {
  for (std::int64_t i = 0; i < a.num_elements(); ++i) {
    const T x = a.data<T>()[i], y = b.data<T>()[i];
    if ((x != x && y != y) || std::memcmp(&x, &y, sizeof x) == 0) continue;
    CHECK_EQ(what + " element " + std::to_string(i) + ": " + std::to_string(x), what + std::to_string(y));
    return;
  }
}
void check_equal(const Tensor& a, const Tensor& b, const std::string& what) {
  CHECK(a.dtype() == b.dtype() && a.shape() == b.shape());
  if (a.dtype() == DType::kFloat) {
    check_equal<float>(a, b, what);
  } else if (a.dtype() == DType::kDouble) {
    check_equal<double>(a, b, what);
  } else {
    CHECK(same_bits(a, b));
  }
}

// A graph of elementwise ops over inputs that are broadcast in every way.
class RandomGroup {
 public:
  RandomGroup(unsigned seed, DType dtype) : random_(seed), dtype_(dtype) {
    for (const Shape& shape : shapes(-1, -1)) numbers_.push_back(make_.input(dtype, shape, "x" + count()));
    masks_.push_back(make_.input(DType::kBool, Shape({-1, -1}), "mask"));
    std::vector<Operand> made;
    for (int i = 0; i < 24; ++i) add_one();
    for (int i = 0; i < 3; ++i) make_.output(emit1("AddV2", {pick(numbers_), numbers_[0]}));
    make_.output(numbers_.back() + numbers_[0]);
    make_.output(emit1("LogicalAnd", {masks_.back(), masks_[0]}));
  }

  const std::shared_ptr<Graph>& graph() { return make_.graph(); }

  std::vector<Tensor> arguments(std::int64_t rows, std::int64_t columns) {
    std::vector<Tensor> all;
    for (const Shape& shape : shapes(rows, columns)) all.push_back(values(shape));
    Tensor mask(DType::kBool, Shape({rows, columns}));
    for (std::int64_t i = 0; i < mask.num_elements(); ++i) mask.mutable_data<bool>()[i] = random_() % 3 == 0;
    all.push_back(mask);
    return all;
  }

 private:
  static std::vector<Shape> shapes(std::int64_t rows, std::int64_t columns) {
    return {Shape({rows, columns}), Shape({rows, columns}), Shape({columns}), Shape({rows, 1}), Shape()};
  }
  std::string count() { return std::to_string(numbers_.size()); }
  const Operand& pick(const std::vector<Operand>& from) { return from[random_() % from.size()]; }

  void add_one() {
    static const char* const kUnary[] = {
        "Abs",   "Neg",     "Sign",  "Square", "Reciprocal", "Floor", "Ceil", "Rint", "Sqrt",     "Rsqrt",    "Exp",
        "Expm1", "Log",     "Log1p", "Sin",    "Cos",        "Tan",   "Asin", "Acos", "Atan",     "Sinh",     "Cosh",
        "Tanh",  "Sigmoid", "Erf",   "Erfc",   "Relu",       "Relu6", "Elu",  "Selu", "Softplus", "Softsign", "Lgamma"};
    static const char* const kBinary[] = {
        "AddV2",    "Sub",      "Mul",         "RealDiv",   "Maximum",  "Minimum",  "SquaredDifference", "DivNoNan",
        "MulNoNan", "Xdivy",    "Xlogy",       "Xlog1py",   "Atan2",    "FloorDiv", "FloorMod",          "Pow",
        "ReluGrad", "TanhGrad", "SigmoidGrad", "RsqrtGrad", "SqrtGrad", "EluGrad"};
    static const char* const kCompare[] = {"Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"};
    static const char* const kTest[] = {"IsNan", "IsInf", "IsFinite"};
    static const char* const kLogical[] = {"LogicalAnd", "LogicalOr"};
    const auto one = [&](auto& names) { return names[random_() % std::size(names)]; };
    switch (random_() % 8) {
      case 0:
      case 1:
        numbers_.push_back(emit1(one(kUnary), {pick(numbers_)}));
        break;
      case 2:
      case 3:
        numbers_.push_back(emit1(one(kBinary), {pick(numbers_), pick(numbers_)}));
        break;
      case 4:
        masks_.push_back(emit1(one(kCompare), {pick(numbers_), pick(numbers_)}));
        break;
      case 5:
        numbers_.push_back(emit1("SelectV2", {pick(masks_), pick(numbers_), pick(numbers_)}));
        break;
      case 6:
        numbers_.push_back(random_() % 2 ? build::cast(pick(masks_), dtype_)
                                         : pick(numbers_) * build::scalar(dtype_, 0.75));
        break;
      default:
        masks_.push_back(random_() % 2 ? emit1(one(kLogical), {pick(masks_), pick(masks_)})
                                       : emit1(one(kTest), {pick(numbers_)}));
    }
  }

  Tensor values(const Shape& shape) {
    Tensor t(DType::kDouble, shape);
    static const double kSpecial[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 1e30, 88.5, -104, 1e-40, 5e6};
    std::uniform_real_distribution<double> plain(-3, 3);
    for (std::int64_t i = 0; i < t.num_elements(); ++i)
      t.mutable_data<double>()[i] = random_() % 16 ? plain(random_) : kSpecial[random_() % std::size(kSpecial)];
    TargetScope eagerly(eager_target());
    return build::cast(Operand(t), dtype_).tensor;
  }

  std::mt19937 random_;
  DType dtype_;
  GraphMaker make_;
  std::vector<Operand> numbers_, masks_;
};

TEST(group_part_computes_what_kernels_do) {
  std::size_t fused_calls = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const DType dtype = seed % 3 ? DType::kFloat : DType::kDouble;
    RandomGroup group(seed, dtype);
    auto optimized = std::const_pointer_cast<Graph>(optimize(group.graph(), kVerified));
    fused_calls += calls(*optimized);
    for (auto [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 21}, {40, 130}}) {
      const std::vector<Tensor> args = group.arguments(rows, columns);
      const std::vector<Tensor> plain = run_graph(group.graph(), args);
      for (std::int64_t work : {kNever, std::int64_t{0}}) {
        TranslateAfter when(work);
        const std::vector<Tensor> fused = run_graph(optimized, args);
        for (std::size_t i = 0; i < plain.size(); ++i)
          check_equal(plain[i], fused[i],
                      "seed " + std::to_string(seed) + (work ? " kernels" : " code") + " result " + std::to_string(i));
      }
    }
  }
  CHECK(fused_calls >= 300);
}

// Sines of large numbers are the kernels' affair: a vector with one of them is left to them.
TEST(group_part_leaves_what_does_not_fit_to_kernels) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1}));
  Operand y = emit1("Sin", {x}) * x;
  make.output(y);
  make.output(emit1("Sum", {y + x, build::ints({0})}));
  auto optimized = std::const_pointer_cast<Graph>(optimize(make.graph(), kVerified));
  TranslateAfter at_once(0);
  for (std::int64_t n : {5, 1000, 70000})
    for (std::int64_t large : {std::int64_t{0}, n / 2, n - 1}) {
      Tensor arg = numbers(DType::kFloat, Shape({n}), -3, 0.1);
      arg.mutable_data<float>()[large] = 1e9f;
      const std::vector<Tensor> plain = run_graph(make.graph(), {arg}), fused = run_graph(optimized, {arg});
      for (std::size_t i = 0; i < plain.size(); ++i) CHECK(same_bits(plain[i], fused[i]));
    }
}

TEST(group_part_runs_on_many_threads) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1, -1})), y = make.input(DType::kFloat, Shape({-1}), "y");
  make.output(emit1("Exp", {x * y}) + y);
  auto program = Program::compile(optimize(make.graph(), kVerified));
  TranslateAfter soon(1000);
  const std::vector<Tensor> args[2] = {
      {numbers(DType::kFloat, Shape({7, 30}), -1, 0.02), numbers(DType::kFloat, Shape({30}), 0, 0.01)},
      {numbers(DType::kFloat, Shape({7, 30}), -1, 0.02), numbers(DType::kFloat, Shape({1}), 0.5, 0)}};
  std::vector<Tensor> wanted[2] = {run_graph(make.graph(), args[0]), run_graph(make.graph(), args[1])};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      ProgramState state(*program);
      for (int i = 0; i < 300; ++i) {
        std::vector<Tensor> given = args[(i + t) % 2], results;
        run(*program, given, results, state);
        wrong += !same_bits(results[0], wanted[(i + t) % 2][0]);
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace tracefn::test
