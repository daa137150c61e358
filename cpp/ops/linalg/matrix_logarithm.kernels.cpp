// Logarithms of matrices, by Eigen.
#include <unsupported/Eigen/MatrixFunctions>

#include "ops/linalg/decompositions.kernels.h"
#include "ops/linalg/matrix_blocks.kernels.h"

namespace tracefn {
namespace {

void logarithm(const void* a, void* x, std::int64_t n) {
  const Pause pause = Pause::none();
  const Matrix<std::complex<double>> m = load<std::complex<double>>(a, n, n, pause);
  const Matrix<std::complex<double>> log = m.log();
  store<std::complex<double>>(log, x, pause);
}

}  // namespace

void fill_matrix_logarithm(DecompositionTable& table) { table.of[slot(DType::kComplex128)].logarithm = logarithm; }

}  // namespace tracefn
