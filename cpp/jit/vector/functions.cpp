// The table of functions: the templates that kernels instantiate with numbers, instantiated with lanes.
#include "jit/vector/functions.h"

#include <array>
#include <concepts>

#include "jit/vector/lane.h"
#include "ops/elementwise/functions.h"

namespace tracefn::vector_code {
namespace {

// An operand of type T: a mask if that is bool.
template <typename T>
auto operand(Id id) {
  if constexpr (std::is_same_v<T, bool>) {
    return LaneMask(id);
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
Id to_number(const Id* in) {
  return choose(LaneMask(in[0]), Lane<T>(1), Lane<T>(0)).id;
}
template <typename T>
Id to_mask(const Id* in) {
  return (operand<T>(in[0]) != Lane<T>(0)).id;
}

enum Slot : std::uint8_t { kFloatSlot, kDoubleSlot, kBoolSlot, kSlots };

using Row = std::array<Function, kSlots>;

template <typename F, DType dtype, typename T>
constexpr Function recorder() {
  if constexpr (F::kRecorded.has(dtype)) {
    return record<F, T>;
  } else {
    return nullptr;
  }
}

template <typename... Fs>
constexpr auto table_of(functions::Functions<Fs...>) {
  return std::array{Row{recorder<Fs, DType::kFloat, float>(), recorder<Fs, DType::kDouble, double>(),
                        recorder<Fs, DType::kBool, bool>()}...};
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
  const int slot = slot_of(operand);
  if (slot < 0 || slot_of(result) < 0) return nullptr;
  if (spec.arity == BlockArity::kCast) return find_cast(operand, result);
  return kTable[static_cast<std::size_t>(spec.function)][static_cast<std::size_t>(slot)];
}

}  // namespace tracefn::vector_code
