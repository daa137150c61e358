// The activation functions of neural networks and their gradients.
#pragma once

#include "math/number_arithmetic.h"
#include "math/vector_double.h"
#include "math/vector_math.h"
#include "ops/elementwise/function.h"

namespace tracefn::functions {

// Klambauer et al., Self-Normalizing Neural Networks (2017): the scale, and scale times alpha.
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;

struct Relu : Unary<kReals | kIntegers> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return choose(x < T(0), T(0), x);  // propagates NaN
  }
};
struct Relu6 : Unary<kReals | kIntegers> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    T low = choose(x < T(0), T(0), x);
    return choose(low > T(6), T(6), low);
  }
};
struct Elu : Unary<kReals> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return choose_needed(x < T(0), vector_expm1(x), x);
  }
};
struct Selu : Unary<kReals> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return choose_needed(x < T(0), vector_expm1(x) * T(kSeluScaleAlpha), x * T(kSeluScale));
  }
};
// max(x, 0) + log1p(exp(-|x|)), which neither overflows nor loses small results.
struct Softplus : Unary<kReals> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    T positive = choose(x < T(0), T(0), x);  // propagates NaN
    return positive + vector_log1p_unit(exp_below_zero(-magnitude(x)));
  }
};
struct Softsign : Unary<kReals> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return x / (T(1) + magnitude(x));
  }
};
struct LeakyRelu : Binary<kReals> {
  static constexpr bool kIsOp = false;
  template <typename T>
  [[gnu::always_inline]] static T of(T x, T alpha) {
    return choose(x > T(0), x, x * alpha);
  }
};

// The gradient times 1 or 0, which keeps NaN and makes it of infinity, as in TensorFlow.
struct ReluGrad : Binary<kReals | kIntegers> {
  template <typename T>
  [[gnu::always_inline]] static T of(T gradient, T feature) {
    return gradient * choose(feature > T(0), T(1), T(0));
  }
};
struct Relu6Grad : Binary<kReals | kIntegers> {
  template <typename T>
  [[gnu::always_inline]] static T of(T gradient, T feature) {
    return gradient * choose(feature > T(0) && feature < T(6), T(1), T(0));
  }
};
struct EluGrad : Binary<kReals> {
  template <typename T>
  [[gnu::always_inline]] static T of(T gradient, T output) {
    return choose(output < T(0), gradient * (output + T(1)), gradient);
  }
};
struct SeluGrad : Binary<kReals> {
  template <typename T>
  [[gnu::always_inline]] static T of(T gradient, T output) {
    return gradient * choose(output < T(0), output + T(kSeluScaleAlpha), T(kSeluScale));
  }
};
struct SoftplusGrad : Binary<kReals> {
  template <typename T>
  [[gnu::always_inline]] static T of(T gradient, T feature) {
    return gradient / (vector_exp(-feature) + T(1));
  }
};
struct SoftsignGrad : Binary<kReals> {
  template <typename T>
  [[gnu::always_inline]] static T of(T gradient, T feature) {
    T d = T(1) + magnitude(feature);
    return gradient / (d * d);
  }
};
struct LeakyReluGrad : Ternary<kReals> {
  static constexpr bool kIsOp = false;
  template <typename T>
  [[gnu::always_inline]] static T of(T gradient, T feature, T alpha) {
    return choose(feature > T(0), gradient, gradient * alpha);
  }
};

using ActivationFunctions = Functions<Relu, Relu6, Elu, Selu, Softplus, Softsign, LeakyRelu, ReluGrad, Relu6Grad,
                                      EluGrad, SeluGrad, SoftplusGrad, SoftsignGrad, LeakyReluGrad>;

}  // namespace tracefn::functions
