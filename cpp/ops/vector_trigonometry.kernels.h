// Circular functions of float and their inverses, vectorised, within 2 units in the last place. The argument is reduced
// in double, by multiples of pi in two parts (Cody and Waite, Software Manual for the Elementary Functions, 1980), the
// first so short that its multiples are exact. Polynomials are Remez fits of our own, relative to the function.
#pragma once

#include "ops/vector_bits.kernels.h"

namespace tracefn {

// pi in parts of 30 and 53 bits.
inline constexpr double kPiHigh = 0x1.921fb54p+1, kPiLow = 0x1.10b4611a62633p-29;
// Above this the reduction would lose digits.
inline constexpr float kLargestReduced = 0x1p22f;

// sin(r) for |r| <= pi/2.
[[gnu::always_inline]] inline float sin_of_reduced(float r) {
  float z = r * r;
  float tail = horner(z, -0.1666666716f, 8.333350532e-3f, -1.984309347e-4f, 2.762711574e-6f, -2.550659062e-8f);
  float size = std::fabs(r + r * (z * tail));
  return std::copysign(size > 1.0f ? 1.0f : size, r);  // NaN stays
}

// For |x| <= kLargestReduced.
[[gnu::always_inline]] inline float vector_sin(float x) {
  double wide = x;
  double rounded = wide * 0x1.45f306dc9c883p-2 + kRounder;
  double n = rounded - kRounder;
  double r = (wide - n * kPiHigh) - n * kPiLow;
  return sin_of_reduced(static_cast<float>(negate_if_odd(r, rounded)));
}

// cos(r + (n + 1/2) pi) = sin(r) times 1 for odd n and -1 for even n.
[[gnu::always_inline]] inline float vector_cos(float x) {
  constexpr double kOddRounder = kRounder + 1;
  double wide = x;
  double rounded = (wide * 0x1.45f306dc9c883p-2 - 0.5) + kOddRounder;
  double n = (rounded - kOddRounder) + 0.5;
  double r = (wide - n * kPiHigh) - n * kPiLow;
  return sin_of_reduced(static_cast<float>(negate_if_odd(r, rounded)));
}

// Lambert's continued fraction of the tangent, cut after the sixth power: 2^-33 at pi/4.
[[gnu::always_inline]] inline float vector_tan(float x) {
  double wide = x;
  double rounded = wide * 0x1.45f306dc9c883p-1 + kRounder;
  double n = rounded - kRounder;
  double r = (wide - n * (kPiHigh / 2)) - n * (kPiLow / 2);
  double z = r * r;
  double sine = r * horner(z, 10395.0, -1260.0, 21.0), cosine = horner(z, 10395.0, -4725.0, 210.0, -1.0);
  bool odd = std::bit_cast<std::uint64_t>(rounded) & 1;
  return static_cast<float>((odd ? cosine : sine) / (odd ? -sine : cosine));
}

// (atan(x) - x) / x^3 in z = x^2, for |x| <= 1.
[[gnu::always_inline]] inline float atan_tail(float z) {
  return horner(z, -0.3333329856f, 0.1999852955f, -0.1426401585f, 0.1095087826f, -0.08399285376f, 0.05788064748f,
                -0.03109572828f, 0.01086766273f, -0.001782499952f);
}

inline constexpr float kHalfPi = 1.57079632679f, kPiFloat = 3.14159265359f;

[[gnu::always_inline]] inline float vector_atan(float x) {
  float size = std::fabs(x);
  bool far = size > 1.0f;
  float t = far ? 1.0f / size : size, z = t * t;
  float near = t + t * (z * atan_tail(z));
  return std::copysign(far ? kHalfPi - near : near, x);
}

[[gnu::always_inline]] inline float vector_atan2(float y, float x) {
  float above = std::fabs(y), beside = std::fabs(x);
  bool steep = above > beside;
  float large = steep ? above : beside, small = steep ? beside : above;
  float t = small / large;
  t = large == 0.0f ? 0.0f : t;                    // 0 / 0
  t = small == large && large != 0.0f ? 1.0f : t;  // infinity / infinity
  float z = t * t;
  float angle = t + t * (z * atan_tail(z));
  angle = steep ? kHalfPi - angle : angle;
  angle = std::signbit(x) ? kPiFloat - angle : angle;
  angle = std::copysign(angle, y);
  return x == x && y == y ? angle : x + y;
}

// (asin(x) - x) / x^3 in z = x^2, for |x| <= 1/2.
[[gnu::always_inline]] inline float asin_tail(float z) {
  return horner(z, 0.1666665971f, 0.07500521839f, 0.04451338202f, 0.03183900192f, 0.01431510411f, 0.03769679368f);
}

// Beyond 1/2, pi/2 - 2 asin(sqrt((1 - x) / 2)).
[[gnu::always_inline]] inline float vector_asin(float x) {
  float size = std::fabs(x);
  bool far = size > 0.5f;
  float z = far ? 0.5f * (1.0f - size) : size * size;
  float t = far ? std::sqrt(z) : size;
  float near = t + t * (z * asin_tail(z));
  constexpr float kQuarterPi = kHalfPi / 2, kRest = -2.18556942e-8f;
  return std::copysign(far ? 2.0f * ((kQuarterPi - near) + kRest) : near, x);
}

[[gnu::always_inline]] inline float vector_acos(float x) {
  float size = std::fabs(x);
  bool far = size > 0.5f;
  float z = far ? 0.5f * (1.0f - size) : size * size;
  float t = far ? std::sqrt(z) : size;
  float near = std::copysign(t + t * (z * asin_tail(z)), x);
  float twice = 2.0f * near;
  return far ? (x < 0.0f ? kPiFloat + twice : twice) : kHalfPi - near;
}

}  // namespace tracefn
