// Selection, clipping and comparison within a tolerance.
#pragma once

#include "ops/lanes.h"

namespace tracefn::functions {

// Selection moves bits: one kernel per size of the elements serves all dtypes. The condition is spread over the bits of
// a number as wide as the elements, which vectorises where a choice between them does not.
struct Select {
  template <typename Condition, typename T>
  static T of(Condition condition, T t, T e) {
    if constexpr (std::is_integral_v<T>) {
      const T all = static_cast<T>(-static_cast<T>(condition != 0));  // any other number is true, as to numpy
      return static_cast<T>(e ^ ((t ^ e) & all));
    } else {
      return choose(condition, t, e);
    }
  }
};
struct ClipByValue {
  template <typename T>
  static T of(T x, T lowest, T highest) {
    T below = choose(highest < x, highest, x);  // NaN stays
    return choose(below < lowest, lowest, below);
  }
};
struct ApproximateEqual {
  template <typename T>
  static auto of(T x, T y, T tolerance) {
    return magnitude(x - y) < tolerance;
  }
};

}  // namespace tracefn::functions
