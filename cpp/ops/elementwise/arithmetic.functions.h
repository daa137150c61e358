// Sums, differences, products, signs and extremes of numbers of any kind, recorded ones included.
#pragma once

#include "math/number_arithmetic.h"
#include "ops/elementwise/function.h"

namespace tracefn::functions {

struct Neg : Unary<kReals | kComplexes | kSignedIntegers> {
  template <typename T>
  static T of(T x) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(0u - wrapping(x));
    } else {
      return -x;
    }
  }
};
struct Abs : Unary<kReals | kSignedIntegers> {
  template <typename T>
  static T of(T x) {
    if constexpr (std::is_integral_v<T>) {
      return x < 0 ? Neg::of(x) : x;
    } else {
      return magnitude(x);
    }
  }
};
struct Sign : Unary<kReals | kComplexes | kSignedIntegers> {
  template <typename T>
  static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return x == T(0) ? T(0) : x / std::abs(x);
    } else {
      return choose(x > T(0), T(1), choose(x < T(0), T(-1), choose(x == T(0), T(0), x)));  // propagates NaN
    }
  }
};
struct Square : Unary<kReals | kComplexes | kIntegers> {
  static constexpr bool kSignless = true;
  template <typename T>
  static T of(T x) {
    return product(x, x);
  }
};
struct Add : Binary<kReals | kComplexes | kIntegers> {
  static constexpr bool kSignless = true;
  template <typename T>
  static T of(T a, T b) {
    return sum(a, b);
  }
};
struct Sub : Binary<kReals | kComplexes | kIntegers> {
  static constexpr bool kSignless = true;
  template <typename T>
  static T of(T a, T b) {
    return difference(a, b);
  }
};
struct Mul : Binary<kReals | kComplexes | kIntegers> {
  static constexpr bool kSignless = true;
  template <typename T>
  static T of(T a, T b) {
    return product(a, b);
  }
};
struct SquaredDifference : Binary<kReals | kComplexes | DTypes::of(DType::kInt32, DType::kInt64)> {
  template <typename T>
  static T of(T a, T b) {
    T d = difference(a, b);
    return product(d, conjugate(d));
  }
};
// NaN wins; of two equal numbers (zeros of either sign) the first.
struct Maximum : Binary<kReals | kIntegers> {
  template <typename T>
  static T of(T a, T b) {
    return choose(a >= b || is_nan(a), a, b);
  }
};
struct Minimum : Binary<kReals | kIntegers> {
  template <typename T>
  static T of(T a, T b) {
    return choose(a <= b || is_nan(a), a, b);
  }
};

using ArithmeticFunctions = Functions<Neg, Abs, Sign, Square, Add, Sub, Mul, SquaredDifference, Maximum, Minimum>;

}  // namespace tracefn::functions
