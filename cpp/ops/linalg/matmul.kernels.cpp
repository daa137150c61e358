// Matrix products of complex numbers, by Eigen unless they are small, and of integers, by a plain loop. Those of real
// numbers are in gemm/.
#include <Eigen/Core>
#include <algorithm>
#include <complex>
#include <type_traits>

#include "math/number_arithmetic.h"
#include "ops/array/array.kernels.h"
#include "ops/linalg/product_blocks.kernels.h"

namespace tracefn {
namespace {

template <typename T, int Order>
using Operand2d =
    Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>, Eigen::Unaligned, Eigen::OuterStride<>>;

// The operands' strides: element [i, p] of the left one is at a[i * a_row + p * a_column].
template <typename T>
struct Strides {
  const T* a;
  std::int64_t a_row, a_column;
  const T* b;
  std::int64_t b_row, b_column;
};

// For products so small that packing the operands would cost more than multiplying them.
template <typename T>
void small_product(const Strides<T>& o, T* c, std::int64_t ldc, std::int64_t m, std::int64_t k, std::int64_t n) {
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const T *a = o.a + i * o.a_row, *b = o.b + j * o.b_column;
      T sum(0);
      for (std::int64_t p = 0; p < k; ++p) sum += product(a[p * o.a_column], b[p * o.b_row]);
      c[i * ldc + j] = sum;
    }
}
// Eigen's own threshold.
inline bool is_small(std::int64_t m, std::int64_t k, std::int64_t n) { return m + k + n < 20; }

// A row-major matrix stored transposed is a column-major one.
template <typename T>
bool complex_matmul(const void* a, const void* b, void* c, std::int64_t m, std::int64_t k, std::int64_t n,
                    std::int64_t lda, std::int64_t ldb, std::int64_t ldc, int transpose, StopCheck stop) {
  auto* pa = static_cast<const T*>(a);
  auto* pb = static_cast<const T*>(b);
  auto* pc = static_cast<T*>(c);
  Eigen::OuterStride<> sa(lda), sb(ldb);
  using Rows = Operand2d<T, Eigen::RowMajor>;
  using Columns = Operand2d<T, Eigen::ColMajor>;
  // Vectors are passed to Eigen as such: it processes a one-column matrix element by element.
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  const bool a_transposed = transpose & 1, b_transposed = transpose & 2;
  const bool times_column = n == 1 && ldc == 1 && (b_transposed || ldb == 1);
  if (times_column) {
    Eigen::Map<Vector> y(pc, m);
    Eigen::Map<const Vector> x(pb, k);
    if (a_transposed) {
      y.noalias() = Columns(pa, m, k, sa) * x;
    } else {
      y.noalias() = Rows(pa, m, k, sa) * x;
    }
    return true;
  }
  if (m == 1 && (!a_transposed || lda == 1)) {
    Eigen::Map<Vector> y(pc, n);
    Eigen::Map<const Vector> x(pa, k);
    if (b_transposed) {
      y.noalias() = Rows(pb, n, k, sb) * x;
    } else {
      y.noalias() = Columns(pb, n, k, sb) * x;
    }
    return true;
  }
  if (is_small(m, k, n)) {
    small_product<T>(
        {pa, a_transposed ? 1 : lda, a_transposed ? lda : 1, pb, b_transposed ? 1 : ldb, b_transposed ? ldb : 1}, pc,
        ldc, m, k, n);
    return true;
  }
  return in_product_blocks<T>(m, k, n, stop,
                              [&](Eigen::Index row, Eigen::Index rows, Eigen::Index column, Eigen::Index columns,
                                  Eigen::Index from, Eigen::Index depth, bool first) {
                                T* out = pc + row * ldc + column;
                                if (first)
                                  for (Eigen::Index i = 0; i < rows; ++i) std::fill_n(out + i * ldc, columns, T(0));
                                const T* left = pa + (a_transposed ? from * lda + row : row * lda + from);
                                const T* right = pb + (b_transposed ? column * ldb + from : from * ldb + column);
                                auto add = [&]<int kLeft, int kRight>() {
                                  add_product<T, kLeft, kRight, Eigen::RowMajor>(left, lda, right, ldb, out, ldc, rows,
                                                                                 depth, columns, T(1));
                                };
                                constexpr int kRows = Eigen::RowMajor, kColumns = Eigen::ColMajor;
                                switch (transpose) {
                                  case 0:
                                    return add.template operator()<kRows, kRows>();
                                  case 1:
                                    return add.template operator()<kColumns, kRows>();
                                  case 2:
                                    return add.template operator()<kRows, kColumns>();
                                  default:
                                    return add.template operator()<kColumns, kColumns>();
                                }
                              });
}

// Unsigned: signed products wrap around to the same bits.
template <typename T>
bool integer_matmul(const void* a, const void* b, void* c, std::int64_t m, std::int64_t k, std::int64_t n,
                    std::int64_t lda, std::int64_t ldb, std::int64_t ldc, int transpose, StopCheck stop) {
  auto* pa = static_cast<const T*>(a);
  auto* pb = static_cast<const T*>(b);
  auto* out = static_cast<T*>(c);
  // Small integers would be promoted to int, whose overflow is undefined.
  using Wide = std::conditional_t<(sizeof(T) < 4), std::uint32_t, T>;
  bool ta = transpose & 1, tb = transpose & 2;
  std::int64_t done = 0;  // multiply-adds since the last stop check
  auto stopped = [&](std::int64_t multiply_adds) {
    constexpr std::int64_t kBetween = 1 << 20;
    if ((done += multiply_adds) < kBetween) return false;
    done = 0;
    return stop();
  };
  for (std::int64_t i = 0; i < m; ++i) {
    T* row = out + i * ldc;
    for (std::int64_t j = 0; j < n; ++j) row[j] = 0;
    if (tb) {
      for (std::int64_t j = 0; j < n; ++j) {
        Wide sum = 0;
        for (std::int64_t p = 0; p < k; ++p)
          sum += static_cast<Wide>(ta ? pa[p * lda + i] : pa[i * lda + p]) * pb[j * ldb + p];
        row[j] = static_cast<T>(sum);
        if (stopped(k)) return false;
      }
      continue;
    }
    for (std::int64_t p = 0; p < k; ++p) {
      Wide x = ta ? pa[p * lda + i] : pa[i * lda + p];
      const T* from = pb + p * ldb;
      for (std::int64_t j = 0; j < n; ++j) row[j] = static_cast<T>(row[j] + x * from[j]);
      if (stopped(n)) return false;
    }
  }
  return true;
}

}  // namespace

void fill_matmul(ArrayKernels& kernels) {
  auto& k = kernels.matmul;
  k[slot(DType::kComplex64)] = complex_matmul<std::complex<float>>;
  k[slot(DType::kComplex128)] = complex_matmul<std::complex<double>>;
  k[slot(DType::kUInt8)] = integer_matmul<std::uint8_t>;
  k[slot(DType::kInt16)] = k[slot(DType::kUInt16)] = integer_matmul<std::uint16_t>;
  k[slot(DType::kInt32)] = k[slot(DType::kUInt32)] = integer_matmul<std::uint32_t>;
  k[slot(DType::kInt64)] = k[slot(DType::kUInt64)] = integer_matmul<std::uint64_t>;
}

}  // namespace tracefn
