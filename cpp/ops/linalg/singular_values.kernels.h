// The singular value decomposition by Eigen: divide and conquer.
#pragma once

#include <Eigen/SVD>

#include "ops/linalg/decompositions.kernels.h"
#include "ops/linalg/matrix_blocks.kernels.h"

namespace tracefn {
namespace {

template <typename T>
void svd(const void* a, double* s, void* u, void* v, std::int64_t m, std::int64_t n, bool full) {
  const Pause pause = Pause::none();
  const unsigned vectors = full ? Eigen::ComputeFullU | Eigen::ComputeFullV : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::BDCSVD<Matrix<T>> found(load<T>(a, m, n, pause), u ? vectors : 0);
  for (Index i = 0; i < found.singularValues().size(); ++i) s[i] = found.singularValues()(i);
  if (!u) return;
  store<T>(found.matrixU(), u, pause);
  store<T>(found.matrixV(), v, pause);
}

}  // namespace
}  // namespace tracefn
