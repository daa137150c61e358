// Exponential, hyperbolic and logarithmic functions of float in plain arithmetic, without branches and calls, so that
// loops over them are vectorised; within 2 units in the last place. The polynomials are minimax fits of our own over
// the ranges given.
#pragma once

#include "ops/vector_bits.kernels.h"

namespace tracefn {

// x = n ln(2) + r; the low bits of `rounded` are n + 127.
struct FloatExponent {
  float rounded, r;
};
[[gnu::always_inline]] inline FloatExponent reduce_exponent(float x) {
  float rounded = x * 1.44269504089f + kFloatExponentRounder, n = rounded - kFloatExponentRounder;
  // ln(2) in two parts, the first with few enough bits that n times it is exact.
  return {rounded, (x - n * 0.693359375f) + n * 2.12194440e-4f};
}

// exp(r) for |r| <= ln(2) / 2, with a fit of (exp(r) - 1 - r) / r^2.
[[gnu::always_inline]] inline float exp_of_reduced(float r) {
  return 1.0f + (r + r * r *
                         horner_by_pairs(r, 0.5f, 0.1666666716f, 4.16662693e-2f, 8.33326485e-3f, 1.394619001e-3f,
                                         1.991797035e-4f));
}

[[gnu::always_inline]] inline float vector_exp(float x) {
  float bounded = x < -88.0f ? -88.0f : x;  // beyond lie zero and infinity; NaN stays
  bounded = bounded > 89.0f ? 89.0f : bounded;
  // A factor of 2 is kept back where 2^n could overflow.
  bool large = bounded > 0.0f;
  auto [rounded, r] = reduce_exponent(bounded);
  return exp_of_reduced(r) * power_of_two_from(large ? rounded - 1.0f : rounded) * (large ? 2.0f : 1.0f);
}

// For -88 <= x <= 88, zero below the smallest normal number.
[[gnu::always_inline]] inline float exp_between(float x) {
  auto [rounded, r] = reduce_exponent(x);
  return exp_of_reduced(r) * power_of_two_from(rounded);
}

// For x <= 0.
[[gnu::always_inline]] inline float exp_below_zero(float x) { return exp_between(x < -88.0f ? -88.0f : x); }

[[gnu::always_inline]] inline float vector_sigmoid(float x) {
  float value = 1.0f / (1.0f + exp_between(-(x > 88.0f ? 88.0f : x)));
  return x < -88.0f ? 0.0f : value;
}

[[gnu::always_inline]] inline float vector_expm1(float x) {
  // (expm1(x) - x) / x^2 for |x| <= 0.7.
  float tail = horner_by_pairs(x, 0.5f, 0.1666666716f, 4.166668281e-2f, 8.333336562e-3f, 1.388777047e-3f,
                               1.983969705e-4f, 2.510645936e-5f, 2.789244036e-6f);
  float near = x + x * x * tail;
  float far = vector_exp(x) - 1.0f;
  return std::copysign(std::fabs(x) <= 0.7f ? near : far, x);
}

[[gnu::always_inline]] inline float vector_tanh(float x) {
  float size = std::fabs(x), z = x * x;
  // (tanh(x) - x) / x^3 in x^2, for |x| <= 0.625.
  float tail = horner_by_pairs(z, -0.3333328366f, 0.1333149076f, -5.374349654e-2f, 2.065058425e-2f, -5.717040971e-3f);
  float near = size + size * (z * tail);
  float far = 1.0f - 2.0f / (exp_between(2.0f * (size > 10.0f ? 10.0f : size)) + 1.0f);
  return std::copysign(size <= 0.625f ? near : far, x);
}

// exp(x) / 2 for x >= 0, which overflows where sinh and cosh do.
[[gnu::always_inline]] inline float vector_half_exp(float x) {
  float bounded = x > 90.0f ? 90.0f : x;
  auto [rounded, r] = reduce_exponent(bounded);
  return exp_of_reduced(r) * power_of_two_from(rounded - 2.0f) * 2.0f;
}

[[gnu::always_inline]] inline float vector_cosh(float x) {
  float half = vector_half_exp(std::fabs(x));
  return half + 0.25f / half;
}

[[gnu::always_inline]] inline float vector_sinh(float x) {
  float size = std::fabs(x), z = x * x;
  // (sinh(x) - x) / x^3 in x^2, for |x| <= 1.
  float tail = ((2.78221205e-6f * z + 1.984289556e-4f) * z + 8.333310485e-3f) * z + 0.1666666716f;
  float near = size + size * (z * tail);
  float half = vector_half_exp(size);
  float far = half - 0.25f / half;
  return std::copysign(size <= 1.0f ? near : far, x);
}

// exponent ln(2) + log(1 + f), for 1 + f in [sqrt(1/2), sqrt(2)).
[[gnu::always_inline]] inline float log_of_parts(float exponent, float f) {
  float z = f * f;
  // (log(1 + f) - f + f^2 / 2) / f^3.
  float tail = horner_by_pairs(f, 0.3333331347f, -0.2500001192f, 0.2000205815f, -0.1666782051f, 0.1422069669f,
                               -0.12409468f, 0.1188341305f, -0.1165058017f, 0.06727409363f);
  float low = (f * z * tail - exponent * 2.12194440e-4f) - 0.5f * z;
  return (f + low) + exponent * 0.693359375f;
}

// For normal x > 0.
[[gnu::always_inline]] inline float vector_log(float x) {
  auto [exponent, m] = parts_of(x);
  return log_of_parts(exponent, m - 1.0f);
}

// For finite x > -1. What 1 + x was rounded by is added to the fraction.
[[gnu::always_inline]] inline float vector_log1p(float x) {
  float u = 1.0f + x, moved = u - 1.0f;
  float rest = (1.0f - (u - moved)) + (x - moved);
  auto [exponent, m] = parts_of(u);
  float inverse = power_of_two_from(kFloatExponentRounder - (exponent > 64.0f ? 64.0f : exponent));
  return std::copysign(log_of_parts(exponent, (m - 1.0f) + rest * inverse), x);
}

// log(1 + t) for 0 <= t <= 1, as twice the inverse hyperbolic tangent of t / (2 + t).
[[gnu::always_inline]] inline float vector_log1p_unit(float t) {
  float s = t / (2.0f + t), z = s * s;
  float tail = horner(z, 0.3333333731f, 0.1999943852f, 0.1430844218f, 0.1071383506f, 0.1215044707f);
  return 2.0f * (s + s * (z * tail));
}

}  // namespace tracefn
