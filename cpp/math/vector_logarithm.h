// Inverse hyperbolic functions of float, vectorized, within 1 ulp: logarithms in double.
#pragma once

#include "math/vector_bits.h"

namespace tracefn {

// log(1 + w) with a relative error of 2^-35, for finite w > -1.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T wide_log1p(T w) {
  auto [exponent, m] = parts_of(1.0 + w);
  T f = choose(exponent == 0.0, w, m - 1.0);
  // log((1 + s) / (1 - s)) / s, a Remez fit in s^2.
  T s = f / (2.0 + f), z = s * s;
  return madd(exponent, T(0.69314718055994531),
              s * horner(z, 2.0000000000084914, 0.6666666523128985, 0.40000387755443173, 0.2853486480416984,
                         0.23619857845959438));
}

// For finite x.
[[gnu::always_inline]] inline float vector_asinh(float x) {
  double a = std::fabs(x), square = a * a;
  return std::copysign(static_cast<float>(wide_log1p(a + square / (1.0 + std::sqrt(1.0 + square)))), x);
}

// For finite x >= 1.
[[gnu::always_inline]] inline float vector_acosh(float x) {
  double w = x - 1.0;
  return static_cast<float>(wide_log1p(w + std::sqrt(w * (w + 2.0))));
}

// For |x| < 1.
[[gnu::always_inline]] inline float vector_atanh(float x) {
  double a = std::fabs(x);
  return std::copysign(static_cast<float>(0.5 * wide_log1p(2.0 * a / (1.0 - a))), x);
}

}  // namespace tracefn
