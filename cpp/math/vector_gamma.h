// The logarithm of the gamma function and its derivative for positive float, vectorized: asymptotic series in double
// (DLMF 5.11.1, 5.11.2) from 7 on; below, by the recurrence over seven steps at once.
#pragma once

#include "math/vector_double.h"

namespace tracefn {

// The argument where the series applies, and with q = x (x + 6) the product of x + i for i from 0 to 6, which is q (q +
// 5) (q + 8) (x + 3).
template <typename T>
struct RaisedArgument {
  T w, q, product;
};
template <LaneOf<double> T>
[[gnu::always_inline]] inline RaisedArgument<T> raise_argument(T x) {
  T q = x * (x + 6.0);
  return {choose(x < 7.0, x + 7.0, x), q, q * (q + 5.0) * (q + 8.0) * (x + 3.0)};
}

// For finite x > 0.
[[gnu::always_inline]] inline float vector_lgamma(float x) {
  auto [w, q, product] = raise_argument(static_cast<double>(x));
  double inverse = 1.0 / w;
  double series = horner_by_pairs(inverse * inverse, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188,
                                  -691.0 / 360360, 1.0 / 156);
  double raised = (w - 0.5) * vector_log(w) - w + (0.91893853320467274178 + inverse * series);
  auto value = static_cast<float>(raised - (x < 7.0f ? vector_log(product) : 0.0));
  return x == 1.0f || x == 2.0f ? 0.0f : value;  // nearby, the difference still has enough digits
}

// For finite x > 0.
[[gnu::always_inline]] inline float vector_digamma(float x) {
  auto [w, q, product] = raise_argument(static_cast<double>(x));
  double inverse = 1.0 / w, z = inverse * inverse;
  double series =
      z * horner_by_pairs(z, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12);
  // The derivative of the product over the product.
  double steps = (2.0 * (q + 9.0) * horner(q, 40.0, 26.0, 3.0) + q * (q + 5.0) * (q + 8.0)) / product;
  return static_cast<float>(vector_log(w) - 0.5 * inverse - series - (x < 7.0f ? steps : 0.0));
}

}  // namespace tracefn
