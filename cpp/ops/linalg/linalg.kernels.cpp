// Decompositions of square matrices into triangles, by Eigen, and what is solved with them.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "ops/array/array.kernels.h"
#include "ops/linalg/matrix_blocks.kernels.h"

namespace tracefn {
namespace {

using Transposition = int;

// P m = L U in place, the right-looking algorithm with partial pivoting: panels of columns, which are decomposed in
// narrower panels themselves. Panel sizes are Eigen's.
template <typename T>
void decompose(View<T> m, Transposition* transpositions, Transposition& swaps, const Pause& pause, Index widest = 256) {
  constexpr Index kUnblocked = 16;
  const Index rows = m.rows(), size = std::min(m.rows(), m.cols());
  if (size <= kUnblocked) {
    using Unblocked = Eigen::internal::partial_lu_impl<T, Eigen::ColMajor, Transposition>;
    Eigen::Ref<Matrix<T>> whole_panel(m);
    Unblocked::unblocked_lu(whole_panel, transpositions, swaps);
    return pause();
  }
  const Index width = std::min(std::max<Index>(size / 8 / 16 * 16, 8), widest);
  swaps = 0;
  for (Index k = 0; k < size; k += width) {
    const Index w = std::min(size - k, width), below = rows - k - w, right = size - k - w;
    Transposition swaps_in_panel = 0;
    decompose<T>(part(m, k, k, below + w, w), transpositions + k, swaps_in_panel, pause, 16);
    swaps += swaps_in_panel;
    for (Index i = k; i < k + w; ++i) {
      transpositions[i] += static_cast<Transposition>(k);
      m.row(i).head(k).swap(m.row(transpositions[i]).head(k));
    }
    if (below == 0) continue;
    View<T> beside = part(m, k, k + w, w, right);
    for (Index i = k; i < k + w; ++i)
      m.row(i).segment(k + w, right).swap(m.row(transpositions[i]).segment(k + w, right));
    pause();
    solve_triangle_at_once<T, Eigen::UnitLower>(part(m, k, k, w, w), beside);
    pause();
    subtract_product<T>(part(m, k + w, k + w, below, right), part(m, k + w, k, below, w), beside, pause);
  }
}

template <typename T>
KernelEnd solve(const void* a, const void* b, void* x, std::int64_t n, std::int64_t k, bool adjoint, StopCheck stop) {
  return stoppable(stop, [&](const Pause& pause) {
    Matrix<T> m = load<T>(a, n, n, pause, adjoint);
    std::vector<Transposition> transpositions(static_cast<std::size_t>(n));
    Transposition swaps = 0;
    decompose<T>(whole(m), transpositions.data(), swaps, pause);
    if (!has_pivots<T>(m)) return false;
    Matrix<T> right = load<T>(b, n, k, pause);
    for (Index i = 0; i < n; ++i) {
      right.row(i).swap(right.row(transpositions[static_cast<std::size_t>(i)]));
      if (i % 256 == 0) pause();
    }
    solve_triangle<T, Eigen::UnitLower>(whole(m), whole(right), pause);
    solve_triangle<T, Eigen::Upper>(whole(m), whole(right), pause);
    store<T>(right, x, pause);
    return true;
  });
}

template <typename T>
KernelEnd triangular_solve(const void* a, const void* b, void* x, std::int64_t n, std::int64_t k, bool lower,
                           bool adjoint, StopCheck stop) {
  return stoppable(stop, [&](const Pause& pause) {
    Matrix<T> m = load<T>(a, n, n, pause, adjoint);
    Matrix<T> right = load<T>(b, n, k, pause);
    if (lower != adjoint) {
      solve_triangle<T, Eigen::Lower>(whole(m), whole(right), pause);
    } else {
      solve_triangle<T, Eigen::Upper>(whole(m), whole(right), pause);
    }
    store<T>(right, x, pause);
    return true;
  });
}

// c -= a b^H
template <typename T>
void subtract_product_with_adjoint(View<T> c, View<T> a, View<T> b) {
  // The adjoint of b, stored column by column, is the conjugate of what lies there row by row.
  add_product<T, Eigen::ColMajor, Eigen::RowMajor, Eigen::ColMajor, true>(a.data(), a.outerStride(), b.data(),
                                                                          b.outerStride(), c.data(), c.outerStride(),
                                                                          c.rows(), a.cols(), c.cols(), T(-1));
}

// x = x times the inverse of the adjoint of l, a lower triangle. By halves, for the reason of solve_triangle_at_once().
template <typename T>
void solve_adjoint_from_right(View<T> l, View<T> x) {
  constexpr Index kNarrow = 8;
  const Index size = l.rows(), rows = x.rows();
  if (size <= kNarrow) {
    for (Index j = 0; j < size; ++j) {
      for (Index p = 0; p < j; ++p) x.col(j) -= x.col(p) * Eigen::numext::conj(l(j, p));
      x.col(j) *= 1 / Eigen::numext::real(l(j, j));
    }
    return;
  }
  const Index half = (size / 2 + kNarrow - 1) / kNarrow * kNarrow, left = size - half;
  View<T> done = part(x, 0, 0, rows, half), rest = part(x, 0, half, rows, left);
  solve_adjoint_from_right<T>(part(l, 0, 0, half, half), done);
  subtract_product_with_adjoint<T>(rest, done, part(l, half, 0, left, half));
  solve_adjoint_from_right<T>(part(l, half, half, left, left), rest);
}

// The lower triangle of c -= a a^H.
template <typename T>
void subtract_square(View<T> c, View<T> a, const Pause& pause) {
  const Index n = c.rows();
  for_strips<T>(n, n * a.cols(), pause, [&](Index from, Index count) {
    const Index below = n - from - count;
    View<T> rows = part(a, from, 0, count, a.cols());
    part(c, from, from, count, count)
        .template selfadjointView<Eigen::Lower>()
        .rankUpdate(rows, typename Eigen::NumTraits<T>::Real(-1));
    if (below == 0) return;
    subtract_product_with_adjoint<T>(part(c, from + count, from, below, count),
                                     part(a, from + count, 0, below, a.cols()), rows);
  });
}

// Panel sizes are Eigen's.
template <typename T>
bool decompose_positive(View<T> m, const Pause& pause) {
  using Unblocked = Eigen::internal::llt_inplace<T, Eigen::Lower>;
  const Index size = m.rows();
  if (size < 32) return Unblocked::unblocked(m) < 0;
  const Index width = std::min<Index>(std::max<Index>(size / 8 / 16 * 16, 8), 128);
  for (Index k = 0; k < size; k += width) {
    const Index w = std::min(width, size - k), below = size - k - w;
    View<T> corner = part(m, k, k, w, w), under = part(m, k + w, k, below, w);
    if (Unblocked::unblocked(corner) >= 0) return false;
    if (below == 0) break;
    solve_adjoint_from_right<T>(corner, under);
    pause();
    subtract_square<T>(part(m, k + w, k + w, below, below), under, pause);
  }
  return true;
}

template <typename T>
KernelEnd cholesky(const void* a, void* l, std::int64_t n, StopCheck stop) {
  return stoppable(stop, [&](const Pause& pause) {
    Matrix<T> m = load<T>(a, n, n, pause);
    if (!decompose_positive<T>(whole(m), pause)) return false;
    for (Index j = 1; j < n; ++j) {
      m.col(j).head(j).setZero();
      if (j % 64 == 0) pause();
    }
    store<T>(m, l, pause);
    return true;
  });
}

template <typename T>
KernelEnd determinant(const void* a, void* det, std::int64_t n, StopCheck stop) {
  return stoppable(stop, [&](const Pause& pause) {
    Matrix<T> m = load<T>(a, n, n, pause);
    std::vector<Transposition> transpositions(static_cast<std::size_t>(n));
    Transposition swaps = 0;
    decompose<T>(whole(m), transpositions.data(), swaps, pause);
    *static_cast<T*>(det) = T(swaps % 2 ? -1 : 1) * m.diagonal().prod();
    return true;
  });
}

// The factors of P A = L U in one matrix, and where the rows of P A were in A.
template <typename T>
KernelEnd lu(const void* a, void* factors, std::int32_t* places, std::int64_t n, StopCheck stop) {
  return stoppable(stop, [&](const Pause& pause) {
    Matrix<T> m = load<T>(a, n, n, pause);
    std::vector<Transposition> transpositions(static_cast<std::size_t>(n));
    Transposition swaps = 0;
    decompose<T>(whole(m), transpositions.data(), swaps, pause);
    if (!has_pivots<T>(m)) return false;
    for (Index i = 0; i < n; ++i) places[i] = static_cast<std::int32_t>(i);
    for (Index i = 0; i < n; ++i) std::swap(places[i], places[transpositions[static_cast<std::size_t>(i)]]);
    store<T>(m, factors, pause);
    return true;
  });
}

template <typename T>
KernelEnd log_determinant(const void* a, void* sign, void* log_abs, std::int64_t n, StopCheck stop) {
  return stoppable(stop, [&](const Pause& pause) {
    using Real = typename Eigen::NumTraits<T>::Real;
    Matrix<T> m = load<T>(a, n, n, pause);
    std::vector<Transposition> transpositions(static_cast<std::size_t>(n));
    Transposition swaps = 0;
    decompose<T>(whole(m), transpositions.data(), swaps, pause);
    T unit = T(swaps % 2 ? -1 : 1);
    Real sum = 0;
    for (Index i = 0; i < n; ++i) {
      const Real size = std::abs(m(i, i));
      sum += std::log(size);
      unit *= m(i, i) / size;
    }
    *static_cast<T*>(sign) = std::isinf(sum) && sum < 0 ? T(0) : unit;
    *static_cast<T*>(log_abs) = T(sum);
    return true;
  });
}

// With P the lower triangle of L^H dL and its diagonal halved, dA = L^-H P L^-1 made Hermitian.
template <typename T>
KernelEnd cholesky_gradient(const void* l, const void* dl, void* da, std::int64_t n, StopCheck stop) {
  return stoppable(stop, [&](const Pause& pause) {
    auto clear_upper = [](Matrix<T>& m) { m.template triangularView<Eigen::StrictlyUpper>().setZero(); };
    Matrix<T> left = load<T>(l, n, n, pause), right = load<T>(dl, n, n, pause);
    clear_upper(left);
    clear_upper(right);
    const Matrix<T> adjoint = left.adjoint();
    Matrix<T> p = Matrix<T>::Zero(n, n);
    subtract_product<T>(whole(p), whole(adjoint), whole(right), pause);
    clear_upper(p);
    p.diagonal() *= typename Eigen::NumTraits<T>::Real(0.5);
    solve_triangle<T, Eigen::Upper>(whole(adjoint), whole(p), pause);
    right = p.adjoint();
    solve_triangle<T, Eigen::Upper>(whole(adjoint), whole(right), pause);
    p = right.adjoint();
    right = (right + p) * typename Eigen::NumTraits<T>::Real(-0.5);
    store<T>(right, da, pause);
    return true;
  });
}

template <typename T>
LinalgKernels kernels_of() {
  return {solve<T>, triangular_solve<T>, cholesky<T>, determinant<T>, lu<T>, log_determinant<T>, cholesky_gradient<T>};
}

}  // namespace

void fill_linalg(ArrayKernels& kernels) {
  kernels.linalg[slot(DType::kFloat)] = kernels_of<float>();
  kernels.linalg[slot(DType::kDouble)] = kernels_of<double>();
  kernels.linalg[slot(DType::kComplex64)] = kernels_of<std::complex<float>>();
  kernels.linalg[slot(DType::kComplex128)] = kernels_of<std::complex<double>>();
}

}  // namespace tracefn
