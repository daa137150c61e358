// Circular and hyperbolic functions and their inverses. Most real ones are vectorized; complex ones, and arguments that
// do not fit, use the C library per element.
#pragma once

#include <cmath>
#include <limits>

#include "math/number_arithmetic.h"
#include "math/vector_double.h"
#include "math/vector_double_trigonometry.h"
#include "math/vector_logarithm.h"
#include "math/vector_math.h"
#include "math/vector_trigonometry.h"
#include "ops/elementwise/function.h"

namespace tracefn::functions {

template <typename T>
concept OfReals = LaneOf<T, float> || LaneOf<T, double>;

struct Sin : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return std::sin(x);
    } else if constexpr (std::is_same_v<T, float> && !kHasFusedMultiplyAdd) {
      return wide_sin(x);
    } else {
      return vector_sin(x);
    }
  }
  template <OfReals T>
  static auto fits(T x) {
    return is_reduced(x);
  }
  template <OfReals T>
  static T beyond(T x) {
    return std::sin(x);
  }
};
struct Cos : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return std::cos(x);
    } else if constexpr (std::is_same_v<T, float> && !kHasFusedMultiplyAdd) {
      return wide_cos(x);
    } else {
      return vector_cos(x);
    }
  }
  template <OfReals T>
  static auto fits(T x) {
    return is_reduced(x);
  }
  template <OfReals T>
  static T beyond(T x) {
    return std::cos(x);
  }
};
struct Tan : Unary<kReals | kComplexes> {
  static constexpr DTypes kRecorded = DTypes::of(DType::kDouble);
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return std::tan(x);
    } else {
      return vector_tan(x);
    }
  }
  template <OfReals T>
  static auto fits(T x) {
    return is_reduced(x);
  }
  template <OfReals T>
  static T beyond(T x) {
    return std::tan(x);
  }
};
struct Asin : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return std::asin(x);
    } else {
      return vector_asin(x);
    }
  }
};
struct Acos : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return std::acos(x);
    } else {
      return vector_acos(x);
    }
  }
};
struct Atan : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return std::atan(x);
    } else {
      return vector_atan(x);
    }
  }
};
struct Sinh : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return std::sinh(x);
    } else {
      return vector_sinh(x);
    }
  }
};
struct Cosh : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return std::cosh(x);
    } else {
      return vector_cosh(x);
    }
  }
};
struct Tanh : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return std::tanh(x);
    } else {
      return vector_tanh(x);
    }
  }
};
// The inverse hyperbolic functions have vector code for float only, within their domain.
#define TRACEFN_INVERSE_HYPERBOLIC(Name, name, condition) \
  struct Name : Unary<kReals | kComplexes> {              \
    static constexpr DTypes kRecorded = kNone;            \
    template <typename T>                                 \
    [[gnu::always_inline]] static T of(T x) {             \
      if constexpr (std::is_same_v<T, float>) {           \
        return vector_##name(x);                          \
      } else {                                            \
        return std::name(x);                              \
      }                                                   \
    }                                                     \
    template <LaneOf<float> T>                            \
    static bool fits(T x) {                               \
      return condition;                                   \
    }                                                     \
    template <LaneOf<float> T>                            \
    static T beyond(T x) {                                \
      return std::name(x);                                \
    }                                                     \
  };
TRACEFN_INVERSE_HYPERBOLIC(Asinh, asinh, std::fabs(x) <= std::numeric_limits<T>::max())
TRACEFN_INVERSE_HYPERBOLIC(Acosh, acosh, x >= T(1) && x <= std::numeric_limits<T>::max())
TRACEFN_INVERSE_HYPERBOLIC(Atanh, atanh, std::fabs(x) < T(1))
#undef TRACEFN_INVERSE_HYPERBOLIC

using TrigonometryFunctions = Functions<Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh>;

}  // namespace tracefn::functions
