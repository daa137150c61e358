// Matrix products: for floating point our own where they are small, else Eigen's; a plain loop for integers.
#include <Eigen/Core>
#include <complex>

#include "ops/array.kernels.h"
#include "ops/direct_product.kernels.h"

namespace tracefn {
namespace {

template <typename T, int Order>
using View =
    Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>, Eigen::Unaligned, Eigen::OuterStride<>>;

// A row-major matrix that is stored transposed is a column-major one.
template <typename T>
void floating_matmul(const void* a, const void* b, void* c, std::int64_t m, std::int64_t k, std::int64_t n,
                     std::int64_t lda, std::int64_t ldb, std::int64_t ldc, int transpose) {
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, Eigen::Unaligned, Eigen::OuterStride<>>
      out(static_cast<T*>(c), m, n, Eigen::OuterStride<>(ldc));
  auto* pa = static_cast<const T*>(a);
  auto* pb = static_cast<const T*>(b);
  Eigen::OuterStride<> sa(lda), sb(ldb);
  using Rows = View<T, Eigen::RowMajor>;
  using Columns = View<T, Eigen::ColMajor>;
  // Vectors are told to Eigen as such: it goes through a matrix of one column element by element.
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  const bool a_transposed = transpose & 1, b_transposed = transpose & 2;
  const bool times_column = n == 1 && ldc == 1 && (b_transposed || ldb == 1);
  if constexpr (std::is_floating_point_v<T>) {
    if (times_column && !a_transposed && rows_cross_lines<T>(lda, m))
      return product_with_vector<T>(pa, lda, pb, static_cast<T*>(c), m, k);
  }
  if (times_column) {
    Eigen::Map<Vector> y(static_cast<T*>(c), m);
    Eigen::Map<const Vector> x(pb, k);
    if (a_transposed) {
      y.noalias() = Columns(pa, m, k, sa) * x;
    } else {
      y.noalias() = Rows(pa, m, k, sa) * x;
    }
    return;
  }
  if (m == 1 && (!a_transposed || lda == 1)) {
    Eigen::Map<Vector> y(static_cast<T*>(c), n);
    Eigen::Map<const Vector> x(pa, k);
    if (b_transposed) {
      y.noalias() = Rows(pb, n, k, sb) * x;
    } else {
      y.noalias() = Columns(pb, n, k, sb) * x;
    }
    return;
  }
  if constexpr (std::is_floating_point_v<T>) {
    const DirectOperands<T> o{pa, a_transposed ? 1 : lda, a_transposed ? lda : 1, pb, ldb, static_cast<T*>(c), ldc, k};
    if (!b_transposed && is_direct<T>(m, k, n) && direct_product<T>(o, m, n)) return;
  }
  switch (transpose) {
    case 0:
      out.noalias() = Rows(pa, m, k, sa) * Rows(pb, k, n, sb);
      return;
    case 1:
      out.noalias() = Columns(pa, m, k, sa) * Rows(pb, k, n, sb);
      return;
    case 2:
      out.noalias() = Rows(pa, m, k, sa) * Columns(pb, k, n, sb);
      return;
    default:
      out.noalias() = Columns(pa, m, k, sa) * Columns(pb, k, n, sb);
  }
}

// Unsigned: signed products wrap around to the same bits.
template <typename T>
void integer_matmul(const void* a, const void* b, void* c, std::int64_t m, std::int64_t k, std::int64_t n,
                    std::int64_t lda, std::int64_t ldb, std::int64_t ldc, int transpose) {
  auto* pa = static_cast<const T*>(a);
  auto* pb = static_cast<const T*>(b);
  auto* out = static_cast<T*>(c);
  // Small integers would be promoted to int, whose overflow is undefined.
  using Wide = std::conditional_t<(sizeof(T) < 4), std::uint32_t, T>;
  bool ta = transpose & 1, tb = transpose & 2;
  for (std::int64_t i = 0; i < m; ++i) {
    T* row = out + i * ldc;
    for (std::int64_t j = 0; j < n; ++j) row[j] = 0;
    if (tb) {
      for (std::int64_t j = 0; j < n; ++j) {
        Wide sum = 0;
        for (std::int64_t p = 0; p < k; ++p)
          sum += static_cast<Wide>(ta ? pa[p * lda + i] : pa[i * lda + p]) * pb[j * ldb + p];
        row[j] = static_cast<T>(sum);
      }
      continue;
    }
    for (std::int64_t p = 0; p < k; ++p) {
      Wide x = ta ? pa[p * lda + i] : pa[i * lda + p];
      const T* from = pb + p * ldb;
      for (std::int64_t j = 0; j < n; ++j) row[j] = static_cast<T>(row[j] + x * from[j]);
    }
  }
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
