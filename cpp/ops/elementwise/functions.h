// All elementwise functions, and their numbers: F's kernels are row id_of<F> of the kernel table.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "ops/elementwise/activation.functions.h"
#include "ops/elementwise/arithmetic.functions.h"
#include "ops/elementwise/bessel.functions.h"
#include "ops/elementwise/bitwise.functions.h"
#include "ops/elementwise/compare.functions.h"
#include "ops/elementwise/complex.functions.h"
#include "ops/elementwise/division.functions.h"
#include "ops/elementwise/integrals.functions.h"
#include "ops/elementwise/math.functions.h"
#include "ops/elementwise/power.functions.h"
#include "ops/elementwise/rounding.functions.h"
#include "ops/elementwise/select.functions.h"
#include "ops/elementwise/special.functions.h"
#include "ops/elementwise/trigonometry.functions.h"

namespace tracefn {
namespace functions {

template <typename... As, typename... Bs>
constexpr Functions<As..., Bs...> operator+(Functions<As...>, Functions<Bs...>) {
  return {};
}
using AllFunctions = decltype(ArithmeticFunctions{} + DivisionFunctions{} + RoundingFunctions{} + MathFunctions{} +
                              TrigonometryFunctions{} + PowerFunctions{} + SpecialFunctions{} + BesselFunctions{} +
                              IntegralFunctions{} + ActivationFunctions{} + BitwiseFunctions{} + ComplexFunctions{} +
                              CompareFunctions{} + SelectFunctions{});

template <typename F, typename... Fs>
constexpr int position_in(Functions<Fs...>) {
  int at = 0, found = -1;
  ((std::is_same_v<F, Fs> ? found = at : 0, ++at), ...);
  return found;
}

template <typename F>
constexpr int number_of_function() {
  constexpr int number = position_in<F>(AllFunctions{});
  static_assert(number >= 0, "The function is missing from the list at the end of its file.");
  return number;
}

// "Erf"
template <typename F>
constexpr std::string_view name_of() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("F = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  return text.substr(text.rfind(':') + 1);
}

// What the registry asks of a function that it knows by number.
struct Facts {
  std::string_view name;
  BlockArity arity;
  BlockResult result;
  DTypes dtypes;
  bool is_op;
};
template <typename... Fs>
constexpr auto facts_of(Functions<Fs...>) {
  return std::array{Facts{name_of<Fs>(), Fs::kArity, Fs::kResult, Fs::kDTypes, Fs::kIsOp}...};
}
inline constexpr auto kFacts = facts_of(AllFunctions{});

// The names in order, hashed (FNV-1a): whether a kernel library numbers the functions as the core does.
constexpr std::uint64_t fingerprint() {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const Facts& function : kFacts) {
    for (char c : function.name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = (hash ^ ',') * 0x100000001b3;
  }
  return hash;
}

}  // namespace functions

template <typename F>
inline constexpr int id_of = functions::number_of_function<F>();
inline constexpr int kFunctions = static_cast<int>(functions::kFacts.size());

// What a record points to: the function, with the cost in tenths of a nanosecond per element.
template <typename F, int tenths = F::kArity == BlockArity::kTernary ? 5 : 3>
inline constexpr BlockSpec block_of{F::kArity, id_of<F>, tenths / 10.0, F::kResult};

}  // namespace tracefn
