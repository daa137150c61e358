// The table of functions: the templates that kernels instantiate with numbers, instantiated with lanes.
#include "jit/vector/functions.h"

#include <array>
#include <concepts>

#include "jit/vector/lane.h"
#include "ops/elementwise/activation.functions.h"
#include "ops/elementwise/arithmetic.functions.h"
#include "ops/elementwise/compare.functions.h"
#include "ops/elementwise/division.functions.h"
#include "ops/elementwise/elementwise.kernels.h"
#include "ops/elementwise/logical.functions.h"
#include "ops/elementwise/math.functions.h"
#include "ops/elementwise/power.functions.h"
#include "ops/elementwise/rounding.functions.h"
#include "ops/elementwise/select.functions.h"
#include "ops/elementwise/special.functions.h"
#include "ops/elementwise/trigonometry.functions.h"

namespace tracefn::vector_code {
namespace {

template <typename T>
Lane<T> lane(Id id) {
  return Lane<T>(typename Lane<T>::Made{id});
}

// Types that a function does not support are left to kernels.
template <typename F, typename V>
void guard(V x) {
  if constexpr (requires { F::fits(x); }) Recording::current().add(LaneOp::kGuard, F::fits(x).id);
}

template <typename F, typename T>
Id unary(const Id* in) {
  const Lane<T> x = lane<T>(in[0]);
  guard<F>(x);
  return F::of(x).id;
}
template <typename F, typename T>
Id binary(const Id* in) {
  return F::of(lane<T>(in[0]), lane<T>(in[1])).id;
}
template <typename F, typename T>
Id ternary(const Id* in) {
  return F::of(lane<T>(in[0]), lane<T>(in[1]), lane<T>(in[2])).id;
}

template <typename T>
Id select(const Id* in) {
  return functions::Select::of(LaneMask(in[0]), lane<T>(in[1]), lane<T>(in[2])).id;
}
Id select_mask(const Id* in) {
  const LaneMask condition(in[0]);
  return ((condition && LaneMask(in[1])) || (!condition && LaneMask(in[2]))).id;
}
Id both(const Id* in) { return functions::LogicalAnd::of(LaneMask(in[0]), LaneMask(in[1])).id; }
Id either(const Id* in) { return functions::LogicalOr::of(LaneMask(in[0]), LaneMask(in[1])).id; }
Id different(const Id* in) { return (LaneMask(in[0]) ^ LaneMask(in[1])).id; }
Id same(const Id* in) { return (!(LaneMask(in[0]) ^ LaneMask(in[1]))).id; }
Id opposite(const Id* in) { return functions::LogicalNot::of(LaneMask(in[0])).id; }

template <typename T>
Id to_number(const Id* in) {
  return choose(LaneMask(in[0]), Lane<T>(1), Lane<T>(0)).id;
}
template <typename T>
Id to_mask(const Id* in) {
  return (lane<T>(in[0]) != Lane<T>(0)).id;
}

template <typename F>
struct Exchanged {
  template <typename T>
  static auto of(T a, T b) {
    return F::of(b, a);
  }
};

enum Slot : std::uint8_t { kFloatSlot, kDoubleSlot, kBoolSlot, kSlots };

struct Table {
  using Row = std::array<Function, kSlots>;
  std::array<Row, kUnaryFunctions> unary{};
  std::array<Row, kBinaryFunctions> binary{};
  std::array<Row, kTernaryFunctions> ternary{};

  template <typename F>
  void one(UnaryFunction f) {
    unary[f][kFloatSlot] = vector_code::unary<F, float>;
    unary[f][kDoubleSlot] = vector_code::unary<F, double>;
  }
  template <typename F>
  void one_double(UnaryFunction f) {
    unary[f][kDoubleSlot] = vector_code::unary<F, double>;
  }
  template <typename F>
  void two(BinaryFunction f) {
    binary[f][kFloatSlot] = vector_code::binary<F, float>;
    binary[f][kDoubleSlot] = vector_code::binary<F, double>;
  }
  template <typename F>
  void three(TernaryFunction f) {
    ternary[f][kFloatSlot] = vector_code::ternary<F, float>;
    ternary[f][kDoubleSlot] = vector_code::ternary<F, double>;
  }

  Table() {
    arithmetic();
    comparisons();
    transcendental();
    activations();
  }

  void arithmetic();
  void comparisons();
  void transcendental();
  void activations();
};

void Table::arithmetic() {
  one<functions::Abs>(kAbs);
  one<functions::Neg>(kNeg);
  one<functions::Sign>(kSign);
  one<functions::Square>(kSquare);
  one<functions::Reciprocal>(kReciprocal);
  one<functions::Floor>(kFloor);
  one<functions::Ceil>(kCeil);
  one<functions::Round>(kRound);
  one<functions::Sqrt>(kSqrt);
  one<functions::Rsqrt>(kRsqrt);
  two<functions::Add>(kAdd);
  two<functions::Sub>(kSub);
  two<functions::Mul>(kMul);
  two<functions::SquaredDifference>(kSquaredDifference);
  two<functions::Maximum>(kMaximum);
  two<functions::Minimum>(kMinimum);
  two<functions::Div>(kDiv);
  two<functions::DivNoNan>(kDivNoNan);
  two<functions::MulNoNan>(kMulNoNan);
  two<functions::Xdivy>(kXdivy);
  two<functions::FloorDiv>(kFloorDiv);
  two<functions::TruncateDiv>(kTruncateDiv);
  two<functions::ReciprocalGrad>(kReciprocalGrad);
  two<functions::SqrtGrad>(kSqrtGrad);
  two<functions::RsqrtGrad>(kRsqrtGrad);
  three<functions::ClipByValue>(kClipByValue);
}

void Table::comparisons() {
  one<functions::IsNan>(kIsNan);
  one<functions::IsInf>(kIsInf);
  one<functions::IsFinite>(kIsFinite);
  two<functions::Equal>(kEqual);
  two<functions::NotEqual>(kNotEqual);
  two<functions::Less>(kLess);
  two<functions::LessEqual>(kLessEqual);
  two<Exchanged<functions::Less>>(kGreater);
  two<Exchanged<functions::LessEqual>>(kGreaterEqual);
  three<functions::ApproximateEqual>(kApproximateEqual);
  ternary[kSelect] = {select<float>, select<double>, select_mask};
  binary[kLogicalAnd][kBoolSlot] = both;
  binary[kLogicalOr][kBoolSlot] = either;
  binary[kEqual][kBoolSlot] = same;
  binary[kNotEqual][kBoolSlot] = different;
  unary[kLogicalNot][kBoolSlot] = opposite;
}

void Table::transcendental() {
  one<functions::Exp>(kExp);
  one<functions::Expm1>(kExpm1);
  one<functions::Log>(kLog);
  one<functions::Log1p>(kLog1p);
  one<functions::Sin>(kSin);
  one<functions::Cos>(kCos);
  one_double<functions::Tan>(kTan);
  one<functions::Asin>(kAsin);
  one<functions::Acos>(kAcos);
  one<functions::Atan>(kAtan);
  one<functions::Sinh>(kSinh);
  one<functions::Cosh>(kCosh);
  one<functions::Tanh>(kTanh);
  one<functions::Sigmoid>(kSigmoid);
  one<functions::Erf>(kErf);
  two<functions::Xlogy>(kXlogy);
  two<functions::Xlog1py>(kXlog1py);
  two<functions::Atan2>(kAtan2);
  two<functions::SigmoidGrad>(kSigmoidGrad);
  two<functions::TanhGrad>(kTanhGrad);
}

void Table::activations() {
  one<functions::Relu>(kRelu);
  one<functions::Relu6>(kRelu6);
  one<functions::Elu>(kElu);
  one<functions::Selu>(kSelu);
  one<functions::Softplus>(kSoftplus);
  one<functions::Softsign>(kSoftsign);
  two<functions::LeakyRelu>(kLeakyRelu);
  two<functions::ReluGrad>(kReluGrad);
  two<functions::Relu6Grad>(kRelu6Grad);
  two<functions::EluGrad>(kEluGrad);
  two<functions::SeluGrad>(kSeluGrad);
  two<functions::SoftplusGrad>(kSoftplusGrad);
  two<functions::SoftsignGrad>(kSoftsignGrad);
  three<functions::LeakyReluGrad>(kLeakyReluGrad);
}

int slot_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return kFloatSlot;
    case DType::kDouble:
      return kDoubleSlot;
    case DType::kBool:
      return kBoolSlot;
    default:
      return -1;
  }
}

Function find_cast(DType from, DType to) {
  if (from == DType::kBool && to == DType::kFloat) return to_number<float>;
  if (from == DType::kBool && to == DType::kDouble) return to_number<double>;
  if (from == DType::kFloat && to == DType::kBool) return to_mask<float>;
  if (from == DType::kDouble && to == DType::kBool) return to_mask<double>;
  return nullptr;
}

}  // namespace

Function find_function(const BlockSpec& spec, DType operand, DType result) {
  static const Table table;
  const int slot = slot_of(operand);
  if (slot < 0 || slot_of(result) < 0) return nullptr;
  const auto at = static_cast<std::size_t>(slot), function = static_cast<std::size_t>(spec.function);
  switch (spec.arity) {
    case BlockArity::kUnary:
      return table.unary[function][at];
    case BlockArity::kBinary:
      return table.binary[function][at];
    case BlockArity::kTernary:
      return table.ternary[function][at];
    case BlockArity::kCast:
      return find_cast(operand, result);
  }
  return nullptr;
}

}  // namespace tracefn::vector_code
