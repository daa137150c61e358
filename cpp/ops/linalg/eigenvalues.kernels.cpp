// Eigenvalues and eigenvectors by Eigen.
#include <Eigen/Eigenvalues>
#include <type_traits>

#include "ops/linalg/decompositions.kernels.h"
#include "ops/linalg/matrix_blocks.kernels.h"

namespace tracefn {
namespace {

template <typename T>
KernelEnd self_adjoint(const void* a, double* e, void* v, std::int64_t n) {
  const Pause pause = Pause::none();
  const Eigen::SelfAdjointEigenSolver<Matrix<T>> found(load<T>(a, n, n, pause),
                                                       v ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (found.info() != Eigen::Success) return KernelEnd::kRefused;
  for (Index i = 0; i < n; ++i) e[i] = found.eigenvalues()(i);
  if (v) store<T>(found.eigenvectors(), v, pause);
  return KernelEnd::kDone;
}

template <typename T>
KernelEnd eigen(const void* a, void* e, void* v, std::int64_t n) {
  using Complex = std::complex<double>;
  using Solver = std::conditional_t<std::is_same_v<T, double>, Eigen::EigenSolver<Matrix<double>>,
                                    Eigen::ComplexEigenSolver<Matrix<Complex>>>;
  const Pause pause = Pause::none();
  const Matrix<T> m = load<T>(a, n, n, pause);
  if (!m.allFinite()) return KernelEnd::kRefused;
  const Solver found(m, v != nullptr);
  if (found.info() != Eigen::Success) return KernelEnd::kRefused;
  for (Index i = 0; i < n; ++i) static_cast<Complex*>(e)[i] = found.eigenvalues()(i);
  if (v) store<Complex>(found.eigenvectors(), v, pause);
  return KernelEnd::kDone;
}

}  // namespace

void fill_eigenvalues(DecompositionTable& table) {
  table.of[slot(DType::kDouble)].self_adjoint = self_adjoint<double>;
  table.of[slot(DType::kComplex128)].self_adjoint = self_adjoint<std::complex<double>>;
  table.of[slot(DType::kDouble)].eigen = eigen<double>;
  table.of[slot(DType::kComplex128)].eigen = eigen<std::complex<double>>;
}

}  // namespace tracefn
