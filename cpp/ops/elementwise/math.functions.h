// Exponentials, logarithms and roots, the logistic function, and their gradients.
#pragma once

#include "math/number_arithmetic.h"
#include "math/vector_double.h"
#include "math/vector_math.h"
#include "ops/elementwise/function.h"

namespace tracefn::functions {

// Eigen's exponentials differ between instruction sets: its AVX-512 one for float neither overflows nor stays within 4
// ulps.
struct Exp : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return std::exp(x);
    } else {
      return vector_exp(x);
    }
  }
};
// Of a complex number a + bi without cancellation: expm1(a) cos b - 2 sin(b/2)^2 + i exp(a) sin b.
struct Expm1 : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      auto half = std::sin(x.imag() / 2);
      return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half, std::exp(x.real()) * std::sin(x.imag())};
    } else {
      return vector_expm1(x);
    }
  }
};
struct Sigmoid : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return quotient(T(1), T(1) + std::exp(-x));
    } else {
      return vector_sigmoid(x);
    }
  }
};
// Subnormal numbers are flushed to zero.
struct Log : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return std::log(x);
    } else {
      using Limits = std::numeric_limits<Number<T>>;
      T value = choose(x <= Limits::max(), vector_log(x), x);  // propagates NaN
      T edge = choose(x <= -Limits::min(), T(Limits::quiet_NaN()), T(-Limits::infinity()));
      return choose(x < Limits::min(), edge, value);
    }
  }
};
struct Log1p : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      auto re = x.real(), im = x.imag();
      // TensorFlow multiplies the logarithm by x / ((1 + x) - 1), which leaves no angle at the pole.
      if (re == -1 && im == 0)
        return {-std::numeric_limits<decltype(re)>::infinity(), std::numeric_limits<decltype(re)>::quiet_NaN()};
      if (std::abs(re) > 0.5 || std::abs(im) > 0.5) return std::log(T(1) + x);
      return {std::log1p(re * (2 + re) + im * im) / 2, std::atan2(im, 1 + re)};
    } else {
      using Limits = std::numeric_limits<Number<T>>;
      T value = choose(x <= Limits::max(), vector_log1p(x), x);
      T edge = choose(x == T(-1), T(-Limits::infinity()), T(Limits::quiet_NaN()));
      return choose(x > T(-1), value, edge);
    }
  }
};
struct Sqrt : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return std::sqrt(x);
    } else {
      return square_root(x);
    }
  }
};
struct Rsqrt : Unary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return quotient(T(1), Sqrt::of(x));
  }
};

// SigmoidGrad and TanhGrad use y as it is, the others its conjugate, as in TensorFlow; those of the roots are zero
// where dy is, whatever y is (a root that tf.where masks out).
struct SigmoidGrad : Binary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T y, T dy) {
    return product(dy, product(y, T(1) - y));
  }
};
struct TanhGrad : Binary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T y, T dy) {
    return product(dy, T(1) - product(y, y));
  }
};
struct SqrtGrad : Binary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T y, T dy) {
    using Part = typename PartOf<T>::type;
    return choose(dy == T(0), T(0), quotient(dy * Part(0.5), conjugate(y)));
  }
};
struct RsqrtGrad : Binary<kReals | kComplexes> {
  template <typename T>
  [[gnu::always_inline]] static T of(T y, T dy) {
    using Part = typename PartOf<T>::type;
    T root = conjugate(y);
    return choose(dy == T(0), T(0), product(dy * Part(-0.5), product(root, product(root, root))));
  }
};

using MathFunctions =
    Functions<Exp, Expm1, Sigmoid, Log, Log1p, Sqrt, Rsqrt, SigmoidGrad, TanhGrad, SqrtGrad, RsqrtGrad>;

}  // namespace tracefn::functions
