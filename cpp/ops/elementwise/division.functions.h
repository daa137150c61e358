// Division and reciprocals. The lowest integer divided by -1 is itself (wrapping arithmetic); callers exclude integer
// division by zero.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "math/lanes.h"
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

// Whether short_remainder() is right: the quotient has no more bits than a number, and the remainder, a multiple of the
// divisor's last bit, is not subnormal.
template <Plain T>
[[gnu::always_inline]] inline bool has_short_remainder(T a, T b) {
  using Limits = std::numeric_limits<T>;
  constexpr T kMost = T(std::uint64_t{1} << (Limits::digits - 2)), kLeast = Limits::min() / Limits::epsilon();
  return (magnitude(a / b) < kMost) & (magnitude(b) >= kLeast);
}
// a - b times the quotient, rounded towards zero. That difference is exact; but a quotient just below an integer may
// have been rounded up to it.
template <Plain T>
[[gnu::always_inline]] inline T short_remainder(T a, T b) {
  const T quotient = round_towards_zero(a / b), r = madd(-quotient, b, a);
  const bool is_past = (has_sign(r) != has_sign(a)) & (r != 0);
  const T exact = choose(is_past, r + with_sign(magnitude(b), a), r);
  return choose(quotient == 0, a, with_sign(exact, a));
}

// The remainder takes the divisor's sign.
template <Plain T>
[[gnu::always_inline]] inline T floored(T remainder, T b) {
  return choose((remainder != 0) & ((remainder < 0) != (b < 0)), remainder + b, remainder);
}

struct FloorMod : Binary<kReals | kIntegers> {
  static constexpr DTypes kLoops = kReals, kRecorded = kNone;
  static constexpr bool kOneLoop = true;
  template <typename T>
  [[gnu::always_inline]] static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      T r = truncated_remainder(a, b);
      return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
    } else {
      return floored(kHasFusedMultiplyAdd ? short_remainder(a, b) : std::fmod(a, b), b);
    }
  }
  template <Plain T>
  [[gnu::always_inline]] static bool fits(T a, T b) {
    return has_short_remainder(a, b);
  }
  template <Plain T>
  static T beyond(T a, T b) {
    return floored(std::fmod(a, b), b);
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
  [[gnu::always_inline]] static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return truncated_remainder(a, b);
    } else {
      return kHasFusedMultiplyAdd ? short_remainder(a, b) : std::fmod(a, b);
    }
  }
  template <Plain T>
  [[gnu::always_inline]] static bool fits(T a, T b) {
    return has_short_remainder(a, b);
  }
  template <Plain T>
  static T beyond(T a, T b) {
    return std::fmod(a, b);
  }
};

using DivisionFunctions =
    Functions<Div, DivNoNan, MulNoNan, Xdivy, Reciprocal, ReciprocalGrad, FloorDiv, FloorMod, TruncateDiv, TruncateMod>;

}  // namespace tracefn::functions
