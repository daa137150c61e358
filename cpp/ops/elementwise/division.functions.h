// Division and reciprocals. The lowest integer divided by -1 is itself (wrapping arithmetic); callers exclude integer
// division by zero.
#pragma once

#include "math/number_arithmetic.h"

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

struct Div {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return truncated_quotient(a, b);
    } else {
      return quotient(a, b);
    }
  }
};
struct DivNoNan {
  template <typename T>
  static T of(T a, T b) {
    return choose(b == T(0), T(0), quotient(a, b));
  }
};
struct MulNoNan {
  template <typename T>
  static T of(T a, T b) {
    return choose(b == T(0), T(0), product(a, b));
  }
};
struct Xdivy {
  template <typename T>
  static T of(T a, T b) {
    return choose(a == T(0), T(0), quotient(a, b));
  }
};
struct Reciprocal {
  template <typename T>
  static T of(T x) {
    return quotient(T(1), x);
  }
};
struct ReciprocalGrad {
  template <typename T>
  static T of(T y, T dy) {
    T root = conjugate(y);
    return -product(dy, product(root, root));
  }
};
struct FloorDiv {
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
struct TruncateDiv {
  template <typename T>
  static T of(T a, T b) {
    return round_towards_zero(a / b);
  }
};

}  // namespace tracefn::functions
