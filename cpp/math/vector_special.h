// The error function of float and its complement, vectorized, within 2 ulps. The polynomials are our own Remez fits
// over the given ranges.
#pragma once

#include "math/vector_double.h"

namespace tracefn {

// 2^f for |f| <= 1/2.
template <LaneOf<float> T>
[[gnu::always_inline]] inline T exp2_of_fraction(T f) {
  return horner_by_pairs(f, 1.0f, 0.6931472421f, 0.2402265519f, 0.05550272763f, 9.617060423e-3f, 1.34177506e-3f,
                         1.58271534e-4f);
}
template <LaneOf<double> T>
[[gnu::always_inline]] inline T exp2_of_fraction(T f) {
  return horner_by_pairs(f, 1.0000000005542389, 0.6931472057381775, 0.24022646890161917, 0.05550328759856173,
                         0.009618488425149082, 0.0013399933028759334, 0.0001534599994714536);
}

// Near zero x times a polynomial in x^2, further out 1 - 2^p with p a polynomial for log2(erfc(|x|)).
template <LaneOf<float> T>
[[gnu::always_inline]] inline T vector_erf(T x) {
  T size = magnitude(x), z = x * x;
  // Scaled, so that the smaller part of a small result is not flushed.
  T large = size * 0x1p24f;
  T near = madd(large,
                horner_by_pairs(z, 0.1283791661f, -0.3761262894f, 0.1128362566f, -0.02685572952f, 5.192392506e-3f,
                                -8.049514727e-4f, 7.995048509e-5f),
                large) *
           0x1p-24f;
  T bounded = at_most(size, 3.95f);  // propagates NaN
  T p = horner_by_pairs(bounded, -2.823690011e-4f, -1.626891732f, -0.9192602038f, -0.1499411017f, 0.03206640854f,
                        -4.390362184e-3f, 2.826692944e-4f);
  T rounded = p + kFloatExponentRounder;
  T far = madd(-exp2_of_fraction(p - (rounded - kFloatExponentRounder)), power_of_two_from(rounded), T(1.0f));
  return with_sign(choose(size > 0.92f, far, near), x);
}

// Near zero x times a polynomial in x^2, further out 1 - exp(-x^2) times a polynomial in 1 / (|x| + 3/2).
template <LaneOf<double> T>
[[gnu::always_inline]] inline T vector_erf(T x) {
  T size = magnitude(x), z = x * x;
  T large = size * 0x1p100;  // so that the smaller part of a small result is not flushed
  T near = madd(large,
                horner_by_pairs(z, 0.12837916709551256, -0.37612638903183343, 0.11283791670936948,
                                -0.026866170641958096, 0.005223977596721496, -0.0008548325483992834,
                                0.00012055280456073197, -1.4924464647053809e-05, 1.6444135543911633e-06,
                                -1.618385420467398e-07, 1.3616011066463953e-08, -7.606349525243763e-10),
                large) *
           0x1p-100;
  T bounded = at_most(size, 6.0);  // propagates NaN
  T gauss = exp_between(bounded * -bounded);
  T t = 1.0 / (bounded + 1.5);
  T far = madd(
      -gauss,
      horner_by_pairs(t, 4.268345219206511e-06, 0.5639796060762509, 0.8510147251440937, 0.9227650515646343,
                      1.2292856676874544, -4.413953209358969, 16.327203622167367, -64.69742288100957, 154.7059868500168,
                      -224.79308419555446, 201.48845723866108, -104.18000360017984, 24.04559645460192),
      T(1.0));
  return with_sign(choose(size > 1.0, far, near), x);
}

// exp(-x^2) times a polynomial in 1 / (|x| + 5/2), in double.
[[gnu::always_inline]] inline float vector_erfc(float x) {
  double size = std::fabs(x);
  size = at_most(size, 11.0);  // zero, and NaN stays
  double p = size * size * -1.4426950408889634;
  double rounded = p + kExponentRounder;
  double gauss = exp2_of_fraction(p - (rounded - kExponentRounder)) * power_of_two_from(rounded);
  double t = 1.0 / (size + 2.5);
  double value = gauss * horner_by_pairs(t, -8.62416864033569e-06, 0.5647724734410599, 1.3931147644932729,
                                         3.5443506845265143, 3.3556766722184967, 36.95909432015485, -111.79712288009365,
                                         448.8241444033523, -958.7025959610442, 951.3010156212595, -367.34200716312364);
  return static_cast<float>(choose(x < 0.0f, 2.0 - value, value));
}

}  // namespace tracefn
