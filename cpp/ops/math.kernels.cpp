// Kernels of exponentials, logarithms and roots, the logistic function, and their gradients.
#include "ops/broad_vectors.kernels.h"
#include "ops/loops.kernels.h"
#include "ops/vector_double.h"
#include "ops/vector_math.h"

namespace tracefn {
namespace {

// Eigen's exponentials differ between instruction sets: its AVX-512 one of float neither overflows nor keeps 4 ulps.
struct Exp {
  template <typename T>
  static T of(T x) {
    return vector_exp(x);
  }
};
struct Expm1 {
  template <typename T>
  static T of(T x) {
    return vector_expm1(x);
  }
};
struct Sigmoid {
  template <typename T>
  static T of(T x) {
    return vector_sigmoid(x);
  }
};
struct Log {
  template <typename T>
  static T of(T x) {
    return vector_log(x);
  }
  template <typename T>
  static bool fits(T x) {
    return x >= std::numeric_limits<T>::min() && x <= std::numeric_limits<T>::max();
  }
  template <typename T>
  static T beyond(T x) {
    return std::log(std::fabs(x) < std::numeric_limits<T>::min() ? T(0) : x);  // subnormal numbers are zero
  }
};
struct Log1p {
  template <typename T>
  static T of(T x) {
    return vector_log1p(x);
  }
  template <typename T>
  static bool fits(T x) {
    return x > T(-1) && x <= std::numeric_limits<T>::max();
  }
  template <typename T>
  static T beyond(T x) {
    return std::log1p(x);
  }
};
struct Sqrt {
  template <typename T>
  static T of(T x) {
    return std::sqrt(x);
  }
};
struct Rsqrt {
  template <typename T>
  static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return quotient(T(1), std::sqrt(x));
    } else {
      return 1 / std::sqrt(x);
    }
  }
};

struct ComplexExp {
  template <typename T>
  static T of(T x) {
    return std::exp(x);
  }
};
// exp(a+bi) - 1 without cancellation: expm1(a) cos b - 2 sin(b/2)^2 + i exp(a) sin b.
struct ComplexExpm1 {
  template <typename T>
  static T of(T x) {
    auto half = std::sin(x.imag() / 2);
    return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half, std::exp(x.real()) * std::sin(x.imag())};
  }
};
struct ComplexLog {
  template <typename T>
  static T of(T x) {
    return std::log(x);
  }
};
struct ComplexLog1p {
  template <typename T>
  static T of(T x) {
    auto re = x.real(), im = x.imag();
    if (std::abs(re) > 0.5 || std::abs(im) > 0.5) return std::log(T(1) + x);
    return {std::log1p(re * (2 + re) + im * im) / 2, std::atan2(im, 1 + re)};
  }
};
struct ComplexSigmoid {
  template <typename T>
  static T of(T x) {
    return quotient(T(1), T(1) + std::exp(-x));
  }
};

// SigmoidGrad and TanhGrad take y as it is, the others conjugate it, as TensorFlow's do; those of the roots are zero
// where dy is, whatever y may be (a root that tf.where leaves out).
template <typename T>
T conjugate(T x) {
  if constexpr (is_complex_type<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}
struct SigmoidGrad {
  template <typename T>
  static T of(T y, T dy) {
    return product(dy, product(y, T(1) - y));
  }
};
struct TanhGrad {
  template <typename T>
  static T of(T y, T dy) {
    return product(dy, T(1) - product(y, y));
  }
};
struct SqrtGrad {
  template <typename T>
  static T of(T y, T dy) {
    using R = typename Eigen::NumTraits<T>::Real;
    return dy == T(0) ? T(0) : quotient(dy * R(0.5), conjugate(y));
  }
};
struct RsqrtGrad {
  template <typename T>
  static T of(T y, T dy) {
    using R = typename Eigen::NumTraits<T>::Real;
    y = conjugate(y);
    return dy == T(0) ? T(0) : product(dy * R(-0.5), product(y, product(y, y)));
  }
};

template <typename F>
void fill_with_complex(BinaryRow& row) {
  fill_loops<F>(row, Reals{});
  fill_loops<F>(row, Complexes{});
}

}  // namespace

void fill_math(ElementwiseKernels& kernels) {
  UnaryRow* unary = kernels.unary;
  fill_loops<Exp>(unary[kExp], Reals{});
  fill_loops<ComplexExp>(unary[kExp], Complexes{});
  fill_loops<Expm1>(unary[kExpm1], Reals{});
  fill_loops<ComplexExpm1>(unary[kExpm1], Complexes{});
  fill_guarded<Log>(unary[kLog], Reals{});
  fill_loops<ComplexLog>(unary[kLog], Complexes{});
  fill_guarded<Log1p>(unary[kLog1p], Reals{});
  fill_loops<ComplexLog1p>(unary[kLog1p], Complexes{});
  fill_loops<Sigmoid>(unary[kSigmoid], Reals{});
  fill_loops<ComplexSigmoid>(unary[kSigmoid], Complexes{});
  fill_loops<Sqrt>(unary[kSqrt], Reals{});
  fill_loops<Sqrt>(unary[kSqrt], Complexes{});
  fill_loops<Rsqrt>(unary[kRsqrt], Reals{});
  fill_loops<Rsqrt>(unary[kRsqrt], Complexes{});
  fill_with_complex<SigmoidGrad>(kernels.binary[kSigmoidGrad]);
  fill_with_complex<TanhGrad>(kernels.binary[kTanhGrad]);
  fill_with_complex<SqrtGrad>(kernels.binary[kSqrtGrad]);
  fill_with_complex<RsqrtGrad>(kernels.binary[kRsqrtGrad]);
}

}  // namespace tracefn
