// The singular value decomposition: Jacobi's method for few columns; others become bidiagonal and real, both by Eigen.
#include <Eigen/SVD>
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "ops/linalg/decompositions.kernels.h"
#include "ops/linalg/matrix_blocks.kernels.h"
#include "ops/linalg/rotations.kernels.h"

namespace tracefn {
namespace {

// The columns in the order given, the others after them as they are; those that are `negative` change sign.
template <typename T>
void store_in_order(const Matrix<T>& m, const std::vector<std::size_t>& order, const std::vector<double>& signs,
                    void* to, const Pause& pause) {
  Matrix<T> sorted = m;
  for (std::size_t i = 0; i < order.size(); ++i)
    sorted.col(static_cast<Index>(i)) = m.col(static_cast<Index>(order[i])) * signs[order[i]];
  store<T>(sorted, to, pause);
}

template <typename T>
bool is_finite(const Matrix<T>& x) {
  return std::isfinite(x.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>());
}

// What is not finite has no decomposition.
template <typename T>
void fill_with_nan(double* s, void* u, void* v, std::int64_t m, std::int64_t n, bool full) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::int64_t size = std::min(m, n);
  std::fill_n(s, size, kNaN);
  if (!u) return;
  std::fill_n(static_cast<T*>(u), m * (full ? m : size), T(kNaN));
  std::fill_n(static_cast<T*>(v), n * (full ? n : size), T(kNaN));
}

// Of so few columns TensorFlow takes Jacobi's method (Eigen's BDCSVD does), which decides the signs of the vectors.
constexpr std::int64_t kFewColumns = 16;

template <typename T>
void svd_of_few_columns(const void* a, double* s, void* u, void* v, std::int64_t m, std::int64_t n, bool full) {
  const Pause pause = Pause::none();
  const unsigned vectors = full ? Eigen::ComputeFullU | Eigen::ComputeFullV : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Matrix<T> x = load<T>(a, m, n, pause);
  if (!is_finite(x)) return fill_with_nan<T>(s, u, v, m, n, full);
  const Eigen::JacobiSVD<Matrix<T>> found(x, u ? vectors : 0);
  for (Index i = 0; i < found.singularValues().size(); ++i) s[i] = found.singularValues()(i);
  if (!u) return;
  store<T>(found.matrixU(), u, pause);
  store<T>(found.matrixV(), v, pause);
}

template <typename T>
void svd(const void* a, double* s, void* u, void* v, std::int64_t m, std::int64_t n, bool full) {
  if (n < kFewColumns) return svd_of_few_columns<T>(a, s, u, v, m, n, full);
  const Pause pause = Pause::none();
  // A wide matrix is taken for its adjoint, which exchanges the vectors.
  const bool wide = m < n;
  if (wide) std::swap(u, v);
  Matrix<T> x = load<T>(a, m, n, pause, wide);
  const Index rows = x.rows(), size = x.cols(), columns = full ? rows : size;
  // Squares must neither overflow nor vanish.
  const double scale = x.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
  auto fail = [&] { fill_with_nan<T>(s, u, v, rows, size, full); };
  if (!is_finite(x)) return fail();
  if (scale > 0) x /= scale;
  Eigen::internal::UpperBidiagonalization<Matrix<T>> band(x);
  std::vector<double> main(static_cast<std::size_t>(size)), above(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) {
    // As bands are stored: the upper diagonal one to the right.
    main[static_cast<std::size_t>(i)] = band.bidiagonal().coeffs()(1, i);
    if (i + 1 < size) above[static_cast<std::size_t>(i)] = band.bidiagonal().coeffs()(0, i + 1);
  }
  Matrix<T> left, right;
  if (u) {
    left.setIdentity(rows, columns);
    band.householderU().applyThisOnTheLeft(left, rows == columns);
    right.setIdentity(size, size);
    band.householderV().applyThisOnTheLeft(right, true);
  }
  constexpr Index kParts = sizeof(T) / sizeof(double);
  auto rotated = [&](Matrix<T>& vectors) {
    return Rotations(u ? reinterpret_cast<double*>(vectors.data()) : nullptr, vectors.rows() * kParts);
  };
  Rotations of_left = rotated(left), of_right = rotated(right);
  if (!bidiagonal_values(main.data(), above.data(), size, of_left, of_right)) return fail();
  std::vector<std::size_t> order(main.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return std::abs(main[i]) > std::abs(main[j]); });
  std::vector<double> signs(main.size(), 1);
  for (std::size_t i = 0; i < order.size(); ++i) s[i] = std::abs(main[order[i]]) * scale;
  if (!u) return;
  store_in_order(left, order, signs, u, pause);
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = std::signbit(main[i]) ? -1 : 1;
  store_in_order(right, order, signs, v, pause);
}

}  // namespace

void fill_singular_values(DecompositionTable& table) {
  table.of[slot(DType::kDouble)].svd = svd<double>;
  table.of[slot(DType::kComplex128)].svd = svd<std::complex<double>>;
}

}  // namespace tracefn
