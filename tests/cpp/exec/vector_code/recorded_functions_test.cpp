// The elementwise functions, recorded, compute what they do as plain code: the same bits.
#include <cmath>
#include <limits>
#include <random>

#include "check.h"
#include "exec/vector_code/interpret.h"
#include "ops/activation.functions.h"
#include "ops/arithmetic.functions.h"
#include "ops/compare.functions.h"
#include "ops/division.functions.h"
#include "ops/logical.functions.h"
#include "ops/math.functions.h"
#include "ops/power.functions.h"
#include "ops/rounding.functions.h"
#include "ops/select.functions.h"
#include "ops/special.functions.h"
#include "ops/trigonometry.functions.h"

namespace tracefn::vector_code {
namespace {

using namespace tracefn::functions;

template <typename T>
std::vector<T> samples() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {
      0,  1, 2, T(0.5), 88,  100,   710,    T(1e30), Limits::min(), Limits::max(), Limits::infinity(),
      -1, 3, 7, T(0.6), 6.5, T(20), T(1e-9)};
  for (std::size_t i = 0, n = values.size(); i < n; ++i) values.push_back(-values[i]);
  values.push_back(Limits::quiet_NaN());
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> at(-1, 1);
  for (int i = 0; i < 100; ++i)
    for (double size : {1.0, 10.0, 200.0}) values.push_back(static_cast<T>(size * at(random)));
  return values;
}

template <typename T>
std::uint64_t bits_or_nan(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else {
    return bits_of(is_nan(value) ? std::numeric_limits<T>::quiet_NaN() : value);
  }
}

constexpr std::uint64_t kResult = 9;

// F of `arity` numbers of type T at all pairs of the samples, recorded and plain.
template <typename F, typename T, int arity>
void check(const char* name) {
  const auto apply = [](auto a, auto b, auto c) {
    if constexpr (arity == 1) {
      return F::of(a);
    } else if constexpr (arity == 2) {
      return F::of(a, b);
    } else {
      return F::of(a, b, c);
    }
  };
  Program program(sizeof(T) == 4 ? Width::k32 : Width::k64);
  {
    Recording recording(program);
    Lane<T> in[3] = {Lane<T>(0), Lane<T>(0), Lane<T>(0)};
    for (std::uint64_t k = 0; k < 3; ++k) in[k].id = program.add(Op::kSource, 0, 0, 0, k);
    program.finish({{apply(in[0], in[1], in[2]).id, kResult}});
  }
  const std::vector<T> values = samples<T>();
  const std::size_t step = arity == 1 ? values.size() : 7;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < values.size(); j += step) {
      const T a = values[i], b = values[j], c = values[(i + j) % values.size()];
      Places places = {{0, bits_of(a)}, {1, bits_of(b)}, {2, bits_of(c)}};
      interpret<T>(program, places);
      const auto expected = apply(a, b, c);
      std::uint64_t got = places.at(kResult);
      if constexpr (std::is_same_v<decltype(expected), const T>)
        got = bits_or_nan(std::bit_cast<T>(static_cast<BitsOf<T>>(got)));
      if (got != bits_or_nan(expected))
        test::failed(__FILE__, __LINE__, concat(name, " of ", a, ", ", b, ", ", c, " is not ", expected));
    }
}

template <typename F, int arity>
void check_both(const char* name) {
  check<F, float, arity>(name);
  check<F, double, arity>(name);
}

#define CHECK_RECORDED(F, arity) check_both<F, arity>(#F)

}  // namespace

TEST(recorded_unary_functions) {
  CHECK_RECORDED(Neg, 1);
  CHECK_RECORDED(Abs, 1);
  CHECK_RECORDED(Sign, 1);
  CHECK_RECORDED(Square, 1);
  CHECK_RECORDED(Reciprocal, 1);
  CHECK_RECORDED(Floor, 1);
  CHECK_RECORDED(Ceil, 1);
  CHECK_RECORDED(Round, 1);
  CHECK_RECORDED(IsNan, 1);
  CHECK_RECORDED(IsInf, 1);
  CHECK_RECORDED(IsFinite, 1);
  CHECK_RECORDED(Exp, 1);
  CHECK_RECORDED(Expm1, 1);
  CHECK_RECORDED(Log, 1);
  CHECK_RECORDED(Log1p, 1);
  CHECK_RECORDED(Sqrt, 1);
  CHECK_RECORDED(Rsqrt, 1);
  CHECK_RECORDED(Asin, 1);
  CHECK_RECORDED(Acos, 1);
  CHECK_RECORDED(Atan, 1);
  CHECK_RECORDED(Sinh, 1);
  CHECK_RECORDED(Cosh, 1);
  CHECK_RECORDED(Tanh, 1);
  CHECK_RECORDED(Sigmoid, 1);
  CHECK_RECORDED(Relu, 1);
  CHECK_RECORDED(Relu6, 1);
  CHECK_RECORDED(Elu, 1);
  CHECK_RECORDED(Selu, 1);
  CHECK_RECORDED(Softplus, 1);
  CHECK_RECORDED(Softsign, 1);
  CHECK_RECORDED(Erf, 1);
}

TEST(recorded_binary_functions) {
  CHECK_RECORDED(Add, 2);
  CHECK_RECORDED(Sub, 2);
  CHECK_RECORDED(Mul, 2);
  CHECK_RECORDED(SquaredDifference, 2);
  CHECK_RECORDED(Maximum, 2);
  CHECK_RECORDED(Minimum, 2);
  CHECK_RECORDED(Div, 2);
  CHECK_RECORDED(DivNoNan, 2);
  CHECK_RECORDED(MulNoNan, 2);
  CHECK_RECORDED(FloorDiv, 2);
  CHECK_RECORDED(TruncateDiv, 2);
  CHECK_RECORDED(Xlogy, 2);
  CHECK_RECORDED(Xlog1py, 2);
  CHECK_RECORDED(Xdivy, 2);
  CHECK_RECORDED(Atan2, 2);
  CHECK_RECORDED(Equal, 2);
  CHECK_RECORDED(NotEqual, 2);
  CHECK_RECORDED(Less, 2);
  CHECK_RECORDED(LessEqual, 2);
  CHECK_RECORDED(SigmoidGrad, 2);
  CHECK_RECORDED(TanhGrad, 2);
  CHECK_RECORDED(ReciprocalGrad, 2);
  CHECK_RECORDED(SqrtGrad, 2);
  CHECK_RECORDED(RsqrtGrad, 2);
  CHECK_RECORDED(ReluGrad, 2);
  CHECK_RECORDED(Relu6Grad, 2);
  CHECK_RECORDED(EluGrad, 2);
  CHECK_RECORDED(SeluGrad, 2);
  CHECK_RECORDED(SoftplusGrad, 2);
  CHECK_RECORDED(SoftsignGrad, 2);
  CHECK_RECORDED(LeakyRelu, 2);
}

TEST(recorded_ternary_functions) {
  CHECK_RECORDED(ClipByValue, 3);
  CHECK_RECORDED(LeakyReluGrad, 3);
  CHECK_RECORDED(ApproximateEqual, 3);
}

// Powers of float are computed in double.
TEST(recorded_functions_of_double) {
  check<Sin, double, 1>("Sin");
  check<Cos, double, 1>("Cos");
  check<Tan, double, 1>("Tan");
  check<Pow, double, 2>("Pow");
}

TEST(recorded_functions_of_conditions) {
  Program program(Width::k32);
  {
    Recording recording(program);
    const LaneMask a = LaneMask(program.add(Op::kMaskSource, 0, 0, 0, 0));
    const LaneMask b = LaneMask(program.add(Op::kMaskSource, 0, 0, 0, 1));
    program.finish({{LogicalAnd::of(a, b).id, 2},
                    {LogicalOr::of(a, b).id, 3},
                    {LogicalNot::of(a).id, 4},
                    {Select::of(a, Lane<float>(5), Lane<float>(6)).id, 5}});
  }
  for (bool a : {false, true})
    for (bool b : {false, true}) {
      Places places = {{0, a}, {1, b}};
      interpret<float>(program, places);
      CHECK_EQ(places[2], std::uint64_t{LogicalAnd::of(a, b)});
      CHECK_EQ(places[3], std::uint64_t{LogicalOr::of(a, b)});
      CHECK_EQ(places[4], std::uint64_t{LogicalNot::of(a)});
      CHECK_EQ(places[5], bits_of(a ? 5.0f : 6.0f));
    }
}

TEST(recorded_guard) {
  Program program(Width::k64);
  {
    Recording recording(program);
    Lane<double> x(0);
    x.id = program.add(Op::kSource);
    program.add(Op::kGuard, Sin::fits(x).id);
    program.finish({{Sin::of(x).id, 1}});
  }
  Places near = {{0, bits_of(1.0)}}, far = {{0, bits_of(1e30)}};
  CHECK(interpret<double>(program, near));
  CHECK(!interpret<double>(program, far));
  CHECK_EQ(near[1], bits_of(Sin::of(1.0)));
}

}  // namespace tracefn::vector_code
