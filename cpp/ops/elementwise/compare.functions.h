// Comparisons. Greater and GreaterEqual are Less and LessEqual with the operands swapped.
#pragma once

#include "math/lanes.h"

namespace tracefn::functions {

struct Equal {
  template <typename T>
  static auto of(T a, T b) {
    return a == b;
  }
};
struct NotEqual {
  template <typename T>
  static auto of(T a, T b) {
    return a != b;
  }
};
struct Less {
  template <typename T>
  static auto of(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <typename T>
  static auto of(T a, T b) {
    return a <= b;
  }
};

}  // namespace tracefn::functions
