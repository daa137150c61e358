// Decompositions of square matrices, by Eigen. Every matrix is first copied into one layout, so that each algorithm is
// compiled once per type. Work of more than some 20 milliseconds goes block by block, as in Eigen's own loops, so that
// it can be stopped in between; results have the same bits either way.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <complex>
#include <vector>

#include "ops/array/array.kernels.h"
#include "ops/linalg/product_blocks.kernels.h"

namespace tracefn {
namespace {

using Eigen::Index;

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <typename T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
// Every matrix and block is viewed as this one type, so that Eigen's algorithms are compiled once per number type.
template <typename T>
using View = Eigen::Map<Matrix<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

template <typename M>
auto part(M& m, Index row, Index column, Index rows, Index columns) {
  using T = typename M::Scalar;
  return View<T>(const_cast<T*>(m.data()) + column * m.outerStride() + row, rows, columns,
                 Eigen::OuterStride<>(m.outerStride()));
}
template <typename M>
auto whole(M& m) {
  return part(m, 0, 0, m.rows(), m.cols());
}

// Thrown inside this file when a stop is requested.
struct StoppedEarly {};

class Pause {
 public:
  explicit Pause(StopCheck stop) : stop_(stop) {}
  void operator()() const {
    if (stop_()) throw StoppedEarly();
  }

 private:
  StopCheck stop_;
};

// Multiply-adds between two stop checks. Fewer would pack both operands more often.
template <typename T>
constexpr Index kWork = (Index{1} << 30) / kCostOfType<T>;
// Widths of strips: multiples of Eigen's kernel tile, for every type and instruction set.
constexpr Index kStrip = 192;

// The columns of a strip, given `work` multiply-adds per column.
template <typename T>
Index strip_width(Index work) {
  return std::max<Index>(kWork<T> / std::max<Index>(work, 1) / kStrip, 1) * kStrip;
}

// f(from, count) for strips of n columns; the last may be longer by less than the least width.
template <typename T, typename F>
void for_strips(Index n, Index work, const Pause& pause, const F& f) {
  const Index width = strip_width<T>(work);
  for (Index from = 0; from < n;) {
    const Index count = n - from < width + kStrip ? n - from : width;
    f(from, count);
    from += count;
    pause();
  }
}

// In cache-sized blocks. With `adjoint` the adjoint of the matrix.
template <typename T>
Matrix<T> load(const void* a, Index rows, Index columns, const Pause& pause, bool adjoint = false) {
  const Eigen::Map<const RowMajor<T>> from(static_cast<const T*>(a), rows, columns);
  constexpr Index kRows = 64, kColumns = 64;
  Matrix<T> m(adjoint ? columns : rows, adjoint ? rows : columns);
  for (Index i = 0; i < rows; i += kRows) {
    const Index r = std::min(kRows, rows - i);
    for (Index j = 0; j < columns; j += kColumns) {
      const Index c = std::min(kColumns, columns - j);
      if (adjoint) {
        m.block(j, i, c, r) = from.block(i, j, r, c).adjoint();
      } else {
        m.block(i, j, r, c) = from.block(i, j, r, c);
      }
    }
    pause();
  }
  return m;
}

template <typename T>
void store(const Matrix<T>& m, void* to, const Pause& pause) {
  Eigen::Map<RowMajor<T>> out(static_cast<T*>(to), m.rows(), m.cols());
  constexpr Index kRows = 64, kColumns = 64;
  for (Index i = 0; i < m.rows(); i += kRows) {
    const Index r = std::min(kRows, m.rows() - i);
    for (Index j = 0; j < m.cols(); j += kColumns) {
      const Index c = std::min(kColumns, m.cols() - j);
      out.block(i, j, r, c) = m.block(i, j, r, c);
    }
    pause();
  }
}

// A zero (not a NaN) on the diagonal.
template <typename T>
bool has_zero_pivot(const Matrix<T>& m) {
  for (Index i = 0; i < m.rows(); ++i)
    if (m(i, i) == T(0)) return true;
  return false;
}

// c -= a b
template <typename T>
void subtract_product_at_once(View<T> c, View<T> a, View<T> b) {
  if (c.rows() == 0) return;
  add_product<T, Eigen::ColMajor, Eigen::ColMajor, Eigen::ColMajor>(a.data(), a.outerStride(), b.data(),
                                                                    b.outerStride(), c.data(), c.outerStride(),
                                                                    c.rows(), a.cols(), c.cols(), T(-1));
}
template <typename T>
void subtract_product(View<T> c, View<T> a, View<T> b, const Pause& pause) {
  for_strips<T>(c.cols(), c.rows() * a.cols(), pause, [&](Index from, Index count) {
    subtract_product_at_once<T>(part(c, 0, from, c.rows(), count), a, part(b, 0, from, b.rows(), count));
  });
}

// x = the triangle's inverse times x.
template <typename T, unsigned kMode>
void solve_triangle_at_once(View<T> m, View<T> x) {
  m.template triangularView<kMode>().solveInPlace(x);
}

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

// x = the triangle's inverse times x. In blocks of Eigen's size.
template <typename T, unsigned kMode>
void solve_triangle(View<T> m, View<T> x, const Pause& pause) {
  constexpr bool lower = (kMode & Eigen::Lower) != 0;
  const Index size = m.rows();
  if (size * size / 2 * x.cols() <= kWork<T> || x.cols() == 1) {
    solve_triangle_at_once<T, kMode>(m, x);
    return pause();
  }
  Index length = size, rows = size, columns = x.cols();
  Eigen::internal::computeProductBlockingSizes<T, T, 4>(length, rows, columns, Index{1});
  for (Index done = 0; done < size; done += length) {
    const Index n = std::min(length, size - done), left = size - done - n;
    const Index from = lower ? done : left, rest = lower ? done + n : 0;
    for_strips<T>(x.cols(), n * n, pause, [&](Index column, Index count) {
      solve_triangle_at_once<T, kMode>(part(m, from, from, n, n), part(x, from, column, n, count));
    });
    for_strips<T>(x.cols(), left * n, pause, [&](Index column, Index count) {
      subtract_product_at_once<T>(part(x, rest, column, left, count), part(m, rest, from, left, n),
                                  part(x, from, column, n, count));
    });
  }
}

// f(pause) returns whether the matrix allowed it.
template <typename F>
KernelEnd stoppable(StopCheck stop, const F& f) {
  try {
    return f(Pause(stop)) ? KernelEnd::kDone : KernelEnd::kRefused;
  } catch (const StoppedEarly&) {
    return KernelEnd::kStopped;
  }
}

template <typename T>
KernelEnd solve(const void* a, const void* b, void* x, std::int64_t n, std::int64_t k, bool adjoint, StopCheck stop) {
  return stoppable(stop, [&](const Pause& pause) {
    Matrix<T> m = load<T>(a, n, n, pause, adjoint);
    std::vector<Transposition> transpositions(static_cast<std::size_t>(n));
    Transposition swaps = 0;
    decompose<T>(whole(m), transpositions.data(), swaps, pause);
    if (has_zero_pivot<T>(m)) return false;
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
    View<T> under = part(c, from + count, from, below, count), left = part(a, from + count, 0, below, a.cols());
    // The adjoint of rows, stored column by column, is the conjugate of what lies there row by row.
    add_product<T, Eigen::ColMajor, Eigen::RowMajor, Eigen::ColMajor, true>(
        left.data(), left.outerStride(), rows.data(), rows.outerStride(), under.data(), under.outerStride(), below,
        a.cols(), count, T(-1));
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
    corner.adjoint().template triangularView<Eigen::Upper>().template solveInPlace<Eigen::OnTheRight>(under);
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
