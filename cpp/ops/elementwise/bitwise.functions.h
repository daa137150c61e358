// Bitwise operations on integers, and logic on booleans and recorded conditions.
#pragma once

#include <bit>
#include <cstdint>

#include "math/number_arithmetic.h"
#include "ops/elementwise/function.h"

namespace tracefn::functions {

struct BitwiseAnd : Binary<kIntegers> {
  static constexpr bool kSignless = true;
  template <typename T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitwiseOr : Binary<kIntegers> {
  static constexpr bool kSignless = true;
  template <typename T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitwiseXor : Binary<kIntegers> {
  static constexpr bool kSignless = true;
  template <typename T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Invert : Unary<kIntegers> {
  static constexpr bool kSignless = true;
  template <typename T>
  static T of(T x) {
    return static_cast<T>(~x);
  }
};
struct PopulationCount : Unary<kIntegers, BlockResult::kUInt8> {
  static constexpr bool kSignless = true;
  template <typename T>
  static std::uint8_t of(T x) {
    return static_cast<std::uint8_t>(std::popcount(x));
  }
};

// A negative shift counts as zero, one past the width as the width less one, as in TensorFlow.
template <typename T>
T clamped_shift(T by) {
  constexpr T kMost = static_cast<T>(sizeof(T) * 8 - 1);
  return by < T(0) ? T(0) : by > kMost ? kMost : by;
}
struct LeftShift : Binary<kIntegers> {
  template <typename T>
  static T of(T x, T by) {
    return static_cast<T>(wrapping(x) << clamped_shift(by));
  }
};
struct RightShift : Binary<kIntegers> {
  template <typename T>
  static T of(T x, T by) {
    return static_cast<T>(x >> clamped_shift(by));
  }
};

// Each has a form for bytes that are 0 or 1, for compilers do not vectorize loops of bool.
struct LogicalAnd : Binary<kBoolean> {
  static std::uint8_t of_bytes(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a & b); }
  template <typename T>
  static T of(T a, T b) {
    return a && b;
  }
};
struct LogicalOr : Binary<kBoolean> {
  static std::uint8_t of_bytes(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a | b); }
  template <typename T>
  static T of(T a, T b) {
    return a || b;
  }
};
struct LogicalNot : Unary<kBoolean> {
  static std::uint8_t of_bytes(std::uint8_t x) { return static_cast<std::uint8_t>(x ^ 1); }
  template <typename T>
  static T of(T x) {
    return !x;
  }
};

using BitwiseFunctions = Functions<BitwiseAnd, BitwiseOr, BitwiseXor, Invert, PopulationCount, LeftShift, RightShift,
                                   LogicalAnd, LogicalOr, LogicalNot>;

}  // namespace tracefn::functions
