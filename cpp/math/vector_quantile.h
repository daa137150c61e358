// The quantile function of the normal distribution for results of float, vectorized, within 2 ulps.
#pragma once

#include "math/vector_double.h"

namespace tracefn {

// Of p, given q = p - 1/2 and the smaller of p and 1 - p, which is positive. Rational approximations of Wichura,
// algorithm AS 241, PPND7 (Applied Statistics 37, 1988), good to 1e-7.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T short_normal_quantile(T q, T tail) {
  T center = madd(-q, q, T(0.180625));
  T root = square_root(-vector_log(tail)), near = root - 1.6, far = root - 5.0;
  T above = q * horner(center, 3.3871327179, 50.434271938, 159.29113202, 59.109374720);
  T below = horner(center, 1.0, 17.895169469, 78.757757664, 67.187563600);
  T tail_above = choose(root <= 5.0, horner(near, 1.4234372777, 2.7568153900, 1.3067284816, 0.17023821103),
                        horner(far, 6.6579051150, 3.0812263860, 0.42868294337, 0.017337203997));
  T tail_below = choose(root <= 5.0, horner(near, 1.0, 0.73700164250, 0.12021132975),
                        horner(far, 1.0, 0.24197894225, 0.012258202635));
  const auto central = magnitude(q) <= 0.425;
  T value = choose(central, above, tail_above) / choose(central, below, tail_below);
  return choose(central, value, with_sign(value, q));
}

}  // namespace tracefn
