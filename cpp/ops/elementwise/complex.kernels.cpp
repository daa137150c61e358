// Kernels between complex numbers and their parts.
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {
namespace {

struct Real {
  template <typename T>
  static T of(std::complex<T> x) {
    return x.real();
  }
};
struct Imag {
  template <typename T>
  static T of(std::complex<T> x) {
    return x.imag();
  }
};
struct Angle {
  template <typename T>
  static T of(std::complex<T> x) {
    return std::arg(x);
  }
};
struct ComplexAbs {
  template <typename T>
  static T of(std::complex<T> x) {
    return std::abs(x);
  }
};
struct Conj {
  template <typename T>
  static T of(T x) {
    return std::conj(x);
  }
};
struct Complex {
  template <typename T>
  static std::complex<T> of(T re, T im) {
    return {re, im};
  }
};

template <typename F>
void fill_parts(UnaryRow& row) {
  row[slot(DType::kComplex64)] = unary_loop<F, Complex64, float>;
  row[slot(DType::kComplex128)] = unary_loop<F, Complex128, double>;
}

}  // namespace

void fill_complex(ElementwiseKernels& kernels) {
  fill_parts<Real>(kernels.unary[kReal]);
  fill_parts<Imag>(kernels.unary[kImag]);
  fill_parts<Angle>(kernels.unary[kAngle]);
  fill_parts<ComplexAbs>(kernels.unary[kComplexAbs]);
  fill_loops<Conj>(kernels.unary[kConj], Complexes{});
  kernels.binary[kComplex][slot(DType::kFloat)] = binary_loop<Complex, float, Complex64>;
  kernels.binary[kComplex][slot(DType::kDouble)] = binary_loop<Complex, double, Complex128>;
}

}  // namespace tracefn
