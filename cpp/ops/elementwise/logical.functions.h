// Logic on booleans, and on recorded conditions.
#pragma once

#include "math/lanes.h"

namespace tracefn::functions {

struct LogicalAnd {
  template <typename T>
  static T of(T a, T b) {
    return a && b;
  }
};
struct LogicalOr {
  template <typename T>
  static T of(T a, T b) {
    return a || b;
  }
};
struct LogicalNot {
  template <typename T>
  static T of(T x) {
    return !x;
  }
};

}  // namespace tracefn::functions
