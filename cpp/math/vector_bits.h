// Shared by the vectorized functions: polynomials, rounding to an integer that is also available as bits, and
// decomposition of numbers. Like all vector_*.h, written for plain numbers and recorded ones (lanes.h), without
// branches or calls, so that loops over it vectorize. Every fma is explicit (madd): all instruction sets that have it
// give the same bits, x86-64-v2 others of the same accuracy.
#pragma once

#include <cstdint>
#include <limits>

#include "math/lanes.h"

namespace tracefn {

// c0 + c1 x + c2 x^2 + ... by Horner's rule; coefficients lowest first.
template <typename T>
[[gnu::always_inline]] inline T horner(T, Number<T> c) {
  return T(c);
}
template <typename T, typename... Cs>
[[gnu::always_inline]] inline T horner(T x, Number<T> c, Cs... rest) {
  return madd(horner(x, rest...), x, T(c));
}

// The same as a polynomial in x^2 of pairs c0 + c1 x, with half the dependency chain: for long ones.
template <typename T>
[[gnu::always_inline]] inline T pairs(T, T, Number<T> c) {
  return T(c);
}
template <typename T>
[[gnu::always_inline]] inline T pairs(T x, T, Number<T> c, Number<T> d) {
  return madd(T(d), x, T(c));
}
template <typename T, typename... Cs>
[[gnu::always_inline]] inline T pairs(T x, T square, Number<T> c, Number<T> d, Cs... rest) {
  return madd(pairs(x, square, rest...), square, madd(T(d), x, T(c)));
}
template <typename T, typename... Cs>
[[gnu::always_inline]] inline T horner_by_pairs(T x, Cs... coefficients) {
  return pairs(x, x * x, coefficients...);
}

// Both propagate NaN.
template <typename T>
[[gnu::always_inline]] inline T at_least(T x, Number<T> least) {
  return choose(x < least, T(least), x);
}
template <typename T>
[[gnu::always_inline]] inline T at_most(T x, Number<T> most) {
  return choose(x > most, T(most), x);
}

// Adding this rounds a double below 2^51 to an integer n, half to even; the low bits of the sum are those of n.
inline constexpr double kRounder = 0x1.8p52;
inline constexpr float kFloatRounder = 0x1.8p23f;  // for float, below 2^22
// The same with n + 1023 in the low bits, which shifted left give 2^n.
inline constexpr double kExponentRounder = 0x1.8p52 + 1023;
template <LaneOf<double> T>
[[gnu::always_inline]] inline T power_of_two_from(T rounded) {
  return number_of(bits_of(rounded) << 52);
}
// fraction * 2^n, if that is a normal number; the low bits of `rounded` are n.
template <LaneOf<double> T>
[[gnu::always_inline]] inline T with_exponent(T fraction, T rounded) {
  return number_of(bits_of(fraction) + (bits_of(rounded) << 52));
}
// The same for float.
inline constexpr float kFloatExponentRounder = 0x1.8p23f + 127;
template <LaneOf<float> T>
[[gnu::always_inline]] inline T power_of_two_from(T rounded) {
  return number_of(bits_of(rounded) << 23);
}
template <LaneOf<float> T>
[[gnu::always_inline]] inline T with_exponent(T fraction, T rounded) {
  return number_of(bits_of(fraction) + (bits_of(rounded) << 23));
}
// The lowest bit of `rounded` as a sign bit.
template <typename T>
[[gnu::always_inline]] inline auto lowest_as_sign(T rounded) {
  return bits_of(rounded) << (8 * sizeof(Number<T>) - 1);
}
template <typename T>
[[gnu::always_inline]] inline auto is_odd(T rounded) {
  return has_sign(number_of(lowest_as_sign(rounded)));
}
template <typename T>
[[gnu::always_inline]] inline T negate_if_odd(T x, T rounded) {
  return number_of(bits_of(x) ^ lowest_as_sign(rounded));
}

// x = 2^exponent * fraction, fraction in [sqrt(1/2), sqrt(2)), for normal x > 0; any fraction in that range for others.
template <typename T>
struct Parts {
  T exponent, fraction;
};
template <LaneOf<double> T>
[[gnu::always_inline]] inline Parts<T> parts_of(T x) {
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd, kOne = 0x3ff0000000000000, kFraction = 0x000fffffffffffff;
  auto moved = bits_of(x) + (kOne - kRootHalf);
  // The biased exponent as the low bits of 2^52.
  T exponent = number_of((moved >> 52) | 0x4330000000000000) - (0x1p52 + 1023);
  return {exponent, number_of((moved & kFraction) + kRootHalf)};
}
template <LaneOf<float> T>
[[gnu::always_inline]] inline Parts<T> parts_of(T x) {
  constexpr std::uint32_t kRootHalf = 0x3f3504f3, kOne = 0x3f800000, kFraction = 0x007fffff;
  auto moved = bits_of(x) + (kOne - kRootHalf);
  return {signed_value((moved >> 23) - 127u), number_of((moved & kFraction) + kRootHalf)};
}

}  // namespace tracefn
