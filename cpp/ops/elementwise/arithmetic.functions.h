// Sums, differences, products, signs and extremes of numbers of any kind, recorded ones included.
#pragma once

#include "math/number_arithmetic.h"

namespace tracefn::functions {

struct Neg {
  template <typename T>
  static T of(T x) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(0u - wrapping(x));
    } else {
      return -x;
    }
  }
};
struct Abs {
  template <typename T>
  static T of(T x) {
    if constexpr (std::is_integral_v<T>) {
      return x < 0 ? Neg::of(x) : x;
    } else {
      return magnitude(x);
    }
  }
};
struct Sign {
  template <typename T>
  static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return x == T(0) ? T(0) : x / std::abs(x);
    } else {
      return choose(x > T(0), T(1), choose(x < T(0), T(-1), choose(x == T(0), T(0), x)));  // propagates NaN
    }
  }
};
struct Square {
  template <typename T>
  static T of(T x) {
    return product(x, x);
  }
};
struct Add {
  template <typename T>
  static T of(T a, T b) {
    return sum(a, b);
  }
};
struct Sub {
  template <typename T>
  static T of(T a, T b) {
    return difference(a, b);
  }
};
struct Mul {
  template <typename T>
  static T of(T a, T b) {
    return product(a, b);
  }
};
struct SquaredDifference {
  template <typename T>
  static T of(T a, T b) {
    T d = difference(a, b);
    return product(d, conjugate(d));
  }
};
// NaN wins; of two equal numbers (zeros of either sign) the first.
struct Maximum {
  template <typename T>
  static T of(T a, T b) {
    return choose(a >= b || is_nan(a), a, b);
  }
};
struct Minimum {
  template <typename T>
  static T of(T a, T b) {
    return choose(a <= b || is_nan(a), a, b);
  }
};

}  // namespace tracefn::functions
