// Powers of double, vectorised, within 1 unit in the last place: log2 |x| and its product with y as sums of two
// doubles, the first with half the bits, so that products of such halves are exact (the scheme of Sun's fdlibm,
// e_pow.c, 1993). Polynomials are Remez fits of our own.
#pragma once

#include "ops/vector_double.kernels.h"

namespace tracefn {

// The upper half of x's bits.
[[gnu::always_inline]] inline double upper_half(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000);
}

struct HighLow {
  double high, low;
};

// log2(x) for normal x > 0: log(m) = 2 s (1 + s^2/3 + s^4 P(s^2)) with s = (m - 1) / (m + 1).
[[gnu::always_inline]] inline HighLow log2_in_halves(double x) {
  auto [exponent, m] = parts_of(x);
  double numerator = m - 1.0, denominator = m + 1.0, inverse = 1.0 / denominator;
  double s = numerator * inverse, s_high = upper_half(s);
  double d_high = upper_half(denominator), d_low = m - (d_high - 1.0);
  double s_low = inverse * ((numerator - s_high * d_high) - s_high * d_low);
  double z = s * s;
  double tail = z * z *
                horner_by_pairs(z, 0.1999999999999999, 0.14285714285721926, 0.11111111108892638, 0.09090909422346408,
                                0.07692279186532053, 0.06668133432067522, 0.058378644665866924, 0.059911052948450255);
  // 3 (1 + s^2/3 + s^4 P) in halves, and s times it.
  double rest = 3.0 * tail + s_low * (s_high + s), square = s_high * s_high;
  double sum = upper_half(3.0 + square + rest), sum_low = rest - ((sum - 3.0) - square);
  double first = s_high * sum, second = s_low * sum + sum_low * s;
  double product = upper_half(first + second), product_low = second - (product - first);
  constexpr double kScale = 0x1.ec709dc3a03fdp-1, kScaleHigh = 0x1.ec70900000000p-1,
                   kScaleLow = 0x1.b87407fae93f8p-22;  // 2 / (3 ln(2))
  double high = kScaleHigh * product, low = kScaleLow * product + product_low * kScale;
  double log2 = upper_half((high + low) + exponent);
  return {log2, low - ((log2 - exponent) - high)};
}

// For normal x > 0 and finite y.
[[gnu::always_inline]] inline double vector_plain_pow(double x, double y) {
  auto [log2, log2_low] = log2_in_halves(x);
  double bounded = y < -0x1p70 ? -0x1p70 : y;  // enough for zero and infinity
  bounded = bounded > 0x1p70 ? 0x1p70 : bounded;
  double y_high = upper_half(bounded);
  double high = y_high * log2, low = (bounded - y_high) * log2 + bounded * log2_low;
  double p = high + low, rounded = p + kExponentRounder, n = rounded - kExponentRounder;
  // 2^(p - n) = exp(t ln(2)), in halves.
  high = high - n;
  double t = upper_half(high + low);
  double first = t * 0x1.62e42p-1, second = (low - (t - high)) * 0x1.62e42fefa39efp-1 + t * 0x1.fdf473de6af28p-22;
  double r = first + second, r_low = second - (r - first);
  double fraction = 1.0 + (r + (r * r * exp_tail(r) + r_low));
  bool large = p > 0.0;
  double value = fraction * power_of_two_from(large ? rounded - 1.0 : rounded) * (large ? 2.0 : 1.0);
  value = p < -1022.5 ? 0.0 : value;
  return p > 1024.0 ? std::numeric_limits<double>::infinity() : value;
}
[[gnu::always_inline]] inline bool is_plain_base(double x) {
  return x >= std::numeric_limits<double>::min() && x <= std::numeric_limits<double>::max();
}
[[gnu::always_inline]] inline bool is_plain_exponent(double y) {
  return std::fabs(y) <= std::numeric_limits<double>::max();
}

[[gnu::always_inline]] inline double vector_pow(double x, double y) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double size = std::fabs(x);
  double value = vector_plain_pow(size, y);
  bool edge = size < std::numeric_limits<double>::min() || size == kInfinity || std::fabs(y) == kInfinity;
  double limit = (size > 1.0 ? y : -y) > 0.0 ? kInfinity : 0.0;
  value = edge ? limit : value;
  bool whole = std::floor(y) == y, odd = whole && std::floor(y * 0.5) * 2.0 != y;
  value = std::copysign(1.0, x) < 0.0 && odd ? -value : value;
  value = x < 0.0 && size < kInfinity && !whole ? std::numeric_limits<double>::quiet_NaN() : value;
  value = x == x && y == y ? value : x + y;
  bool one = size == 1.0 && std::fabs(y) == kInfinity;
  return one || x == 1.0 || y == 0.0 ? 1.0 : value;
}

}  // namespace tracefn
