// Powers, products with logarithms, and atan2. Inlined in each loop, or they would not vectorize.
#pragma once

#include "math/vector_double_power.h"
#include "math/vector_double_trigonometry.h"
#include "math/vector_power.h"
#include "math/vector_trigonometry.h"
#include "ops/elementwise/math.functions.h"

namespace tracefn::functions {

struct Atan2 {
  template <typename T>
  [[gnu::always_inline]] static T of(T y, T x) {
    return vector_atan2(y, x);
  }
};
struct Pow {
  template <typename T>
  [[gnu::always_inline]] static T of(T x, T y) {
    return vector_pow(x, y);
  }
};
struct Xlogy {
  template <typename T>
  [[gnu::always_inline]] static T of(T x, T y) {
    return choose(x == T(0), T(0), x * Log::of(y));
  }
};
struct Xlog1py {
  template <typename T>
  [[gnu::always_inline]] static T of(T x, T y) {
    return choose(x == T(0), T(0), x * Log1p::of(y));
  }
};

}  // namespace tracefn::functions
