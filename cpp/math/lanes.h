// The vocabulary of elementwise functions: one source serves plain numbers, whose loops the compiler vectorizes, and
// recorded ones, which become vector code (jit/vector/lane.h). Plain arithmetic and comparisons, and these
// functions: nothing else, so no branches or casts. `T(1)` is a constant of any kind.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace tracefn {

// The number type that a V represents: float and double themselves.
template <typename V>
struct NumberOf {
  using type = V;
};
template <typename V, typename T>
concept LaneOf = std::is_same_v<typename NumberOf<V>::type, T>;
template <typename V>
using Number = typename NumberOf<V>::type;

template <typename T>
[[gnu::always_inline]] inline T choose(bool condition, T yes, T no) {
  return condition ? yes : no;
}
// The same where a side takes long: vector code skips one that no lane takes.
template <typename T>
[[gnu::always_inline]] inline T choose_needed(bool condition, T yes, T no) {
  return condition ? yes : no;
}

// fma: a b + c, rounded once if the instruction set can: all but x86-64-v2. Recorded numbers always are.
#if defined(__FMA__) || defined(__aarch64__)
inline constexpr bool kHasFusedMultiplyAdd = true;
#else
inline constexpr bool kHasFusedMultiplyAdd = false;
#endif
[[gnu::always_inline]] inline float madd(float a, float b, float c) {
  return kHasFusedMultiplyAdd ? __builtin_fmaf(a, b, c) : a * b + c;
}
[[gnu::always_inline]] inline double madd(double a, double b, double c) {
  return kHasFusedMultiplyAdd ? __builtin_fma(a, b, c) : a * b + c;
}

template <typename T>
concept Plain = std::is_floating_point_v<T>;

[[gnu::always_inline]] inline auto magnitude(Plain auto x) { return std::fabs(x); }
template <Plain T>
[[gnu::always_inline]] inline T with_sign(T x, std::type_identity_t<T> sign) {
  return std::copysign(x, sign);
}
[[gnu::always_inline]] inline bool is_nan(Plain auto x) { return std::isnan(x); }
[[gnu::always_inline]] inline auto square_root(Plain auto x) { return std::sqrt(x); }
[[gnu::always_inline]] inline auto round_down(Plain auto x) { return std::floor(x); }
[[gnu::always_inline]] inline auto round_up(Plain auto x) { return std::ceil(x); }
[[gnu::always_inline]] inline auto round_towards_zero(Plain auto x) { return std::trunc(x); }
[[gnu::always_inline]] inline auto round_to_even(Plain auto x) { return std::nearbyint(x); }

// Bits are unsigned integers of the same width; they add, shift and combine as such.
[[gnu::always_inline]] inline std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
[[gnu::always_inline]] inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
[[gnu::always_inline]] inline float number_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
[[gnu::always_inline]] inline double number_of(std::uint64_t bits) { return std::bit_cast<double>(bits); }
// By integers, which vectorize where std::signbit does not.
[[gnu::always_inline]] inline bool has_sign(float x) { return std::bit_cast<std::int32_t>(x) < 0; }
[[gnu::always_inline]] inline bool has_sign(double x) { return std::bit_cast<std::int64_t>(x) < 0; }
// 32 bits, read as a signed integer, as a number.
[[gnu::always_inline]] inline float signed_value(std::uint32_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits));
}

}  // namespace tracefn
