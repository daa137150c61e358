// Exponential functions of float in plain arithmetic, without branches and calls, so that loops over them are
// vectorised; within 2 units in the last place. The polynomials are minimax fits of our own over the ranges given.
#pragma once

#include "ops/vector_bits.kernels.h"

namespace tracefn {

[[gnu::always_inline]] inline float power_of_two(std::int32_t n) { return std::bit_cast<float>((n + 127) << 23); }

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2.
[[gnu::always_inline]] inline float exp_tail(float r) {
  return ((((1.991797035e-4f * r + 1.394619001e-3f) * r + 8.33326485e-3f) * r + 4.16662693e-2f) * r + 0.1666666716f) *
             r +
         0.5f;
}

[[gnu::always_inline]] inline float vector_exp(float x) {
  float bounded = x < -104.0f ? -104.0f : x;  // beyond lie zero and infinity; NaN stays
  bounded = bounded > 89.0f ? 89.0f : bounded;
  float n = std::nearbyint(bounded * 1.44269504089f);
  // ln(2) in two parts, the first with few enough bits that n times it is exact.
  float r = (bounded - n * 0.693359375f) + n * 2.12194440e-4f;
  float fraction = 1.0f + (r + r * r * exp_tail(r));
  std::int32_t k = static_cast<std::int32_t>(n == n ? n : 0.0f);
  std::int32_t half = k >> 1;
  return fraction * power_of_two(half) * power_of_two(k - half);
}

[[gnu::always_inline]] inline float vector_expm1(float x) {
  // (expm1(x) - x) / x^2 for |x| <= 0.7.
  float tail = ((((((2.789244036e-6f * x + 2.510645936e-5f) * x + 1.983969705e-4f) * x + 1.388777047e-3f) * x +
                  8.333336562e-3f) *
                     x +
                 4.166668281e-2f) *
                    x +
                0.1666666716f) *
                   x +
               0.5f;
  float near = x + x * x * tail;
  float far = vector_exp(x) - 1.0f;
  return std::copysign(std::fabs(x) <= 0.7f ? near : far, x);
}

[[gnu::always_inline]] inline float vector_tanh(float x) {
  float size = std::fabs(x), z = x * x;
  // (tanh(x) - x) / x^3 in x^2, for |x| <= 0.625.
  float tail =
      (((-5.717040971e-3f * z + 2.065058425e-2f) * z - 5.374349654e-2f) * z + 0.1333149076f) * z - 0.3333328366f;
  float near = size + size * (z * tail);
  float far = 1.0f - 2.0f / (vector_exp(2.0f * size) + 1.0f);
  return std::copysign(size <= 0.625f ? near : far, x);
}

// exp(x) / 2 for x >= 0, which overflows where sinh and cosh do.
[[gnu::always_inline]] inline float vector_half_exp(float x) {
  float bounded = x > 90.0f ? 90.0f : x;
  float n = std::nearbyint(bounded * 1.44269504089f);
  float r = (bounded - n * 0.693359375f) + n * 2.12194440e-4f;
  float fraction = 1.0f + (r + r * r * exp_tail(r));
  std::int32_t k = static_cast<std::int32_t>(n == n ? n : 0.0f) - 1;
  std::int32_t half = k >> 1;
  return fraction * power_of_two(half) * power_of_two(k - half);
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

// log(1 + t) for 0 <= t <= 1, as twice the inverse hyperbolic tangent of t / (2 + t).
[[gnu::always_inline]] inline float vector_log1p_unit(float t) {
  float s = t / (2.0f + t), z = s * s;
  float tail = (((0.1215044707f * z + 0.1071383506f) * z + 0.1430844218f) * z + 0.1999943852f) * z + 0.3333333731f;
  return 2.0f * (s + s * (z * tail));
}

}  // namespace tracefn
