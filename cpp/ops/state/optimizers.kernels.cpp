// The update rules, in the formulas of TensorFlow's training ops.
#include "ops/state/optimizers.kernels.h"

#include <algorithm>

#include "math/lanes.h"
#include "math/vector_double.h"
#include "math/vector_math.h"
#include "ops/elementwise/half.kernels.h"

namespace tracefn {
namespace {

// A rule has kStates variables and kNumbers scalars; prepare() computes once from the scalars what of() needs for each
// element.
// What a rule keeps of an element: of the variable, and of those beside it. By value: compilers vectorize no loop whose
// local numbers have addresses.
template <typename T>
struct States {
  T x, a, b, d;
};

struct Plain {
  template <typename T>
  static void prepare(T*) {}
};

template <typename T>
[[gnu::always_inline]] inline T sign(T x) {
  return x > T(0) ? T(1) : x < T(0) ? T(-1) : x;
}

// lr, momentum, nesterov
struct Momentum : Plain {
  static constexpr int kStates = 2, kNumbers = 3;
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s.a = s.a * c[1] + g;
    s.x -= c[2] != T(0) ? g * c[0] + s.a * c[1] * c[0] : s.a * c[0];
    return s;
  }
};
struct KerasMomentum : Plain {
  static constexpr int kStates = 2, kNumbers = 3;
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s.a = s.a * c[1] - g * c[0];
    s.x += c[2] != T(0) ? s.a * c[1] - g * c[0] : s.a;
    return s;
  }
};

// beta1_power, beta2_power, lr, beta1, beta2, epsilon, nesterov
struct Adam {
  static constexpr int kStates = 3, kNumbers = 7;
  template <typename T>
  static void prepare(T* c) {
    c[2] = c[2] * square_root(T(1) - c[1]) / (T(1) - c[0]);
  }
  template <typename T>
  [[gnu::always_inline]] static States<T> moments(States<T> s, const T* c, T g) {
    s.a += (g - s.a) * (T(1) - c[3]);
    s.b += (g * g - s.b) * (T(1) - c[4]);
    return s;
  }
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s = moments(s, c, g);
    const T slope = c[6] != T(0) ? g * (T(1) - c[3]) + c[3] * s.a : s.a;
    s.x -= slope * c[2] / (square_root(s.b) + c[5]);
    return s;
  }
};
struct AdamWithAmsgrad : Adam {
  static constexpr int kStates = 4, kNumbers = 6;
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s = moments(s, c, g);
    s.d = s.d < s.b ? s.b : s.d;
    s.x -= s.a * c[2] / (square_root(s.d) + c[5]);
    return s;
  }
};
// beta1_power, lr, beta1, beta2, epsilon
struct AdaMax {
  static constexpr int kStates = 3, kNumbers = 5;
  template <typename T>
  static void prepare(T* c) {
    c[1] = c[1] / (T(1) - c[0]);
  }
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s.a += (g - s.a) * (T(1) - c[2]);
    const T decayed = c[3] * s.b, size = magnitude(g);
    s.b = decayed < size ? size : decayed;
    s.x -= c[1] * (s.a / (s.b + c[4]));
    return s;
  }
};

// lr, update_slots
struct Adagrad : Plain {
  static constexpr int kStates = 2, kNumbers = 2;
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s.a = c[1] != T(0) ? s.a + g * g : s.a;
    s.x -= g * c[0] * (T(1) / square_root(s.a));
    return s;
  }
};
// lr, epsilon, update_slots
struct AdagradV2 : Plain {
  static constexpr int kStates = 2, kNumbers = 3;
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s.a = c[2] != T(0) ? s.a + g * g : s.a;
    s.x -= g * c[0] / (square_root(s.a) + c[1]);
    return s;
  }
};
// lr, rho, epsilon
struct Adadelta : Plain {
  static constexpr int kStates = 3, kNumbers = 3;
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s.a = s.a * c[1] + g * g * (T(1) - c[1]);
    const T update = square_root(s.b + c[2]) * (T(1) / square_root(s.a + c[2])) * g;
    s.x -= update * c[0];
    s.b = s.b * c[1] + update * update * (T(1) - c[1]);
    return s;
  }
};
// lr, rho, momentum, epsilon
struct RMSProp : Plain {
  static constexpr int kStates = 3, kNumbers = 4;
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s.a += (g * g - s.a) * (T(1) - c[1]);
    s.b = s.b * c[2] + g * c[0] / square_root(s.a + c[3]);
    s.x -= s.b;
    return s;
  }
};
// The mean of the gradients comes first.
struct CenteredRMSProp : Plain {
  static constexpr int kStates = 4, kNumbers = 4;
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s.b += (g * g - s.b) * (T(1) - c[1]);
    s.a += (g - s.a) * (T(1) - c[1]);
    const T variance = s.b - s.a * s.a + c[3];
    s.d = s.d * c[2] + g * c[0] / square_root(variance);
    s.x -= s.d;
    return s;
  }
};

// lr, l1, l2, l2_shrinkage, lr_power, multiply_linear_by_lr
template <bool kRoot>
struct Ftrl {
  static constexpr int kStates = 3, kNumbers = 6;
  // Becomes the factor of gradients, l1 and 2 l2 times it, 2 l2_shrinkage, -lr_power, and the divisor of powers.
  template <typename T>
  static void prepare(T* c) {
    const T lr = c[0], factor = c[5] != T(0) ? lr : T(1), divisor = c[5] != T(0) ? T(1) : lr;
    c[0] = factor;
    c[1] *= factor;
    c[2] = T(2) * c[2] * factor;
    c[3] = T(2) * c[3];
    c[4] = -c[4];
    c[5] = divisor;
  }
  template <typename T>
  [[gnu::always_inline]] static T power(T x, T exponent) {
    if constexpr (kRoot) {
      return square_root(x);
    } else {
      return std::pow(x, exponent);
    }
  }
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    const T sum = s.a + g * g, now = power(sum, c[4]);
    const T linear = s.b + (g + c[3] * s.x) * c[0] - (now - power(s.a, c[4])) / c[5] * s.x;
    const T shrunk = (c[1] * sign(linear) - linear) / (now / c[5] + c[2]);
    s.x = magnitude(linear) > c[1] ? shrunk : T(0);
    s.a = sum;
    s.b = linear;
    return s;
  }
};

// lr, alpha or logbase, sign_decay, beta
struct AddSign : Plain {
  static constexpr int kStates = 2, kNumbers = 4;
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s.a = s.a * c[3] + g * (T(1) - c[3]);
    s.x -= c[0] * (c[1] + c[2] * (sign(g) * sign(s.a))) * g;
    return s;
  }
};
struct PowerSign : Plain {
  static constexpr int kStates = 2, kNumbers = 4;
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s.a = s.a * c[3] + g * (T(1) - c[3]);
    s.x -= c[0] * vector_exp(c[1] * c[2] * (sign(g) * sign(s.a))) * g;
    return s;
  }
};

template <typename T>
[[gnu::always_inline]] inline T proximal(T x, T rate, T l1, T l2) {
  const T size = magnitude(x) - rate * l1, left = size > T(0) ? size : T(0);
  return (l1 > T(0) ? sign(x) * left : x) / (T(1) + l2 * rate);
}
// alpha, l1, l2
struct ProximalGradientDescent : Plain {
  static constexpr int kStates = 1, kNumbers = 3;
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s.x = proximal(s.x - g * c[0], c[0], c[1], c[2]);
    return s;
  }
};
// lr, l1, l2
struct ProximalAdagrad : Plain {
  static constexpr int kStates = 2, kNumbers = 3;
  template <typename T>
  [[gnu::always_inline]] static States<T> of(States<T> s, const T* c, T g) {
    s.a += g * g;
    const T rate = c[0] * (T(1) / square_root(s.a));
    s.x = proximal(s.x - g * rate, rate, c[1], c[2]);
    return s;
  }
};

template <typename Rule, typename T>
[[gnu::always_inline]] inline void run(T* const* states, const T* numbers, const T* gradient, std::int64_t n) {
  constexpr int kStates = Rule::kStates;
  T c[Rule::kNumbers];
  std::copy_n(numbers, Rule::kNumbers, c);
  T *x = states[0], *a = states[kStates > 1 ? 1 : 0], *b = states[kStates > 2 ? 2 : 0],
    *d = states[kStates > 3 ? 3 : 0];
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    const States<T> s = Rule::of(States<T>{x[i], a[i], b[i], d[i]}, c, gradient[i]);
    x[i] = s.x;
    if constexpr (kStates > 1) a[i] = s.a;
    if constexpr (kStates > 2) b[i] = s.b;
    if constexpr (kStates > 3) d[i] = s.d;
  }
}

template <typename Rule, typename T>
void step(void* const* states, const void* numbers, const void* gradient, std::int64_t n) {
  T c[Rule::kNumbers];
  std::copy_n(static_cast<const T*>(numbers), Rule::kNumbers, c);
  Rule::prepare(c);
  T* s[Rule::kStates];
  for (int k = 0; k < Rule::kStates; ++k) s[k] = static_cast<T*>(states[k]);
  run<Rule>(s, c, static_cast<const T*>(gradient), n);
}

// 16-bit numbers are computed as floats, and rounded once.
template <typename Rule, typename H>
void step_widened(void* const* states, const void* numbers, const void* gradient, std::int64_t n) {
  constexpr std::int64_t kChunk = 256;
  float c[Rule::kNumbers], wide[Rule::kStates][kChunk], g[kChunk];
  std::copy_n(static_cast<const float*>(numbers), Rule::kNumbers, c);
  Rule::prepare(c);
  float* s[Rule::kStates];
  for (int k = 0; k < Rule::kStates; ++k) s[k] = wide[k];
  for (std::int64_t i = 0; i < n; i += kChunk) {
    const std::int64_t m = std::min(kChunk, n - i);
    for (int k = 0; k < Rule::kStates; ++k) widen(static_cast<const H*>(states[k]) + i, wide[k], m);
    widen(static_cast<const H*>(gradient) + i, g, m);
    run<Rule>(s, c, g, m);
    for (int k = 0; k < Rule::kStates; ++k) narrow(wide[k], static_cast<H*>(states[k]) + i, m);
  }
}

template <typename Rule>
void fill(OptimizerKernels& kernels, Optimizer optimizer) {
  static_assert(Rule::kStates <= kMostStates && Rule::kNumbers <= kMostNumbers);
  kernels.step[optimizer][slot(DType::kFloat)] = step<Rule, float>;
  kernels.step[optimizer][slot(DType::kDouble)] = step<Rule, double>;
  kernels.step[optimizer][slot(DType::kHalf)] = step_widened<Rule, Eigen::half>;
  kernels.step[optimizer][slot(DType::kBFloat16)] = step_widened<Rule, Eigen::bfloat16>;
}

}  // namespace

void fill_optimizers(OptimizerKernels& kernels) {
  fill<Momentum>(kernels, kMomentum);
  fill<KerasMomentum>(kernels, kKerasMomentum);
  fill<Adam>(kernels, kAdam);
  fill<AdamWithAmsgrad>(kernels, kAdamWithAmsgrad);
  fill<AdaMax>(kernels, kAdaMax);
  fill<Adagrad>(kernels, kAdagrad);
  fill<AdagradV2>(kernels, kAdagradV2);
  fill<Adadelta>(kernels, kAdadelta);
  fill<RMSProp>(kernels, kRMSProp);
  fill<CenteredRMSProp>(kernels, kCenteredRMSProp);
  fill<Ftrl<true>>(kernels, kFtrl);
  fill<Ftrl<false>>(kernels, kFtrlByPower);
  fill<AddSign>(kernels, kAddSign);
  fill<PowerSign>(kernels, kPowerSign);
  fill<ProximalGradientDescent>(kernels, kProximalGradientDescent);
  fill<ProximalAdagrad>(kernels, kProximalAdagrad);
}

}  // namespace tracefn
