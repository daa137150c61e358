// Functions between complex numbers and their parts.
#pragma once

#include <complex>

#include "ops/elementwise/function.h"

namespace tracefn::functions {

struct Real : Unary<kComplexes, BlockResult::kReal> {
  template <typename T>
  static T of(std::complex<T> x) {
    return x.real();
  }
};
struct Imag : Unary<kComplexes, BlockResult::kReal> {
  template <typename T>
  static T of(std::complex<T> x) {
    return x.imag();
  }
};
struct Angle : Unary<kComplexes, BlockResult::kReal> {
  template <typename T>
  static T of(std::complex<T> x) {
    return std::arg(x);
  }
};
struct ComplexAbs : Unary<kComplexes, BlockResult::kReal> {
  template <typename T>
  static T of(std::complex<T> x) {
    return std::abs(x);
  }
};
struct Conj : Unary<kComplexes> {
  template <typename T>
  static T of(T x) {
    return std::conj(x);
  }
};
struct Complex : Binary<kFloatAndDouble, BlockResult::kComplex> {
  static constexpr DTypes kRecorded = kNone;
  template <typename T>
  static std::complex<T> of(T re, T im) {
    return {re, im};
  }
};

using ComplexFunctions = Functions<Real, Imag, Angle, ComplexAbs, Conj, Complex>;

}  // namespace tracefn::functions
