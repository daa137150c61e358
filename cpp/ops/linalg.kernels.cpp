// Decompositions of square matrices, by Eigen. Every matrix is copied into one layout first, so that each algorithm is
// compiled once per type.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <complex>

#include "ops/array.kernels.h"

namespace tracefn {
namespace {

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <typename T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename T>
Matrix<T> load(const void* a, std::int64_t rows, std::int64_t columns) {
  return Eigen::Map<const RowMajor<T>>(static_cast<const T*>(a), rows, columns);
}
template <typename T>
void store(const Matrix<T>& m, void* to) {
  Eigen::Map<RowMajor<T>>(static_cast<T*>(to), m.rows(), m.cols()) = m;
}

// A zero (not a NaN) on the diagonal.
template <typename T>
bool has_zero_pivot(const Matrix<T>& m) {
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    if (m(i, i) == T(0)) return true;
  return false;
}

template <typename T>
bool solve(const void* a, const void* b, void* x, std::int64_t n, std::int64_t k, bool adjoint) {
  Matrix<T> m = load<T>(a, n, n);
  if (adjoint) m.adjointInPlace();
  Eigen::PartialPivLU<Eigen::Ref<Matrix<T>>> lu(m);
  if (has_zero_pivot<T>(m)) return false;
  Matrix<T> right = load<T>(b, n, k);
  store<T>(lu.solve(right), x);
  return true;
}

template <typename T>
void triangular_solve(const void* a, const void* b, void* x, std::int64_t n, std::int64_t k, bool lower, bool adjoint) {
  Matrix<T> m = load<T>(a, n, n);
  if (adjoint) m.adjointInPlace();
  Matrix<T> right = load<T>(b, n, k);
  if (lower != adjoint) {
    m.template triangularView<Eigen::Lower>().solveInPlace(right);
  } else {
    m.template triangularView<Eigen::Upper>().solveInPlace(right);
  }
  store<T>(right, x);
}

template <typename T>
bool cholesky(const void* a, void* l, std::int64_t n) {
  Matrix<T> m = load<T>(a, n, n);
  Eigen::LLT<Eigen::Ref<Matrix<T>>> llt(m);
  if (llt.info() != Eigen::Success) return false;
  m.template triangularView<Eigen::StrictlyUpper>().setZero();
  store<T>(m, l);
  return true;
}

template <typename T>
void determinant(const void* a, void* det, std::int64_t n) {
  Matrix<T> m = load<T>(a, n, n);
  Eigen::PartialPivLU<Eigen::Ref<Matrix<T>>> lu(m);
  *static_cast<T*>(det) = lu.determinant();
}

template <typename T>
LinalgKernels kernels_of() {
  return {solve<T>, triangular_solve<T>, cholesky<T>, determinant<T>};
}

}  // namespace

void fill_linalg(ArrayKernels& kernels) {
  kernels.linalg[slot(DType::kFloat)] = kernels_of<float>();
  kernels.linalg[slot(DType::kDouble)] = kernels_of<double>();
  kernels.linalg[slot(DType::kComplex64)] = kernels_of<std::complex<float>>();
  kernels.linalg[slot(DType::kComplex128)] = kernels_of<std::complex<double>>();
}

}  // namespace tracefn
