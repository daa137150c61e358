// Powers, products with logarithms, and atan2. Inlined in each loop, or they would not vectorize.
#pragma once

#include "math/vector_double_power.h"
#include "math/vector_double_trigonometry.h"
#include "math/vector_power.h"
#include "math/vector_trigonometry.h"
#include "ops/elementwise/function.h"
#include "ops/elementwise/math.functions.h"

namespace tracefn::functions {

struct Atan2 : Binary<kReals> {
  template <typename T>
  [[gnu::always_inline]] static T of(T y, T x) {
    return vector_atan2(y, x);
  }
};
// Its real kernels choose by chunk what they compute, which vector code cannot.
struct Pow : Binary<kReals | kComplexes | kSignedIntegers> {
  static constexpr DTypes kLoops = kComplexes, kRecorded = kNone;
  static constexpr bool kOneLoop = true;
  template <typename T>
  [[gnu::always_inline]] static T of(T x, T y) {
    if constexpr (is_complex_type<T>) {
      if (y == T(0)) return T(1);
      if (x == T(0) && y.imag() == 0 && y.real() > 0) return T(0);
      return std::pow(x, y);
    } else {
      return vector_pow(x, y);
    }
  }
};
struct Xlogy : Binary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x, T y) {
    if constexpr (is_complex_type<T>) {
      return x == T(0) ? T(0) : product(x, std::log(y));
    } else {
      return choose(x == T(0), T(0), x * Log::of(y));
    }
  }
};
struct Xlog1py : Binary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x, T y) {
    if constexpr (is_complex_type<T>) {
      return x == T(0) ? T(0) : product(x, std::log(T(1) + y));
    } else {
      return choose(x == T(0), T(0), x * Log1p::of(y));
    }
  }
};
struct NextAfter : Binary<kFloatAndDouble> {
  static constexpr DTypes kRecorded = kNone;
  static constexpr bool kOneLoop = true;
  template <typename T>
  static T of(T from, T to) {
    return std::nextafter(from, to);
  }
};

using PowerFunctions = Functions<Atan2, Pow, Xlogy, Xlog1py, NextAfter>;

}  // namespace tracefn::functions
