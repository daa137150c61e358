// Square roots of matrices, by Eigen.
#pragma once

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

}  // namespace
}  // namespace tracefn
