// Circular and hyperbolic functions and their inverses. Where a function has `fits`, `beyond` handles the arguments
// that do not fit.
#pragma once

#include <cmath>

#include "math/vector_double.h"
#include "math/vector_double_trigonometry.h"
#include "math/vector_math.h"
#include "math/vector_trigonometry.h"

namespace tracefn::functions {

struct Sin {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_sin(x);
  }
  template <typename T>
  static auto fits(T x) {
    return is_reduced(x);
  }
  template <typename T>
  static T beyond(T x) {
    return std::sin(x);
  }
};
struct Cos {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_cos(x);
  }
  template <typename T>
  static auto fits(T x) {
    return is_reduced(x);
  }
  template <typename T>
  static T beyond(T x) {
    return std::cos(x);
  }
};
struct Tan {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_tan(x);
  }
  template <typename T>
  static auto fits(T x) {
    return is_reduced(x);
  }
  template <typename T>
  static T beyond(T x) {
    return std::tan(x);
  }
};
struct Asin {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_asin(x);
  }
};
struct Acos {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_acos(x);
  }
};
struct Atan {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_atan(x);
  }
};
struct Sinh {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_sinh(x);
  }
};
struct Cosh {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_cosh(x);
  }
};
struct Tanh {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_tanh(x);
  }
};

}  // namespace tracefn::functions
