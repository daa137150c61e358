// The elementwise functions, recorded, compute what the kernels do: the same bits. Kernels without fused multiply-add
// round differently.
#include <cmath>
#include <iostream>
#include <limits>
#include <random>
#include <string_view>

#include "check.h"
#include "jit/vector/interpreter.h"
#include "jit/vector/lane.h"
#include "jit/x64/vector_code.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/elementwise/functions.h"
#include "ops/kernel_table.h"

namespace tracefn::vector_code {
namespace {

using namespace tracefn::functions;

bool kernels_are_fused() {
  if (std::string_view(kernel_isa()) != "v2") return true;
  std::cout << "recorded functions: skipped, the kernels have no fused multiply-add\n";
  return false;
}

// Three operands: every third sample with every one, in no order for the third.
template <typename T>
struct Operands {
  std::vector<T> in[3];
  Operands() {
    using Limits = std::numeric_limits<T>;
    std::vector<T> values = {0, 1, 2, T(0.5), 88, 100, 710, 1e30, 3, 7, 6, T(6.5), T(0.6), T(-1e-9), Limits::min()};
    values.insert(values.end(), {Limits::max(), Limits::infinity()});
    for (std::size_t i = 0, n = values.size(); i < n; ++i) values.push_back(-values[i]);
    values.push_back(Limits::quiet_NaN());
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> at(-1, 1);
    for (int i = 0; i < 60; ++i)
      for (double size : {1.0, 10.0, 200.0}) values.push_back(static_cast<T>(size * at(random)));
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t j = i % 3; j < values.size(); j += 3) {
        in[0].push_back(values[i]);
        in[1].push_back(values[j]);
        in[2].push_back(values[(7 * i + j) % values.size()]);
      }
  }
  void keep(bool (*fits)(T)) {
    for (T& x : in[0]) x = fits(x) ? x : T(1);
  }
};

template <typename F, typename T>
LaneProgram recorded() {
  LaneProgram program(sizeof(T) == 4 ? LaneWidth::k32 : LaneWidth::k64);
  Recording recording(program);
  Lane<T> in[3] = {Lane<T>(0), Lane<T>(0), Lane<T>(0)};
  for (std::size_t k = 0; k < static_cast<std::size_t>(F::kArity); ++k)
    in[k].id = program.add(LaneOp::kSource, 0, 0, 0, k);
  Id result = 0;
  if constexpr (F::kArity == BlockArity::kUnary) {
    result = F::of(in[0]).id;
  } else if constexpr (F::kArity == BlockArity::kBinary) {
    result = F::of(in[0], in[1]).id;
  } else {
    result = F::of(in[0], in[1], in[2]).id;
  }
  program.finish({{result, 3}});
  return program;
}

template <Plain T>
bool same(T a, T b) {
  return bits_of(a) == bits_of(b) || (is_nan(a) && is_nan(b));
}
bool same(unsigned char a, unsigned char b) { return a == b; }

template <typename Y>
void compare(const std::vector<Y>& got, const std::vector<Y>& expected, const std::string& what) {
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!same(got[i], expected[i]))
      test::failed(__FILE__, __LINE__, concat(what, " at ", i, " is ", got[i] + 0, ", not ", expected[i] + 0));
}

int run(UnaryBlock kernel, const void* const* x, void* y, std::int64_t n) { return kernel(x[0], y, n); }
int run(BinaryBlock kernel, const void* const* x, void* y, std::int64_t n) { return kernel(x[0], x[1], y, n, 0); }
int run(TernaryBlock kernel, const void* const* x, void* y, std::int64_t n) {
  return kernel(x[0], x[1], x[2], y, n, 0);
}

// The kernel's results, of type Y, against those of the program in the interpreter and as machine code.
template <typename T, typename Y, typename Block>
void check(const std::string& name, const LaneProgram& program, Block kernel, Operands<T>& operands) {
  const std::size_t n = operands.in[0].size();
  std::vector<Y> expected(n), interpreted(n), translated(n);
  void* places[4] = {operands.in[0].data(), operands.in[1].data(), operands.in[2].data(), interpreted.data()};
  run(kernel, places, expected.data(), static_cast<std::int64_t>(n));
  const std::string what = concat(name, sizeof(T) == 4 ? " of float" : " of double");
  test::Interpreter<T>(program, 0).run(places, static_cast<std::int64_t>(n));
  compare(interpreted, expected, what);
  places[3] = translated.data();
  for (const Isa isa : {Isa::kAvx2, Isa::kAvx512}) {
    if (!VectorCode::is_possible(isa)) continue;
    const auto code = VectorCode::translate(program, 0, isa);
    CHECK_EQ(code->run(places, static_cast<std::int64_t>(n)), static_cast<std::int64_t>(n));
    compare(translated, expected, what + (isa == Isa::kAvx2 ? " with AVX2" : " with AVX-512"));
  }
}

template <typename F, typename T>
void check_one(DType dtype) {
  const auto kernel = elementwise_kernel<F>(dtype);
  const LaneProgram program = recorded<F, T>();
  Operands<T> operands;
  if constexpr (requires(T x) { F::fits(x); }) operands.keep([](T x) { return F::fits(x); });
  const std::string name(name_of<F>());
  if (program.instructions().back().op == LaneOp::kMaskStore) {
    check<T, unsigned char>(name, program, kernel, operands);
  } else {
    check<T, T>(name, program, kernel, operands);
  }
}

// The functions that vector code takes, but for selects, whose first operand is a condition.
template <typename... Fs>
int check_all(Functions<Fs...>) {
  int checked = 0;
  auto check_function = [&]<typename F>(F*) {
    if constexpr (!requires { F::kFirstIsCondition; }) {
      if constexpr (F::kRecorded.has(DType::kFloat)) ++checked, check_one<F, float>(DType::kFloat);
      if constexpr (F::kRecorded.has(DType::kDouble)) ++checked, check_one<F, double>(DType::kDouble);
    }
  };
  (check_function(static_cast<Fs*>(nullptr)), ...);
  return checked;
}

}  // namespace

TEST(recorded_functions) {
  if (!kernels_are_fused()) return;
  CHECK(check_all(AllFunctions{}) > 130);
}

TEST(recorded_power) {
  if (!kernels_are_fused()) return;
  check_one<Pow, double>(DType::kDouble);
}

TEST(recorded_functions_of_conditions) {
  LaneProgram program(LaneWidth::k32);
  {
    Recording recording(program);
    const LaneMask a = LaneMask(program.add(LaneOp::kMaskSource, 0, 0, 0, 0));
    const LaneMask b = LaneMask(program.add(LaneOp::kMaskSource, 0, 0, 0, 1));
    program.finish({{LogicalAnd::of(a, b).id, 2},
                    {LogicalOr::of(a, b).id, 3},
                    {LogicalNot::of(a).id, 4},
                    {Select::of(a, Lane<float>(5), Lane<float>(6)).id, 5}});
  }
  bool a[4] = {false, false, true, true}, b[4] = {false, true, false, true}, both[4], either[4], not_a[4];
  float chosen[4];
  void* places[6] = {a, b, both, either, not_a, chosen};
  test::Interpreter<float>(program, 0).run(places, 4);
  for (int i = 0; i < 4; ++i) {
    CHECK_EQ(both[i], LogicalAnd::of(a[i], b[i]));
    CHECK_EQ(either[i], LogicalOr::of(a[i], b[i]));
    CHECK_EQ(not_a[i], LogicalNot::of(a[i]));
    CHECK_EQ(chosen[i], a[i] ? 5.0f : 6.0f);
  }
}

TEST(recorded_guard) {
  LaneProgram program(LaneWidth::k32);
  {
    Recording recording(program);
    Lane<float> x(0);
    x.id = program.add(LaneOp::kSource);
    program.add(LaneOp::kGuard, Sin::fits(x).id);
    program.finish({{Sin::of(x).id, 1}});
  }
  std::vector<float> x(32, 0.0f), y(32);
  x[20] = 1e30f;
  void* places[2] = {x.data(), y.data()};
  CHECK_EQ(test::Interpreter<float>(program, 0).run(places, 32), 16);
  x[20] = 1.0f;
  CHECK_EQ(test::Interpreter<float>(program, 0).run(places, 32), 32);
}

}  // namespace tracefn::vector_code
