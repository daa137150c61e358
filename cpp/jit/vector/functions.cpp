// The table of functions: the templates that kernels instantiate with numbers, instantiated with lanes.
#include "jit/vector/functions.h"

#include <array>
#include <concepts>

#include "jit/vector/lane.h"
#include "ops/elementwise/functions.h"

namespace tracefn::vector_code {
namespace {

using namespace functions;  // NOLINT(google-build-using-namespace)

// Those that vector code computes of signed integers; products of 32 bits only.
template <typename... Fs>
struct AnyOf {
  template <typename F>
  static constexpr bool has = (std::is_same_v<F, Fs> || ...);
};
using Products = AnyOf<Mul, Square, SquaredDifference>;
using OnIntegers = AnyOf<Neg, Abs, Sign, Add, Sub, Maximum, Minimum, ClipByValue, Select, Equal, NotEqual, Less,
                         LessEqual, Greater, GreaterEqual, BitwiseAnd, BitwiseOr, BitwiseXor, Invert>;

// An operand of type T: a mask if that is bool.
template <typename T>
auto operand(Id id) {
  if constexpr (std::is_same_v<T, bool>) {
    return LaneMask(id);
  } else if constexpr (std::is_integral_v<T>) {
    return IntegerLane<T>(typename IntegerLane<T>::Made{id});
  } else {
    return Lane<T>(typename Lane<T>::Made{id});
  }
}

template <typename F, typename T>
Id record(const Id* in) {
  if constexpr (F::kArity == BlockArity::kUnary) {
    const auto x = operand<T>(in[0]);
    // Arguments that do not fit are left to kernels.
    if constexpr (requires { F::fits(x); }) Recording::current().add(LaneOp::kGuard, F::fits(x).id);
    return F::of(x).id;
  } else if constexpr (F::kArity == BlockArity::kBinary) {
    return F::of(operand<T>(in[0]), operand<T>(in[1])).id;
  } else if constexpr (requires { F::kFirstIsCondition; }) {
    return F::of(LaneMask(in[0]), operand<T>(in[1]), operand<T>(in[2])).id;
  } else {
    return F::of(operand<T>(in[0]), operand<T>(in[1]), operand<T>(in[2])).id;
  }
}

template <typename T>
using LaneOf = decltype(operand<T>(0));
template <typename T>
Id to_number(const Id* in) {
  return choose(LaneMask(in[0]), LaneOf<T>(1), LaneOf<T>(0)).id;
}
template <typename T>
Id to_mask(const Id* in) {
  return (operand<T>(in[0]) != LaneOf<T>(0)).id;
}
Id to_float(const Id* in) { return signed_value(operand<std::int32_t>(in[0])).id; }

enum Slot : std::uint8_t { kFloatSlot, kDoubleSlot, kBoolSlot, kInt32Slot, kInt64Slot, kSlots };

using Row = std::array<Function, kSlots>;

template <typename F, DType dtype, typename T>
constexpr Function recorder() {
  constexpr bool kOnIntegers = OnIntegers::has<F> || (Products::has<F> && sizeof(T) == 4);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if constexpr (kOnIntegers) return record<F, T>;
    return nullptr;
  } else if constexpr (F::kRecorded.has(dtype)) {
    return record<F, T>;
  } else {
    return nullptr;
  }
}

template <typename... Fs>
constexpr auto table_of(functions::Functions<Fs...>) {
  return std::array{Row{recorder<Fs, DType::kFloat, float>(), recorder<Fs, DType::kDouble, double>(),
                        recorder<Fs, DType::kBool, bool>(), recorder<Fs, DType::kInt32, std::int32_t>(),
                        recorder<Fs, DType::kInt64, std::int64_t>()}...};
}
constexpr auto kTable = table_of(functions::AllFunctions{});

int slot_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return kFloatSlot;
    case DType::kDouble:
      return kDoubleSlot;
    case DType::kBool:
      return kBoolSlot;
    case DType::kInt32:
      return kInt32Slot;
    case DType::kInt64:
      return kInt64Slot;
    default:
      return -1;
  }
}

Function find_cast(DType from, DType to) {
  if (from == DType::kBool && to == DType::kFloat) return to_number<float>;
  if (from == DType::kBool && to == DType::kDouble) return to_number<double>;
  if (from == DType::kBool && to == DType::kInt32) return to_number<std::int32_t>;
  if (from == DType::kBool && to == DType::kInt64) return to_number<std::int64_t>;
  if (from == DType::kInt32 && to == DType::kBool) return to_mask<std::int32_t>;
  if (from == DType::kInt64 && to == DType::kBool) return to_mask<std::int64_t>;
  if (from == DType::kInt32 && to == DType::kFloat) return to_float;
  if (from == DType::kFloat && to == DType::kBool) return to_mask<float>;
  if (from == DType::kDouble && to == DType::kBool) return to_mask<double>;
  return nullptr;
}

}  // namespace

Function find_function(const BlockSpec& spec, DType operand, DType result) {
  const int slot = slot_of(operand);
  if (slot < 0 || slot_of(result) < 0) return nullptr;
  if (spec.arity == BlockArity::kCast) return find_cast(operand, result);
  return kTable[static_cast<std::size_t>(spec.function)][static_cast<std::size_t>(slot)];
}

}  // namespace tracefn::vector_code
