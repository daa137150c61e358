// Matrices and blocks for kernels of linear algebra by Eigen. Every matrix is first copied into one layout, so that
// each algorithm is compiled once per type. Work of more than some 20 milliseconds goes block by block, as in Eigen's
// own loops, so that it can be stopped in between; results have the same bits either way.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <complex>

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
  // For algorithms that are not stopped.
  static Pause none() {
    return Pause([] { return false; });
  }
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

// Whether the smallest pivot on the diagonal is above zero. As in TensorFlow, a NaN that comes first fails, a later one
// is passed over.
template <typename T>
bool has_pivots(const Matrix<T>& m) {
  if (m.rows() == 0) return true;
  auto least = std::abs(m(0, 0));
  for (Index i = 1; i < m.rows(); ++i) least = std::min(least, std::abs(m(i, i)));
  return least > 0;
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

// x = the triangle's inverse times x. By halves: Eigen solves panels as wide as its products' tile (48 rows with
// AVX-512) number by number, which takes most of the time.
template <typename T, unsigned kMode>
void solve_triangle_at_once(View<T> m, View<T> x) {
  constexpr bool lower = (kMode & Eigen::Lower) != 0;
  constexpr Index kNarrow = 8;
  const Index size = m.rows();
  if (size <= kNarrow || x.cols() < kNarrow) return m.template triangularView<kMode>().solveInPlace(x);
  const Index half = (size / 2 + kNarrow - 1) / kNarrow * kNarrow, left = size - half;
  const Index from = lower ? 0 : left, rest = lower ? half : 0;
  solve_triangle_at_once<T, kMode>(part(m, from, from, half, half), part(x, from, 0, half, x.cols()));
  if (left == 0) return;
  subtract_product_at_once<T>(part(x, rest, 0, left, x.cols()), part(m, rest, from, left, half),
                              part(x, from, 0, half, x.cols()));
  solve_triangle_at_once<T, kMode>(part(m, rest, rest, left, left), part(x, rest, 0, left, x.cols()));
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

}  // namespace
}  // namespace tracefn
