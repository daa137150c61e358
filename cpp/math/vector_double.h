// Exponentials, logarithms and hyperbolic functions of double, vectorized, within 2 ulps. The polynomials are our own
// Remez fits over the given ranges; the logarithms follow Tang, Table-driven implementation of the logarithm function
// (ACM TOMS 16, 1990), without tables: by s = f / (2 + f).
#pragma once

#include "math/vector_bits.h"

namespace tracefn {

// ln(2) in two parts, the first short enough that its multiples up to 2^12 are exact.
inline constexpr double kLn2High = 0x1.62e42fefa2p-1, kLn2Low = 0x1.9ef35793c7673p-41;

// x = n ln(2) + r; `rounded` is n plus the rounder.
template <typename T>
struct ReducedExponent {
  T rounded, n, r, rest;  // rest: what r was rounded by
};
template <LaneOf<double> T>
[[gnu::always_inline]] inline ReducedExponent<T> reduce_exponent(T x, double rounder) {
  T rounded = madd(x, T(1.4426950408889634), T(rounder));
  T n = rounded - rounder;
  T high = madd(n, T(-kLn2High), x), r = madd(n, T(-kLn2Low), high);
  return {rounded, n, r, madd(n, T(-kLn2Low), high - r)};
}

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T exp_tail(T r) {
  return horner_by_pairs(r, 0.5, 0.16666666666666674, 0.04166666666662383, 0.008333333333322054, 0.0013888888917362294,
                         0.00019841269887072783, 2.4801521064042366e-05, 2.7557241798874566e-06, 2.7620199129257076e-07,
                         2.5110246776567575e-08);
}

// For -709 <= x <= 709, zero below the smallest normal number.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T exp_between(T x) {
  auto [rounded, n, r, rest] = reduce_exponent(x, kExponentRounder);
  return (1.0 + madd(r * r, exp_tail(r), r)) * power_of_two_from(rounded);
}

template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_sigmoid(T x) {
  T value = 1.0 / (1.0 + exp_between(-at_most(x, 709.0)));
  return choose(x < -708.0, T(0.0), value);
}

// For x <= 0.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T exp_below_zero(T x) {
  return exp_between(at_least(x, -709.0));
}

// fraction * 2^n as exp(x) 2^-shift: infinite above `most`, zero below the smallest normal number.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T bounded_exp(T x, T fraction, T rounded, double most) {
  T value = with_exponent(fraction, rounded);
  value = choose(x <= most, value, x + std::numeric_limits<double>::infinity());  // propagates NaN
  return choose(x < -0x1.6232bdd7abcd1p+9, T(0.0), value);
}

// exp(x) / 2, for x >= 0.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_half_exp(T x) {
  auto [rounded, n, r, rest] = reduce_exponent(x, kRounder - 1.0);
  return bounded_exp(x, 1.0 + (r + madd(r * r, exp_tail(r), rest)), rounded, 0x1.633ce8fb9f87dp+9);
}

template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_exp(T x) {
  auto [rounded, n, r, rest] = reduce_exponent(x, kRounder);
  return bounded_exp(x, 1.0 + madd(r * r, exp_tail(r), r), rounded, 0x1.62e42fefa39efp+9);
}

// For x in [-40, 710]: 2^n (expm1(r) + (1 - 2^-n)), where 2^-n no longer counts for large n.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T expm1_between(T x) {
  auto [rounded, n, r, rest] = reduce_exponent(x, kExponentRounder - 1.0);
  T scale = power_of_two_from(rounded), inverse = power_of_two_from(kExponentRounder - at_most(n, 64.0));
  T linear = r + (1.0 - inverse);
  return (linear + madd(r * r, exp_tail(r), rest)) * scale * 2.0;
}

template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_expm1(T x) {
  T bounded = at_least(x, -40.0);
  bounded = at_most(bounded, 710.0);
  return with_sign(expm1_between(bounded), x);
}

template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_tanh(T x) {
  T size = magnitude(x), z = x * x;
  // (tanh(x) - x) / x^3 in x^2, for |x| <= 0.55.
  T near = madd(
      size,
      z * horner_by_pairs(z, -0.33333333333332316, 0.13333333333168934, -0.053968253876154074, 0.021869485975963266,
                          -0.008863194513238335, 0.0035917197296902823, -0.0014532167456633687, 0.0005791365535067937,
                          -0.0002103010346257812, 5.1020161475791705e-05),
      size);
  T power = exp_between(2.0 * at_most(size, 20.0));
  T far = 1.0 - 2.0 / (power + 1.0);
  return with_sign(choose(size <= 0.55, near, far), x);
}

template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_cosh(T x) {
  T half = vector_half_exp(magnitude(x));
  return half + 0.25 / half;
}

template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_sinh(T x) {
  T size = magnitude(x), z = x * x;
  // (sinh(x) - x) / x^3 in x^2, for |x| <= 1.
  T near = madd(
      size,
      z * horner_by_pairs(z, 0.16666666666666669, 0.008333333333332912, 0.00019841269841593394, 2.7557319106771627e-06,
                          2.505213099419522e-08, 1.6056659720796552e-10, 7.776576592587013e-13),
      size);
  T half = vector_half_exp(size);
  T far = half - 0.25 / half;
  return with_sign(choose(size <= 1.0, near, far), x);
}

// exponent ln(2) + log(1 + f), for 1 + f in [sqrt(1/2), sqrt(2)).
template <LaneOf<double> T>
[[gnu::always_inline]] inline T log_of_parts(T exponent, T f) {
  T s = f / (2.0 + f), z = s * s, half_square = 0.5 * f * f;
  // log((1 + s) / (1 - s)) / s - 2 in z.
  T tail = horner_by_pairs(z, 0.6666666666666734, 0.39999999999416197, 0.28571428742193505, 0.2222219858277412,
                           0.18183564241712152, 0.15314044023604506, 0.14796089390190137);
  T low = madd(s, madd(z, tail, half_square), exponent * kLn2Low);
  return madd(exponent, T(kLn2High), f - (half_square - low));
}

// For normal x > 0.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_log(T x) {
  auto [exponent, m] = parts_of(x);
  return log_of_parts(exponent, m - 1.0);
}

// For finite x > -1. The rounding error of 1 + x is added to the fraction.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_log1p(T x) {
  T u = 1.0 + x, moved = u - 1.0;
  T rest = (1.0 - (u - moved)) + (x - moved);
  auto [exponent, m] = parts_of(u);
  T inverse = power_of_two_from(kExponentRounder - at_most(exponent, 64.0));
  return with_sign(log_of_parts(exponent, madd(rest, inverse, m - 1.0)), x);
}

// log(1 + t) for 0 <= t <= 1, as twice the inverse hyperbolic tangent of t / (2 + t).
template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_log1p_unit(T t) {
  T s = t / (2.0 + t), z = s * s;
  T tail = horner_by_pairs(z, 0.6666666666666631, 0.40000000000156233, 0.28571428547954225, 0.22222223964540241,
                           0.18181744081852108, 0.15386557006246274, 0.13301007319317637, 0.12105849918593611,
                           0.08341018682426014, 0.1701706405734216);
  return madd(s, z * tail, 2.0 * s);
}

}  // namespace tracefn
