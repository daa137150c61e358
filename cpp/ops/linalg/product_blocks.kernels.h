// Matrix products by Eigen in blocks of some milliseconds each, so that long ones can be stopped in between. Block
// bounds match Eigen's own, so results have the same bits.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <complex>
#include <cstdint>

#include "ops/elementwise/block.h"

namespace tracefn {
namespace {

// The cost of a multiply-add, relative to float.
template <typename T>
inline constexpr Eigen::Index kCostOfType = 1;
template <>
inline constexpr Eigen::Index kCostOfType<double> = 2;
template <>
inline constexpr Eigen::Index kCostOfType<std::complex<float>> = 4;
template <>
inline constexpr Eigen::Index kCostOfType<std::complex<double>> = 8;

// c += alpha a b, all three in the given storage orders; with kConjugate the right operand is conjugated. Eigen's
// internal entry to its kernels: a matrix expression would also instantiate its loops for small matrices and vectors.
template <typename T, int kLeft, int kRight, int kResult, bool kConjugate = false>
void add_product(const T* a, Eigen::Index lda, const T* b, Eigen::Index ldb, T* c, Eigen::Index ldc, Eigen::Index m,
                 Eigen::Index k, Eigen::Index n, T alpha) {
  namespace kernels = Eigen::internal;
  constexpr int kAny = Eigen::Dynamic;
  kernels::gemm_blocking_space<kResult, T, T, kAny, kAny, kAny> blocking(m, n, k, 1, true);
  kernels::general_matrix_matrix_product<Eigen::Index, T, kLeft, false, T, kRight, kConjugate, kResult, 1>::run(
      m, n, k, a, lda, b, ldb, c, 1, ldc, alpha, blocking, nullptr);
}

// Calls f(row, rows, column, columns, from, depth, first) for blocks of an m x n product of depth k: `first` says that
// the block's elements are not initialized yet. False if it was stopped.
template <typename T, typename F>
bool in_product_blocks(Eigen::Index m, Eigen::Index k, Eigen::Index n, StopCheck stop, const F& f) {
  using Eigen::Index;
  constexpr Index kWork = (Index{1} << 28) / kCostOfType<T>;
  if (m * n <= kWork / k) {
    f(Index{0}, m, Index{0}, n, Index{0}, k, true);
    return true;
  }
  // The product is computed transposed, since the result is row-major.
  Index depth = k, columns = n, rows = m;
  Eigen::internal::computeProductBlockingSizes<T, T>(depth, columns, rows, Index{1});
  // Multiples of the kernels' tile; a shorter remainder joins the previous block.
  constexpr Index kRows = 64, kColumns = 192;
  auto taken = [](Index left, Index wanted, Index least) { return left < wanted + least ? left : wanted; };
  columns = std::max<Index>(kWork / (kRows * depth) / kColumns, 1) * kColumns;
  rows = std::max<Index>(kWork / (std::min(columns, n) * depth) / kRows, 1) * kRows;
  for (Index from = 0; from < k; from += depth)
    for (Index row = 0, r; row < m; row += r) {
      r = taken(m - row, rows, kRows);
      for (Index column = 0, c; column < n; column += c) {
        c = taken(n - column, columns, kColumns);
        f(row, r, column, c, from, std::min(depth, k - from), from == 0);
        if (stop()) return false;
      }
    }
  return true;
}

}  // namespace
}  // namespace tracefn
