// Powers of float, vectorized, within 1 ulp: 2^(y log2 |x|) in double, then the special cases of C's pow.
#pragma once

#include "math/vector_special.h"

namespace tracefn {

// 2^(y (exponent + log2(m))).
[[gnu::always_inline]] inline float power_of_parts(double exponent, double m, float y) {
  // log2((1 + s) / (1 - s)) / s, a Remez fit in s^2, relative error 2^-37.
  double s = (m - 1.0) / (m + 1.0), z = s * s;
  double log2 = madd(s,
                     horner_by_pairs(z, 2.885390081790177, 0.9617966732183844, 0.5770836103783759, 0.4116710861481334,
                                     0.34076239321741825),
                     exponent);
  double p = y * log2;
  p = p < -200.0 ? -200.0 : p;  // zero; NaN stays
  p = p > 200.0 ? 200.0 : p;    // infinity
  double rounded = p + kExponentRounder;
  return static_cast<float>(exp2_of_fraction(p - (rounded - kExponentRounder)) * power_of_two_from(rounded));
}

// For normal x > 0 and finite y: vector_pow without the special cases.
[[gnu::always_inline]] inline float vector_plain_pow(float x, float y) {
  Parts<float> parts = parts_of(x);
  return power_of_parts(parts.exponent, parts.fraction, y);
}
template <LaneOf<float> T>
[[gnu::always_inline]] inline auto is_plain_base(T x) {
  return x >= std::numeric_limits<float>::min() && x <= std::numeric_limits<float>::max();
}
template <LaneOf<float> T>
[[gnu::always_inline]] inline auto is_plain_exponent(T y) {
  return magnitude(y) <= std::numeric_limits<float>::max();
}

[[gnu::always_inline]] inline float vector_pow(float x, float y) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kSmallest = std::numeric_limits<float>::min();
  float size = std::fabs(x);
  Parts<float> parts = parts_of(size);
  float exponent = size < kInfinity ? parts.exponent : size;  // propagates NaN
  exponent = size < kSmallest ? -kInfinity : exponent;
  float value = power_of_parts(exponent, parts.fraction, y);
  bool whole = std::floor(y) == y, odd = whole && std::floor(y * 0.5f) * 2.0f != y;
  value = std::signbit(x) && odd ? -value : value;
  value = x < 0.0f && size < kInfinity && !whole ? std::numeric_limits<float>::quiet_NaN() : value;
  bool one = size == 1.0f && std::fabs(y) == kInfinity;
  return one || x == 1.0f || y == 0.0f ? 1.0f : value;
}

}  // namespace tracefn
