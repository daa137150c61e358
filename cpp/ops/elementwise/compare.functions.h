// Comparisons.
#pragma once

#include "math/lanes.h"
#include "ops/elementwise/function.h"

namespace tracefn::functions {

struct Equal : Binary<kReals | kComplexes | kIntegers | kBoolean, BlockResult::kBool> {
  static constexpr bool kSignless = true;
  template <typename T>
  static auto of(T a, T b) {
    return a == b;
  }
};
struct NotEqual : Binary<kReals | kComplexes | kIntegers | kBoolean, BlockResult::kBool> {
  static constexpr bool kSignless = true;
  template <typename T>
  static auto of(T a, T b) {
    return a != b;
  }
};
struct Less : Binary<kReals | kIntegers, BlockResult::kBool> {
  template <typename T>
  static auto of(T a, T b) {
    return a < b;
  }
};
struct LessEqual : Binary<kReals | kIntegers, BlockResult::kBool> {
  template <typename T>
  static auto of(T a, T b) {
    return a <= b;
  }
};
// These have the kernels of Less and LessEqual.
struct Greater : Binary<kReals | kIntegers, BlockResult::kBool> {
  static constexpr DTypes kLoops = kNone;
  template <typename T>
  static auto of(T a, T b) {
    return b < a;
  }
};
struct GreaterEqual : Binary<kReals | kIntegers, BlockResult::kBool> {
  static constexpr DTypes kLoops = kNone;
  template <typename T>
  static auto of(T a, T b) {
    return b <= a;
  }
};

using CompareFunctions = Functions<Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual>;

}  // namespace tracefn::functions
