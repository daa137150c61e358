// Select, clipping and approximate comparison.
#pragma once

#include "math/lanes.h"
#include "ops/elementwise/function.h"

namespace tracefn::functions {

// Select moves bits: one kernel per element size serves all dtypes. The condition is expanded to a bit mask as wide as
// the elements, which vectorizes where a conditional does not.
struct Select : Ternary<kReals | kComplexes | kIntegers | kBoolean> {
  static constexpr DTypes kLoops = kNone;
  static constexpr bool kFirstIsCondition = true;
  template <typename Condition, typename T>
  static T of(Condition condition, T t, T e) {
    if constexpr (std::is_integral_v<T>) {
      const T all = static_cast<T>(-static_cast<T>(condition != 0));  // any nonzero is true, as in numpy
      return static_cast<T>(e ^ ((t ^ e) & all));
    } else {
      return choose_needed(condition, t, e);
    }
  }
};
struct ClipByValue : Ternary<kReals | kIntegers> {
  static constexpr bool kIsOp = false;
  template <typename T>
  static T of(T x, T lowest, T highest) {
    T below = choose(highest < x, highest, x);  // propagates NaN
    return choose(below < lowest, lowest, below);
  }
};
struct ApproximateEqual : Ternary<kReals, BlockResult::kBool> {
  static constexpr bool kIsOp = false;
  template <typename T>
  static auto of(T x, T y, T tolerance) {
    return magnitude(x - y) < tolerance;
  }
};

using SelectFunctions = Functions<Select, ClipByValue, ApproximateEqual>;

}  // namespace tracefn::functions
