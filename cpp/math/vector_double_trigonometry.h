// Circular functions of double and their inverses, vectorized, within 2 ulps; like their float counterparts in
// vector_trigonometry.h, with pi in three parts and polynomials over smaller ranges.
#pragma once

#include "math/vector_bits.h"

namespace tracefn {

// pi in parts of 33, 33 and 53 bits: multiples of the first two up to 2^20 are exact.
inline constexpr double kPi1 = 0x1.921fb544p+1, kPi2 = 0x1.0b4611a6p-33, kPi3 = 0x1.3198a2e037073p-68;
inline constexpr double kLargestReducedDouble = 0x1p20;
template <LaneOf<double> T>
[[gnu::always_inline]] inline auto is_reduced(T x) {
  return magnitude(x) <= kLargestReducedDouble;
}
inline constexpr double kPiOver2 = 0x1.921fb54442d18p+0, kPiOver2Rest = 0x1.1a62633145c07p-54;

// x = n pi / 2 + r; the lowest bits of `rounded` are those of n.
template <typename T>
struct ReducedAngle {
  T rounded, r, rest;  // rest: what r was rounded by
};
template <LaneOf<double> T>
[[gnu::always_inline]] inline ReducedAngle<T> reduce_angle(T x) {
  T rounded = madd(x, T(0x1.45f306dc9c883p-1), T(kRounder)), n = rounded - kRounder;
  T first = madd(n, T(-kPi1 / 2), x), second = n * (kPi2 / 2);
  T high = first - second, low = madd(n, T(kPi3 / 2), second - (first - high));
  T r = high - low;
  return {rounded, r, (high - r) - low};
}

// sin(x + quarters pi/2), for |x| <= kLargestReducedDouble.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T sin_of_sum(T x, double quarters) {
  auto [rounded, r, rest] = reduce_angle(x);
  auto quadrant = bits_of(rounded + quarters);
  T z = r * r;
  // (sin(r) - r) / r^3 and (cos(r) - 1 + r^2/2) / r^4 for |r| <= pi/4.
  T sine_tail = horner_by_pairs(z, -0.1666666666666663, 0.00833333333332184, -0.00019841269829358569,
                                2.7557313538517774e-06, -2.5050734385421585e-08, 1.589543271476216e-10);
  T cosine_tail = horner_by_pairs(z, 0.0416666666666666, -0.0013888888888874478, 2.4801587289675413e-05,
                                  -2.755731440229788e-07, 2.08757294612846e-09, -1.13599436314935e-11);
  T sine = with_sign(r + madd(r, z * sine_tail, rest), r);
  T cosine = 1.0 + madd(z * z, cosine_tail, -0.5 * z);
  T value = choose(has_sign(number_of(quadrant << 63)), cosine, sine);
  return number_of(bits_of(value) ^ ((quadrant & 2) << 62));
}

template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_sin(T x) {
  return sin_of_sum(x, 0.0);
}
template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_cos(T x) {
  return sin_of_sum(x, 1.0);
}

// tan(r), or -1 / tan(r) for odd multiples of pi/2.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_tan(T x) {
  auto [rounded, r, rest] = reduce_angle(x);
  T z = r * r;
  // (tan(r) - r) / r^3 for |r| <= pi/4.
  T tail = horner_by_pairs(z, 0.3333333333333278, 0.13333333333414107, 0.0539682539269011, 0.02186948960362814,
                           0.008863219237573721, 0.0035922884354139813, 0.001454761777950049, 0.000595049072682626,
                           0.00022242513057609385, 0.00013643360820886358, -2.6258159066360742e-05,
                           8.933586719482491e-05, -4.481421408166489e-05, 2.0848373595903008e-05);
  T tangent = with_sign(r + madd(r, z * tail, madd(rest, z, rest)), r);
  auto odd = is_odd(rounded);
  return choose(odd, -1.0 / tangent, tangent);
}

// The arctangent of above / below, for numbers >= 0 whose sum is finite: pi/4 or pi/2 and the arctangent of
// (above - below) / (above + below) or -below / above.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T atan_of_ratio(T above, T below) {
  auto middle = above > 0.41421356237309503 * below, far = above > 2.414213562373095 * below;
  T numerator = choose(middle, above - below, above), denominator = choose(middle, above + below, below);
  T t = choose(far, -below, numerator) / choose(far, above, denominator), z = t * t;
  // (atan(t) - t) / t^3 for |t| <= sqrt(2) - 1.
  T tail = horner_by_pairs(z, -0.3333333333333319, 0.1999999999995218, -0.14285714280053652, 0.11111110776271974,
                           -0.09090897550055307, 0.0769205650514227, -0.06663061701599565, 0.058475798113032565,
                           -0.050379037721383184, 0.038028800390679046, -0.017867862549974113);
  T quarters = choose(middle, T(1.0), T(0.0));
  quarters = choose(far, T(2.0), quarters);
  return madd(quarters, T(kPiOver2 / 2), t + madd(t, z * tail, quarters * (kPiOver2Rest / 2)));
}

template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_atan(T x) {
  return with_sign(atan_of_ratio(magnitude(x), T(1.0)), x);
}

template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_atan2(T y, T x) {
  T above = magnitude(y), below = magnitude(x), large = choose(above > below, above, below);
  // Keeps sums finite and differences normal.
  T scale = choose(large > 0x1p1000, T(0x1p-4), T(1.0));
  scale = choose(large < 0x1p-900, T(0x1p100), scale);
  auto same = above == below;  // both zero or infinite, too
  T first = choose(same, choose(above == 0.0, T(0.0), T(1.0)), above * scale);
  T second = choose(same, T(1.0), below * scale);
  T angle = atan_of_ratio(first, second);
  angle = choose(has_sign(x), 2.0 * kPiOver2 - (angle - 2.0 * kPiOver2Rest), angle);
  return with_sign(angle, y);
}

// (asin(x) - x) / x^3 in z = x^2, for |x| <= 1/2.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T asin_tail(T z) {
  return horner_by_pairs(z, 0.1666666666666676, 0.07499999999970865, 0.04464285717456287, 0.030381942709715577,
                         0.022372214942232006, 0.017351612697941523, 0.013980813671460302, 0.01139895909686907,
                         0.010780036415606103, 0.0037070699063446785, 0.021706180350357526, -0.020997709103324845,
                         0.03262802862555117);
}

template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_asin(T x) {
  T size = magnitude(x);
  auto far = size > 0.5;
  T z = choose(far, madd(size, T(-0.5), T(0.5)), size * size);
  T t = choose(far, square_root(z), size);
  T near = madd(t, z * asin_tail(z), t);
  return with_sign(choose(far, 2.0 * ((kPiOver2 / 2 - near) + kPiOver2Rest / 2), near), x);
}

template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_acos(T x) {
  T size = magnitude(x);
  auto far = size > 0.5;
  T z = choose(far, madd(size, T(-0.5), T(0.5)), size * size);
  T t = choose(far, square_root(z), size);
  T near = with_sign(madd(t, z * asin_tail(z), t), x);
  T twice = 2.0 * near;
  return choose(far, choose(x < 0.0, 2.0 * kPiOver2 + (twice + 2.0 * kPiOver2Rest), twice),
                kPiOver2 - (near - kPiOver2Rest));
}

}  // namespace tracefn
