// Circular functions of float and their inverses, vectorized, within 2 ulps. The argument is reduced by multiples of pi
// in parts (Cody and Waite, Software Manual for the Elementary Functions, 1980), with fma if available, in double
// otherwise. Polynomials are our own Remez fits for the relative error.
#pragma once

#include "math/vector_bits.h"

namespace tracefn {

// Above this the reductions lose digits: all smaller numbers were tested.
inline constexpr float kLargestReduced = 0x1p18f;
template <LaneOf<float> T>
[[gnu::always_inline]] inline auto is_reduced(T x) {
  return magnitude(x) <= kLargestReduced;
}

// sin(r) for |r| <= pi/2.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T sin_of_reduced(T r) {
  T z = r * r;
  T tail = horner(z, -0.1666666716f, 8.333350532e-3f, -1.984309347e-4f, 2.762711574e-6f, -2.550659062e-8f);
  T size = magnitude(madd(r, z * tail, r));
  return with_sign(at_most(size, 1.0f), r);  // propagates NaN
}

// x - n pi, with fma: the first step is exact, and at most one of the others has a relevant rounding error. All parts
// are positive, so that -0 stays.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T reduced_by_pi(T x, T n) {
  constexpr float kPi1 = 0x1.921fb4p+1f, kPi2 = 0x1.4442d0p-23f, kPi3 = 0x1.846988p-47f;
  return madd(n, T(-kPi3), madd(n, T(-kPi2), madd(n, T(-kPi1), x)));
}

// For |x| <= kLargestReduced, as vector_cos; both only with fma.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_sin(T x) {
  T rounded = madd(x, T(0x1.45f306p-2f), T(kFloatRounder));
  return sin_of_reduced(negate_if_odd(reduced_by_pi(x, rounded - kFloatRounder), rounded));
}

// cos(r + (n + 1/2) pi) = sin(r) times 1 for odd n and -1 for even n.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_cos(T x) {
  constexpr float kOddRounder = kFloatRounder + 1;
  T size = magnitude(x);
  T rounded = madd(size, T(0x1.45f306p-2f), T(-0.5f)) + kOddRounder;
  return sin_of_reduced(negate_if_odd(reduced_by_pi(size, (rounded - kOddRounder) + 0.5f), rounded));
}

// pi in parts of 30 and 53 bits.
inline constexpr double kPiHigh = 0x1.921fb54p+1, kPiLow = 0x1.10b4611a62633p-29;

// The same two without fma.
[[gnu::always_inline]] inline float wide_sin(float x) {
  double wide = x;
  double rounded = wide * 0x1.45f306dc9c883p-2 + kRounder;
  double n = rounded - kRounder;
  double r = (wide - n * kPiHigh) - n * kPiLow;
  return sin_of_reduced(static_cast<float>(negate_if_odd(r, rounded)));
}
[[gnu::always_inline]] inline float wide_cos(float x) {
  constexpr double kOddRounder = kRounder + 1;
  double wide = x;
  double rounded = (wide * 0x1.45f306dc9c883p-2 - 0.5) + kOddRounder;
  double n = (rounded - kOddRounder) + 0.5;
  double r = (wide - n * kPiHigh) - n * kPiLow;
  return sin_of_reduced(static_cast<float>(negate_if_odd(r, rounded)));
}

// Lambert's continued fraction of the tangent, truncated after the sixth power: 2^-33 at pi/4.
[[gnu::always_inline]] inline float vector_tan(float x) {
  double wide = x;
  double rounded = madd(wide, 0x1.45f306dc9c883p-1, kRounder);
  double n = rounded - kRounder;
  double r = madd(n, -kPiLow / 2, madd(n, -kPiHigh / 2, wide));
  double z = r * r;
  double sine = r * horner(z, 10395.0, -1260.0, 21.0), cosine = horner(z, 10395.0, -4725.0, 210.0, -1.0);
  bool odd = std::bit_cast<std::uint64_t>(rounded) & 1;
  return static_cast<float>((odd ? cosine : sine) / (odd ? -sine : cosine));
}

// (atan(x) - x) / x^3 in z = x^2, for |x| <= 1.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T atan_tail(T z) {
  return horner(z, -0.3333329856f, 0.1999852955f, -0.1426401585f, 0.1095087826f, -0.08399285376f, 0.05788064748f,
                -0.03109572828f, 0.01086766273f, -0.001782499952f);
}

inline constexpr float kHalfPi = 1.57079632679f, kPiFloat = 3.14159265359f;

template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_atan(T x) {
  T size = magnitude(x);
  auto far = size > 1.0f;
  T t = choose(far, 1.0f / size, size), z = t * t;
  T near = madd(t, z * atan_tail(z), t);
  return with_sign(choose(far, kHalfPi - near, near), x);
}

template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_atan2(T y, T x) {
  T above = magnitude(y), beside = magnitude(x);
  auto steep = above > beside;
  T large = choose(steep, above, beside), small = choose(steep, beside, above);
  T t = small / large;
  t = choose(large == 0.0f, T(0.0f), t);                    // 0 / 0
  t = choose(small == large && large != 0.0f, T(1.0f), t);  // infinity / infinity
  T z = t * t;
  T angle = madd(t, z * atan_tail(z), t);
  angle = choose(steep, kHalfPi - angle, angle);
  angle = choose(has_sign(x), kPiFloat - angle, angle);
  angle = with_sign(angle, y);
  return choose(!is_nan(x) && !is_nan(y), angle, x + y);
}

// (asin(x) - x) / x^3 in z = x^2, for |x| <= 1/2.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T asin_tail(T z) {
  return horner(z, 0.1666665971f, 0.07500521839f, 0.04451338202f, 0.03183900192f, 0.01431510411f, 0.03769679368f);
}

// Beyond 1/2, pi/2 - 2 asin(sqrt((1 - x) / 2)).
template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_asin(T x) {
  T size = magnitude(x);
  auto far = size > 0.5f;
  T z = choose(far, madd(size, T(-0.5f), T(0.5f)), size * size);
  T t = choose(far, square_root(z), size);
  T near = madd(t, z * asin_tail(z), t);
  constexpr float kQuarterPi = kHalfPi / 2, kRest = -2.18556942e-8f;
  return with_sign(choose(far, 2.0f * ((kQuarterPi - near) + kRest), near), x);
}

template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_acos(T x) {
  T size = magnitude(x);
  auto far = size > 0.5f;
  T z = choose(far, madd(size, T(-0.5f), T(0.5f)), size * size);
  T t = choose(far, square_root(z), size);
  T near = with_sign(madd(t, z * asin_tail(z), t), x);
  T twice = 2.0f * near;
  return choose(far, choose(x < 0.0f, kPiFloat + twice, twice), kHalfPi - near);
}

}  // namespace tracefn
