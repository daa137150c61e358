// Exponentials, logarithms and roots, the logistic function, and their gradients.
#pragma once

#include "math/number_arithmetic.h"
#include "math/vector_double.h"
#include "math/vector_math.h"

namespace tracefn::functions {

// Eigen's exponentials differ between instruction sets: its AVX-512 one for float neither overflows nor stays within 4
// ulps.
struct Exp {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_exp(x);
  }
};
struct Expm1 {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_expm1(x);
  }
};
struct Sigmoid {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_sigmoid(x);
  }
};
// Subnormal numbers are flushed to zero.
struct Log {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    using Limits = std::numeric_limits<Number<T>>;
    T value = choose(x <= Limits::max(), vector_log(x), x);  // propagates NaN
    T edge = choose(x <= -Limits::min(), T(Limits::quiet_NaN()), T(-Limits::infinity()));
    return choose(x < Limits::min(), edge, value);
  }
};
struct Log1p {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    using Limits = std::numeric_limits<Number<T>>;
    T value = choose(x <= Limits::max(), vector_log1p(x), x);
    T edge = choose(x == T(-1), T(-Limits::infinity()), T(Limits::quiet_NaN()));
    return choose(x > T(-1), value, edge);
  }
};
struct Sqrt {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return std::sqrt(x);
    } else {
      return square_root(x);
    }
  }
};
struct Rsqrt {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return quotient(T(1), Sqrt::of(x));
  }
};

// SigmoidGrad and TanhGrad use y as it is, the others its conjugate, as in TensorFlow; those of the roots are zero
// where dy is, whatever y is (a root that tf.where masks out).
struct SigmoidGrad {
  template <typename T>
  [[gnu::always_inline]] static T of(T y, T dy) {
    return product(dy, product(y, T(1) - y));
  }
};
struct TanhGrad {
  template <typename T>
  [[gnu::always_inline]] static T of(T y, T dy) {
    return product(dy, T(1) - product(y, y));
  }
};
struct SqrtGrad {
  template <typename T>
  [[gnu::always_inline]] static T of(T y, T dy) {
    using Part = typename PartOf<T>::type;
    return choose(dy == T(0), T(0), quotient(dy * Part(0.5), conjugate(y)));
  }
};
struct RsqrtGrad {
  template <typename T>
  [[gnu::always_inline]] static T of(T y, T dy) {
    using Part = typename PartOf<T>::type;
    T root = conjugate(y);
    return choose(dy == T(0), T(0), product(dy * Part(-0.5), product(root, product(root, root))));
  }
};

}  // namespace tracefn::functions
