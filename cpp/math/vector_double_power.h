// Powers of double, vectorized, within 1 ulp: log2 |x| and its product with y as double-doubles, the first with half
// the bits, so that products of such halves are exact (the scheme of Sun's fdlibm, e_pow.c, 1993). Polynomials are our
// own Remez fits.
#pragma once

#include "math/vector_double.h"

namespace tracefn {

// The upper half of x's bits.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T upper_half(T x) {
  return number_of(bits_of(x) & 0xffffffff00000000);
}

template <typename T>
struct HighLow {
  T high, low;
};

// log2(x) for normal x > 0: log(m) = 2 s (1 + s^2/3 + s^4 P(s^2)) with s = (m - 1) / (m + 1).
template <LaneOf<double> T>
[[gnu::always_inline]] inline HighLow<T> log2_in_halves(T x) {
  auto [exponent, m] = parts_of(x);
  T numerator = m - 1.0, denominator = m + 1.0, inverse = 1.0 / denominator;
  T s = numerator * inverse, s_high = upper_half(s);
  T d_high = upper_half(denominator), d_low = m - (d_high - 1.0);
  T s_low = inverse * madd(-s_high, d_low, madd(-s_high, d_high, numerator));
  T z = s * s;
  T tail = z * z *
           horner_by_pairs(z, 0.1999999999999999, 0.14285714285721926, 0.11111111108892638, 0.09090909422346408,
                           0.07692279186532053, 0.06668133432067522, 0.058378644665866924, 0.059911052948450255);
  // 3 (1 + s^2/3 + s^4 P) in halves, and s times it.
  T rest = madd(tail, T(3.0), s_low * (s_high + s)), square = s_high * s_high;
  T sum = upper_half(3.0 + square + rest), sum_low = rest - ((sum - 3.0) - square);
  T first = s_high * sum, second = madd(s_low, sum, sum_low * s);
  T product = upper_half(first + second), product_low = second - (product - first);
  constexpr double kScale = 0x1.ec709dc3a03fdp-1, kScaleHigh = 0x1.ec70900000000p-1,
                   kScaleLow = 0x1.b87407fae93f8p-22;  // 2 / (3 ln(2))
  T high = kScaleHigh * product, low = madd(product, T(kScaleLow), product_low * kScale);
  T log2 = upper_half((high + low) + exponent);
  return {log2, low - ((log2 - exponent) - high)};
}

// For normal x > 0 and finite y.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_plain_pow(T x, T y) {
  auto [log2, log2_low] = log2_in_halves(x);
  T bounded = at_least(y, -0x1p70);  // enough for zero and infinity
  bounded = at_most(bounded, 0x1p70);
  T y_high = upper_half(bounded);
  T high = y_high * log2, low = madd(bounded - y_high, log2, bounded * log2_low);
  T p = high + low, rounded = p + kExponentRounder, n = rounded - kExponentRounder;
  // 2^(p - n) = exp(t ln(2)), in halves.
  high = high - n;
  T t = upper_half(high + low);
  T first = t * 0x1.62e42p-1, second = madd(t, T(0x1.fdf473de6af28p-22), (low - (t - high)) * 0x1.62e42fefa39efp-1);
  T r = first + second, r_low = second - (r - first);
  T fraction = 1.0 + (r + madd(r * r, exp_tail(r), r_low));
  auto large = p > 0.0;
  T value = fraction * power_of_two_from(choose(large, rounded - 1.0, rounded)) * choose(large, T(2.0), T(1.0));
  value = choose(p < -1022.5, T(0.0), value);
  return choose(p > 1024.0, T(std::numeric_limits<double>::infinity()), value);
}
template <LaneOf<double> T>
[[gnu::always_inline]] inline auto is_plain_base(T x) {
  return x >= std::numeric_limits<double>::min() && x <= std::numeric_limits<double>::max();
}
template <LaneOf<double> T>
[[gnu::always_inline]] inline auto is_plain_exponent(T y) {
  return magnitude(y) <= std::numeric_limits<double>::max();
}

template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_pow(T x, T y) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  T size = magnitude(x);
  T value = vector_plain_pow(size, y);
  auto edge = size < std::numeric_limits<double>::min() || size == kInfinity || magnitude(y) == kInfinity;
  T limit = choose(choose(size > 1.0, y, -y) > 0.0, T(kInfinity), T(0.0));
  value = choose(edge, limit, value);
  auto whole = round_down(y) == y, odd = whole && round_down(y * 0.5) * 2.0 != y;
  value = choose(has_sign(x) && odd, -value, value);
  value = choose(x < 0.0 && size < kInfinity && !whole, T(std::numeric_limits<double>::quiet_NaN()), value);
  value = choose(!is_nan(x) && !is_nan(y), value, x + y);
  auto one = size == 1.0 && magnitude(y) == kInfinity;
  return choose(one || x == 1.0 || y == 0.0, T(1.0), value);
}

}  // namespace tracefn
