// The logarithm, sine and cosine that make normal doubles of uniform ones, with the bits of glibc's log and sincos,
// which TensorFlow calls. The logarithm is that of Arm's Optimized Routines (math/log.c), which glibc uses; the sine
// and the cosine are those of IBM's Accurate Mathematical Library as glibc has them since 2.28
// (sysdeps/ieee754/dbl-64): both by tables of values and short polynomials of what is left.
#pragma once

#include "math/log_table.h"
#include "math/sine_table.h"
#include "math/vector_bits.h"
#include "math/vector_box_muller.h"

namespace tracefn {

// log(x) for a double x in [15/16, 1).
[[gnu::always_inline]] inline double log_next_to_one(double x) {
  constexpr double kHalf = -0.5, kSplit = 0x1p27;
  double r = x - 1.0, square = r * r, cube = r * square;
  double first = madd(square, 0x1.999999995dd0cp-3, madd(-0x1.ffffffffffdcbp-3, r, 0x1.5555555555577p-2));
  double second = madd(square, -0x1.fffffa4423d65p-4, madd(0x1.24924a344de3p-3, r, -0x1.55555556745a7p-3));
  double third = madd(square, 0x1.78182f7afd085p-4, madd(-0x1.999eb43b068ffp-4, r, 0x1.c7184282ad6cap-4));
  double series = madd(madd(madd(cube, -0x1.5521375d145cdp-4, third), cube, second), cube, first);
  // r - r^2 / 2 with what its rounding loses.
  double upper = madd(-kSplit, r, madd(r, kSplit, r)), upper_square = upper * upper;
  double high = madd(upper_square, kHalf, r);
  double low = madd(kHalf * (r - upper), r + upper, madd(upper_square, kHalf, r - high));
  return high + madd(series, cube, low);
}

// log(x) for a normal double x in (0, 1).
[[gnu::always_inline]] inline double double_log_below_one(double x) {
  constexpr std::uint64_t kFirst = 0x3fe6000000000000, kOne = 0x3ff0000000000000, kFraction = 0x000fffffffffffff;
  std::uint64_t moved = bits_of(x) + (kOne - kFirst), place = moved >> 45 & 127;
  // The biased exponent as the low bits of 2^52.
  double exponent = number_of(moved >> 52 | 0x4330000000000000) - (0x1p52 + 1023);
  double r = madd(number_of((moved & kFraction) + kFirst), kDoubleLogInverses[place], -1.0), square = r * r;
  double whole = madd(exponent, 0x1.62e42fefa38p-1, kDoubleLogs[place]), high = whole + r;
  double low = madd(exponent, 0x1.ef35793c7673p-45, (whole - high) + r);
  double series = madd(madd(r, -0x1.55575e506c89fp-3, 0x1.999b324f10111p-3), square,
                       madd(r, -0x1.fffffffeb459p-3, 0x1.555555551305bp-2));
  double result = madd(r * square, series, madd(square, -0x1.0000000000001p-1, low)) + high;
  return choose(x < 0x1.ep-1, result, log_next_to_one(x));
}

// For a double x in [0, 2 pi].
[[gnu::always_inline]] inline SineCosine double_sine_and_cosine(double x) {
  // x is a quarter turn, n times, and rest + correction; the lesser ones have bounds of their own for n.
  constexpr double kOneQuarter = 0x1.b6p-1, kTwoQuarters = 0x1.368fdp+1;
  double rounded = choose(x < kOneQuarter, kRounder, madd(x, 0x1.45f306dc9c883p-1, kRounder)), n = rounded - kRounder;
  double near = madd(-n, -0x1.dde973cp-27, madd(-n, 0x1.921fb58p+0, x));
  double nearer = madd(-n, -0x1.cb3b398p-55, near), rest = madd(-n, -0x1.d747f23e32ed7p-83, nearer);
  double correction = madd(-n, -0x1.cb3b398p-55, near - nearer) + madd(-n, -0x1.d747f23e32ed7p-83, nearer - rest);
  // Mirrored in the second and third quarter.
  std::uint64_t quarters = bits_of(rounded), mirror = ((quarters + 1) & 2) << 62;
  rest = number_of(bits_of(rest) ^ mirror);
  correction = number_of(bits_of(correction) ^ mirror);
  double left = 0x1.921fb54442d18p+0 - x, quarter_less = left + 0x1.1a62633145c07p-54;
  const bool by_one = (x >= kOneQuarter) & (x < kTwoQuarters);
  rest = choose(by_one, quarter_less, rest);
  correction = choose(by_one, (left - quarter_less) + 0x1.1a62633145c07p-54, correction);
  rounded = choose(by_one, kRounder + 1, rounded);
  quarters = bits_of(rounded);

  constexpr double kPlaces = 0x1.8p45;  // adding it rounds to a multiple of 1/128
  constexpr double kThird = -0x1.5555555555515p-3, kFifth = 0x1.11110e829872fp-7;
  constexpr double kSecond = 0.5, kFourth = -0x1.5555555555535p-5, kSixth = 0x1.6c16bedd9e239p-10;
  double size = magnitude(rest), placed = size + kPlaces, from_place = size - (placed - kPlaces);
  double added = choose(rest < 0, -correction, correction);
  std::uint64_t place = bits_of(placed) & 127;
  double sine = kSinesAndCosines[place][0], sine_rest = kSinesAndCosines[place][1];
  double cosine = kSinesAndCosines[place][2], cosine_rest = kSinesAndCosines[place][3];

  double square = from_place * from_place;
  double s = madd(square * from_place, madd(square, kFifth, kThird), added) + from_place;
  double c = madd(added, from_place, square * madd(madd(square, kSixth, kFourth), square, kSecond));
  double by_table = madd(s, cosine, madd(-c, sine, madd(s, cosine_rest, sine_rest))) + sine;
  double square_of_rest = rest * rest;
  double series = madd(madd(madd(madd(square_of_rest, -0x1.addffc2fcdf59p-26, 0x1.71de27b9a7ed9p-19), square_of_rest,
                                 -0x1.a01a019db08b8p-13),
                            square_of_rest, 0x1.1111111110ecep-7),
                       square_of_rest, -0x1.5555555555555p-3);
  double by_series = madd(square_of_rest, madd(series, rest, -(kSecond * correction)), correction) + rest;
  double sine_of_rest = choose(size < 0x1.020c49ba5e354p-3, by_series, with_sign(by_table, rest));

  double at = added + from_place, square_at = at * at;
  s = madd(at * square_at, madd(kFifth, square_at, kThird), at);
  c = square_at * madd(madd(kSixth, square_at, kFourth), square_at, kSecond);
  double cosine_of_rest = madd(-s, sine, madd(-c, cosine, madd(-sine_rest, s, cosine_rest))) + cosine;
  cosine_of_rest = number_of(bits_of(cosine_of_rest) ^ (quarters & 2) << 62);
  bool odd = is_odd(rounded);
  return {choose(odd, cosine_of_rest, sine_of_rest), choose(odd, sine_of_rest, cosine_of_rest)};
}

}  // namespace tracefn
