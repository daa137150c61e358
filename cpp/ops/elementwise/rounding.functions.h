// Rounding, and tests for special values.
#pragma once

#include <limits>

#include "math/lanes.h"

namespace tracefn::functions {

struct Floor {
  template <typename T>
  static T of(T x) {
    return round_down(x);
  }
};
struct Ceil {
  template <typename T>
  static T of(T x) {
    return round_up(x);
  }
};
// Half to even.
struct Round {
  template <typename T>
  static T of(T x) {
    if constexpr (std::is_integral_v<T>) {
      return x;
    } else {
      return round_to_even(x);
    }
  }
};
struct IsNan {
  template <typename T>
  static auto of(T x) {
    return is_nan(x);
  }
};
struct IsInf {
  template <typename T>
  static auto of(T x) {
    return magnitude(x) > std::numeric_limits<Number<T>>::max();
  }
};
struct IsFinite {
  template <typename T>
  static auto of(T x) {
    return magnitude(x) <= std::numeric_limits<Number<T>>::max();
  }
};

}  // namespace tracefn::functions
