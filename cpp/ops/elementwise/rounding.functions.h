// Rounding, and tests for special values.
#pragma once

#include <limits>

#include "math/lanes.h"
#include "ops/elementwise/function.h"

namespace tracefn::functions {

struct Floor : Unary<kReals> {
  template <typename T>
  static T of(T x) {
    return round_down(x);
  }
};
struct Ceil : Unary<kReals> {
  template <typename T>
  static T of(T x) {
    return round_up(x);
  }
};
// Half to even.
struct Round : Unary<kReals | kSignedIntegers> {
  template <typename T>
  static T of(T x) {
    if constexpr (std::is_integral_v<T>) {
      return x;
    } else {
      return round_to_even(x);
    }
  }
};
struct IsNan : Unary<kReals, BlockResult::kBool> {
  template <typename T>
  static auto of(T x) {
    return is_nan(x);
  }
};
struct IsInf : Unary<kReals, BlockResult::kBool> {
  template <typename T>
  static auto of(T x) {
    return magnitude(x) > std::numeric_limits<Number<T>>::max();
  }
};
struct IsFinite : Unary<kReals, BlockResult::kBool> {
  template <typename T>
  static auto of(T x) {
    return magnitude(x) <= std::numeric_limits<Number<T>>::max();
  }
};

using RoundingFunctions = Functions<Floor, Ceil, Round, IsNan, IsInf, IsFinite>;

}  // namespace tracefn::functions
