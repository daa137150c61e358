// Square roots and logarithms of matrices, by Eigen.
#include <unsupported/Eigen/MatrixFunctions>

#include "ops/linalg/decompositions.kernels.h"
#include "ops/linalg/matrix_blocks.kernels.h"

namespace tracefn {
namespace {

template <typename T>
void square_root(const void* a, void* x, std::int64_t n) {
  const Pause pause = Pause::none();
  const Matrix<T> m = load<T>(a, n, n, pause);
  const Matrix<T> root = m.sqrt();
  store<T>(root, x, pause);
}

void logarithm(const void* a, void* x, std::int64_t n) {
  const Pause pause = Pause::none();
  const Matrix<std::complex<double>> m = load<std::complex<double>>(a, n, n, pause);
  const Matrix<std::complex<double>> log = m.log();
  store<std::complex<double>>(log, x, pause);
}

}  // namespace

void fill_matrix_functions(DecompositionTable& table) {
  table.of[slot(DType::kDouble)].square_root = square_root<double>;
  table.of[slot(DType::kComplex128)].square_root = square_root<std::complex<double>>;
  table.of[slot(DType::kComplex128)].logarithm = logarithm;
}

}  // namespace tracefn
