// Division and reciprocals. The lowest integer divided by -1 is itself (wrapping arithmetic); callers exclude integer
// division by zero.
#pragma once

#include "math/number_arithmetic.h"
#include "ops/elementwise/function.h"

namespace tracefn::functions {

template <typename T>
T truncated_quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(0u - wrapping(a));
  return static_cast<T>(a / b);
}
template <typename T>
T truncated_remainder(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

struct Div : Binary<kReals | kComplexes | kIntegers> {
  static constexpr DTypes kLoops = kReals | kComplexes;
  template <typename T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return truncated_quotient(a, b);
    } else {
      return quotient(a, b);
    }
  }
};
struct DivNoNan : Binary<kReals | kComplexes> {
  template <typename T>
  static T of(T a, T b) {
    return choose(b == T(0), T(0), quotient(a, b));
  }
};
struct MulNoNan : Binary<kReals | kComplexes> {
  template <typename T>
  static T of(T a, T b) {
    return choose(b == T(0), T(0), product(a, b));
  }
};
struct Xdivy : Binary<kReals | kComplexes> {
  template <typename T>
  static T of(T a, T b) {
    return choose(a == T(0), T(0), quotient(a, b));
  }
};
struct Reciprocal : Unary<kReals | kComplexes> {
  template <typename T>
  static T of(T x) {
    return quotient(T(1), x);
  }
};
struct ReciprocalGrad : Binary<kReals | kComplexes> {
  template <typename T>
  static T of(T y, T dy) {
    T root = conjugate(y);
    // In this order: the square of a large y may overflow where dy is zero.
    return -product(product(root, dy), root);
  }
};
struct FloorDiv : Binary<kReals | kIntegers> {
  static constexpr DTypes kLoops = kReals;
  template <typename T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      T q = truncated_quotient(a, b);
      return truncated_remainder(a, b) != 0 && (a < 0) != (b < 0) ? static_cast<T>(q - 1) : q;
    } else {
      return round_down(a / b);
    }
  }
};
struct FloorMod : Binary<kReals | kIntegers> {
  static constexpr DTypes kLoops = kReals, kRecorded = kNone;
  static constexpr bool kOneLoop = true;
  template <typename T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      T r = truncated_remainder(a, b);
      return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
    } else {
      T r = std::fmod(a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
  }
};
struct TruncateDiv : Binary<kReals | kIntegers> {
  static constexpr DTypes kLoops = kReals;
  template <typename T>
  static T of(T a, T b) {
    return round_towards_zero(a / b);
  }
};
struct TruncateMod : Binary<kReals | DTypes::of(DType::kInt32, DType::kInt64)> {
  static constexpr DTypes kLoops = kReals, kRecorded = kNone;
  static constexpr bool kOneLoop = true;
  template <typename T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return truncated_remainder(a, b);
    } else {
      return std::fmod(a, b);
    }
  }
};

using DivisionFunctions =
    Functions<Div, DivNoNan, MulNoNan, Xdivy, Reciprocal, ReciprocalGrad, FloorDiv, FloorMod, TruncateDiv, TruncateMod>;

}  // namespace tracefn::functions
