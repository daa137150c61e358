// The parts that the vectorised functions share: polynomials, rounding to an integer that is also had as bits, and
// numbers taken apart. All of it is plain arithmetic without branches, calls or contraction, so that loops over it are
// vectorised and every instruction set gives the same bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tracefn {

// c0 + c1 x + c2 x^2 + ... by Horner's rule; coefficients lowest first.
template <typename T>
constexpr T horner(T, T c) {
  return c;
}
template <typename T, typename... Ts>
constexpr T horner(T x, T c, Ts... rest) {
  return horner(x, rest...) * x + c;
}

// The same as a polynomial in x^2 of pairs c0 + c1 x, which takes half as many steps one after the other: for long
// ones.
template <typename T>
constexpr T pairs(T, T, T c) {
  return c;
}
template <typename T>
constexpr T pairs(T x, T, T c, T d) {
  return d * x + c;
}
template <typename T, typename... Ts>
constexpr T pairs(T x, T square, T c, T d, Ts... rest) {
  return pairs(x, square, rest...) * square + (d * x + c);
}
template <typename T, typename... Ts>
constexpr T horner_by_pairs(T x, Ts... coefficients) {
  return pairs(x, x * x, coefficients...);
}

// Adding this rounds a double below 2^51 to an integer n, half to even; the low bits of the sum are those of n.
inline constexpr double kRounder = 0x1.8p52;
// The same with n + 1023 in the low bits, which shifted up make 2^n.
inline constexpr double kExponentRounder = 0x1.8p52 + 1023;
[[gnu::always_inline]] inline double power_of_two_from(double rounded) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(rounded) << 52);
}
// Both for float.
inline constexpr float kFloatExponentRounder = 0x1.8p23f + 127;
[[gnu::always_inline]] inline float power_of_two_from(float rounded) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) << 23);
}
// -x where the lowest bit of `rounded` is set.
[[gnu::always_inline]] inline double negate_if_odd(double x, double rounded) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ (std::bit_cast<std::uint64_t>(rounded) << 63));
}

// x = 2^exponent * fraction, fraction in [sqrt(1/2), sqrt(2)), for normal x > 0; any fraction in that range for others.
template <typename T>
struct Parts {
  T exponent, fraction;
};
[[gnu::always_inline]] inline Parts<double> parts_of(double x) {
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd, kOne = 0x3ff0000000000000, kFraction = 0x000fffffffffffff;
  std::uint64_t moved = std::bit_cast<std::uint64_t>(x) + (kOne - kRootHalf);
  // The biased exponent as the low bits of 2^52.
  double exponent = std::bit_cast<double>((moved >> 52) | 0x4330000000000000) - (0x1p52 + 1023);
  return {exponent, std::bit_cast<double>((moved & kFraction) + kRootHalf)};
}
[[gnu::always_inline]] inline Parts<float> parts_of(float x) {
  constexpr std::uint32_t kRootHalf = 0x3f3504f3, kOne = 0x3f800000, kFraction = 0x007fffff;
  std::uint32_t moved = std::bit_cast<std::uint32_t>(x) + (kOne - kRootHalf);
  auto exponent = static_cast<float>(static_cast<std::int32_t>(moved >> 23) - 127);
  return {exponent, std::bit_cast<float>((moved & kFraction) + kRootHalf)};
}

}  // namespace tracefn
