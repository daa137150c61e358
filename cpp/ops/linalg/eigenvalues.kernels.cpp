// Eigenvalues and eigenvectors. Matrices become tridiagonal, or triangular, by Eigen.
#include <Eigen/Eigenvalues>
#include <numeric>
#include <type_traits>
#include <vector>

#include "ops/linalg/decompositions.kernels.h"
#include "ops/linalg/matrix_blocks.kernels.h"
#include "ops/linalg/rotations.kernels.h"

namespace tracefn {
namespace {

template <typename T>
KernelEnd self_adjoint(const void* a, double* e, void* v, std::int64_t n) {
  const Pause pause = Pause::none();
  Matrix<T> m = load<T>(a, n, n, pause);
  m.template triangularView<Eigen::StrictlyUpper>().setZero();
  // Squares must neither overflow nor vanish.
  const double scale = m.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
  if (!std::isfinite(scale)) return KernelEnd::kRefused;
  if (scale > 0) m /= scale;
  Eigen::Matrix<T, Eigen::Dynamic, 1> factors(n - 1);
  Eigen::internal::tridiagonalization_inplace(m, factors);
  std::vector<double> main(static_cast<std::size_t>(n)), below(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    main[static_cast<std::size_t>(i)] = Eigen::numext::real(m(i, i));
    if (i + 1 < n) below[static_cast<std::size_t>(i)] = Eigen::numext::real(m(i + 1, i));
  }
  Matrix<T> q;
  if (v) {
    q.setIdentity(n, n);
    if (n > 1)
      Eigen::HouseholderSequence<Matrix<T>, Eigen::Matrix<T, Eigen::Dynamic, 1>>(m, factors.conjugate())
          .setLength(n - 1)
          .setShift(1)
          .applyThisOnTheLeft(q, true);
  }
  constexpr Index kParts = sizeof(T) / sizeof(double);
  Rotations rotations(v ? reinterpret_cast<double*>(q.data()) : nullptr, n * kParts);
  if (!tridiagonal_values(main.data(), below.data(), n, rotations)) return KernelEnd::kRefused;
  std::vector<std::size_t> order(main.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return main[i] < main[j]; });
  for (std::size_t i = 0; i < order.size(); ++i) e[i] = main[order[i]] * scale;
  if (!v) return KernelEnd::kDone;
  Matrix<T> sorted(n, n);
  for (std::size_t i = 0; i < order.size(); ++i)
    sorted.col(static_cast<Index>(i)) = q.col(static_cast<Index>(order[i]));
  store<T>(sorted, v, pause);
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
