// Exponential, hyperbolic and logarithmic functions of float in plain arithmetic, without branches and calls, so that
// loops over them vectorize; within 2 ulps. The polynomials are our own minimax fits over the given ranges.
#pragma once

#include "math/vector_bits.h"

namespace tracefn {

// x = n ln(2) + r; `rounded` is n plus the rounder.
template <typename T>
struct FloatExponent {
  T rounded, r;
};
template <LaneOf<float> T>
[[gnu::always_inline]] inline FloatExponent<T> reduce_exponent(T x, float rounder) {
  T rounded = madd(x, T(1.44269504089f), T(rounder)), n = rounded - rounder;
  // ln(2) in two parts, the first short enough that n times it is exact.
  return {rounded, madd(n, T(2.12194440e-4f), madd(n, T(-0.693359375f), x))};
}

// exp(r) for |r| <= ln(2) / 2, with a fit of (exp(r) - 1 - r) / r^2.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T exp_of_reduced(T r) {
  T tail = horner_by_pairs(r, 0.5f, 0.1666666716f, 4.16662693e-2f, 8.33326485e-3f, 1.394619001e-3f, 1.991797035e-4f);
  return 1.0f + madd(r * r, tail, r);
}

// fraction * 2^n as exp(x) 2^-shift: infinite above `most`, zero below the smallest normal number.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T bounded_exp(T x, T fraction, T rounded, float most) {
  T value = with_exponent(fraction, rounded);
  value = choose(x <= most, value, x + std::numeric_limits<float>::infinity());  // propagates NaN
  return choose(x < -0x1.5d589ep+6f, T(0.0f), value);
}

template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_exp(T x) {
  auto [rounded, r] = reduce_exponent(x, kFloatRounder);
  return bounded_exp(x, exp_of_reduced(r), rounded, 0x1.62e42ep+6f);
}

// For -88 <= x <= 88, zero below the smallest normal number.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T exp_between(T x) {
  auto [rounded, r] = reduce_exponent(x, kFloatExponentRounder);
  return exp_of_reduced(r) * power_of_two_from(rounded);
}

// For x <= 0.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T exp_below_zero(T x) {
  return exp_between(at_least(x, -88.0f));
}

template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_sigmoid(T x) {
  T value = 1.0f / (1.0f + exp_between(-at_most(x, 88.0f)));
  return choose(x < -88.0f, T(0.0f), value);
}

template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_expm1(T x) {
  // (expm1(x) - x) / x^2 for |x| <= 0.7.
  T tail = horner_by_pairs(x, 0.5f, 0.1666666716f, 4.166668281e-2f, 8.333336562e-3f, 1.388777047e-3f, 1.983969705e-4f,
                           2.510645936e-5f, 2.789244036e-6f);
  T near = madd(x * x, tail, x);
  T far = vector_exp(x) - 1.0f;
  return with_sign(choose(magnitude(x) <= 0.7f, near, far), x);
}

template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_tanh(T x) {
  T size = magnitude(x), z = x * x;
  // (tanh(x) - x) / x^3 in x^2, for |x| <= 0.625.
  T tail = horner_by_pairs(z, -0.3333328366f, 0.1333149076f, -5.374349654e-2f, 2.065058425e-2f, -5.717040971e-3f);
  T near = madd(size, z * tail, size);
  T far = 1.0f - 2.0f / (exp_between(2.0f * at_most(size, 10.0f)) + 1.0f);
  return with_sign(choose(size <= 0.625f, near, far), x);
}

// exp(x) / 2 for x >= 0, which overflows where sinh and cosh do.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_half_exp(T x) {
  auto [rounded, r] = reduce_exponent(x, kFloatRounder - 1.0f);
  return bounded_exp(x, exp_of_reduced(r), rounded, 0x1.65a9f8p+6f);
}

template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_cosh(T x) {
  T half = vector_half_exp(magnitude(x));
  return half + 0.25f / half;
}

template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_sinh(T x) {
  T size = magnitude(x), z = x * x;
  // (sinh(x) - x) / x^3 in x^2, for |x| <= 1.
  T tail = horner(z, 0.1666666716f, 8.333310485e-3f, 1.984289556e-4f, 2.78221205e-6f);
  T near = madd(size, z * tail, size);
  T half = vector_half_exp(size);
  T far = half - 0.25f / half;
  return with_sign(choose(size <= 1.0f, near, far), x);
}

// exponent ln(2) + log(1 + f), for 1 + f in [sqrt(1/2), sqrt(2)).
template <LaneOf<float> T>
[[gnu::always_inline]] inline T log_of_parts(T exponent, T f) {
  T z = f * f;
  // (log(1 + f) - f + f^2 / 2) / f^3.
  T tail = horner_by_pairs(f, 0.3333331347f, -0.2500001192f, 0.2000205815f, -0.1666782051f, 0.1422069669f, -0.12409468f,
                           0.1188341305f, -0.1165058017f, 0.06727409363f);
  T low = madd(z, T(-0.5f), madd(f * z, tail, exponent * -2.12194440e-4f));
  return madd(exponent, T(0.693359375f), f + low);
}

// For normal x > 0.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_log(T x) {
  auto [exponent, m] = parts_of(x);
  return log_of_parts(exponent, m - 1.0f);
}

// For finite x > -1. The rounding error of 1 + x is added to the fraction.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_log1p(T x) {
  T u = 1.0f + x, moved = u - 1.0f;
  T rest = (1.0f - (u - moved)) + (x - moved);
  auto [exponent, m] = parts_of(u);
  T inverse = power_of_two_from(kFloatExponentRounder - at_most(exponent, 64.0f));
  return with_sign(log_of_parts(exponent, madd(rest, inverse, m - 1.0f)), x);
}

// log(1 + t) for 0 <= t <= 1, as twice the inverse hyperbolic tangent of t / (2 + t).
template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_log1p_unit(T t) {
  T s = t / (2.0f + t), z = s * s;
  T tail = horner(z, 0.3333333731f, 0.1999943852f, 0.1430844218f, 0.1071383506f, 0.1215044707f);
  return 2.0f * madd(s, z * tail, s);
}

}  // namespace tracefn
