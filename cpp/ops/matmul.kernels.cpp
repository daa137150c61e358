// Matrix products: for floating point our own where they are small, else Eigen's; a plain loop for integers.
#include <Eigen/Core>
#include <complex>

#include "ops/array.kernels.h"
#include "ops/direct_product.kernels.h"
#include "ops/product_blocks.kernels.h"

namespace tracefn {
namespace {

template <typename T, int Order>
using View =
    Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>, Eigen::Unaligned, Eigen::OuterStride<>>;

// A row-major matrix that is stored transposed is a column-major one.
template <typename T>
bool floating_matmul(const void* a, const void* b, void* c, std::int64_t m, std::int64_t k, std::int64_t n,
                     std::int64_t lda, std::int64_t ldb, std::int64_t ldc, int transpose, StopCheck stop) {
  auto* pa = static_cast<const T*>(a);
  auto* pb = static_cast<const T*>(b);
  auto* pc = static_cast<T*>(c);
  Eigen::OuterStride<> sa(lda), sb(ldb);
  using Rows = View<T, Eigen::RowMajor>;
  using Columns = View<T, Eigen::ColMajor>;
  // Vectors are told to Eigen as such: it goes through a matrix of one column element by element.
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  const bool a_transposed = transpose & 1, b_transposed = transpose & 2;
  const bool times_column = n == 1 && ldc == 1 && (b_transposed || ldb == 1);
  if constexpr (std::is_floating_point_v<T>) {
    if (times_column && !a_transposed && rows_cross_lines<T>(lda, m)) {
      product_with_vector<T>(pa, lda, pb, pc, m, k);
      return true;
    }
  }
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
  if constexpr (std::is_floating_point_v<T>) {
    const DirectOperands<T> o{pa, a_transposed ? 1 : lda, a_transposed ? lda : 1, pb, ldb, pc, ldc, k};
    if (!b_transposed && is_direct<T>(m, k, n) && direct_product<T>(o, m, n)) return true;
  }
  using Out = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, Eigen::Unaligned,
                         Eigen::OuterStride<>>;
  return in_product_blocks<T>(m, k, n, stop, [&](Eigen::Index row, Eigen::Index rows, Eigen::Index column,
                                                 Eigen::Index columns, Eigen::Index from, Eigen::Index depth,
                                                 bool first) {
    Out out(pc + row * ldc + column, rows, columns, Eigen::OuterStride<>(ldc));
    const T* left = pa + (a_transposed ? from * lda + row : row * lda + from);
    const T* right = pb + (b_transposed ? column * ldb + from : from * ldb + column);
    auto put = [&](const auto& product) {
      if (first) {
        out.noalias() = product;
      } else {
        out.noalias() += product;
      }
    };
    switch (transpose) {
      case 0:
        return put(Rows(left, rows, depth, sa) * Rows(right, depth, columns, sb));
      case 1:
        return put(Columns(left, rows, depth, sa) * Rows(right, depth, columns, sb));
      case 2:
        return put(Rows(left, rows, depth, sa) * Columns(right, depth, columns, sb));
      default:
        return put(Columns(left, rows, depth, sa) * Columns(right, depth, columns, sb));
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
  std::int64_t done = 0;  // multiply-adds since it was asked whether to stop
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
  k[slot(DType::kFloat)] = floating_matmul<float>;
  k[slot(DType::kDouble)] = floating_matmul<double>;
  k[slot(DType::kComplex64)] = floating_matmul<std::complex<float>>;
  k[slot(DType::kComplex128)] = floating_matmul<std::complex<double>>;
  k[slot(DType::kUInt8)] = integer_matmul<std::uint8_t>;
  k[slot(DType::kInt16)] = k[slot(DType::kUInt16)] = integer_matmul<std::uint16_t>;
  k[slot(DType::kInt32)] = k[slot(DType::kUInt32)] = integer_matmul<std::uint32_t>;
  k[slot(DType::kInt64)] = k[slot(DType::kUInt64)] = integer_matmul<std::uint64_t>;
}

}  // namespace tracefn
