// The logarithm, sine and cosine that make normal numbers of uniform ones, with the bits of glibc's logf and sincosf,
// which TensorFlow calls. The formulas and constants are those of Arm's Optimized Routines (math/logf.c,
// math/sincosf.c), which glibc uses: polynomials in double, whose results are rounded to float at the end.
#pragma once

#include "math/vector_bits.h"

namespace tracefn {

// For the sixteenths of a binade that start at 0x1.66p-1: numbers near the reciprocals of their centers, and their
// logarithms, negated.
inline constexpr double kLogInverses[16] = {
    0x1.661ec79f8f3bep+0, 0x1.571ed4aaf883dp+0, 0x1.49539f0f010bp+0,  0x1.3c995b0b80385p+0, 0x1.30d190c8864a5p+0,
    0x1.25e227b0b8eap+0,  0x1.1bb4a4a1a343fp+0, 0x1.12358f08ae5bap+0, 0x1.0953f419900a7p+0, 0x1p+0,
    0x1.e608cfd9a47acp-1, 0x1.ca4b31f026aap-1,  0x1.b2036576afce6p-1, 0x1.9c2d163a1aa2dp-1, 0x1.886e6037841edp-1,
    0x1.767dcf5534862p-1};
inline constexpr double kLogs[16] = {
    -0x1.57bf7808caadep-2, -0x1.2bef0a7c06ddbp-2, -0x1.01eae7f513a67p-2, -0x1.b31d8a68224e9p-3, -0x1.6574f0ac07758p-3,
    -0x1.1aa2bc79c81p-3,   -0x1.a4e76ce8c0e5ep-4, -0x1.1973c5a611cccp-4, -0x1.252f438e10c1ep-5, 0x0p+0,
    0x1.aa5aa5df25984p-5,  0x1.c5e53aa362eb4p-4,  0x1.526e57720db08p-3,  0x1.bc2860d22477p-3,   0x1.1058bc8a07ee1p-2,
    0x1.4043057b6ee09p-2};

// log(x) for a float x in (0, 1), given as a double.
[[gnu::always_inline]] inline float log_below_one(double x) {
  constexpr std::uint64_t kFirst = 0x3fe6600000000000, kOne = 0x3ff0000000000000, kFraction = 0x000fffffffffffff;
  std::uint64_t moved = bits_of(x) + (kOne - kFirst), place = moved >> 48 & 15;
  // The biased exponent as the low bits of 2^52.
  double exponent = number_of(moved >> 52 | 0x4330000000000000) - (0x1p52 + 1023);
  double fraction = number_of((moved & kFraction) + kFirst);
  double r = madd(fraction, kLogInverses[place], -1.0), square = r * r;
  double high = madd(exponent, 0x1.62e42fefa39efp-1, kLogs[place]) + r;
  double low = madd(r, 0x1.5575b0be00b6ap-2, -0x1.ffffef20a4123p-2);
  return static_cast<float>(madd(madd(square, -0x1.00ea348b88334p-2, low), square, high));
}

struct SineCosine {
  double sine, cosine;
};
// For a float x in [0, 2 pi], given as a double; to be rounded to float.
[[gnu::always_inline]] inline SineCosine sine_and_cosine(double x) {
  double rounded = madd(x, 0x1.45f306dc9c883p-1, kRounder);
  double r = madd(rounded - kRounder, -0x1.921fb54442d18p+0, x), z = r * r, cube = r * z, square = z * z;
  double sine =
      madd(cube * z, madd(z, -0x1.994eb3774cf24p-13, 0x1.1107605230bc4p-7), madd(cube, -0x1.555545995a603p-3, r));
  double cosine = madd(square * z, madd(z, 0x1.99343027bf8c3p-16, -0x1.6c087e89a359dp-10),
                       madd(square, 0x1.55553e1068f19p-5, madd(z, -0x1.ffffffd0c621cp-2, 1.0)));
  std::uint64_t quarters = bits_of(rounded);
  bool odd = is_odd(rounded);
  return {number_of(bits_of(choose(odd, cosine, sine)) ^ (quarters & 2) << 62),
          number_of(bits_of(choose(odd, sine, cosine)) ^ ((quarters + 1) & 2) << 62)};
}

}  // namespace tracefn
