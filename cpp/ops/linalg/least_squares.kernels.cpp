// Least squares by the complete orthogonal decomposition, by Eigen.
#include <Eigen/QR>

#include "ops/linalg/decompositions.kernels.h"
#include "ops/linalg/matrix_blocks.kernels.h"

namespace tracefn {
namespace {

template <typename T>
void least_squares(const void* a, const void* b, void* x, std::int64_t m, std::int64_t n, std::int64_t k,
                   double threshold) {
  const Pause pause = Pause::none();
  const Matrix<T> right = load<T>(b, m, k, pause);
  Eigen::CompleteOrthogonalDecomposition<Matrix<T>> decomposition(m, n);
  decomposition.setThreshold(threshold);
  decomposition.compute(load<T>(a, m, n, pause));
  const Matrix<T> solution = decomposition.solve(right);
  store<T>(solution, x, pause);
}

}  // namespace

void fill_least_squares(DecompositionTable& table) {
  table.of[slot(DType::kDouble)].least_squares = least_squares<double>;
  table.of[slot(DType::kComplex128)].least_squares = least_squares<std::complex<double>>;
}

}  // namespace tracefn
