// Kernels of exponentials, logarithms and roots, the logistic function, and their gradients.
#include "ops/elementwise/broad_vectors.kernels.h"
#include "ops/elementwise/loops.kernels.h"
#include "ops/elementwise/math.functions.h"

namespace tracefn {

using namespace functions;

namespace {

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
  fill_loops<Log>(unary[kLog], Reals{});
  fill_loops<ComplexLog>(unary[kLog], Complexes{});
  fill_loops<Log1p>(unary[kLog1p], Reals{});
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
