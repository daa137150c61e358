// Bulk conversion between float and the 16-bit floats. Included by *.kernels.cpp only.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace tracefn {

void widen(const Eigen::half* x, float* y, std::int64_t n);
void widen(const Eigen::bfloat16* x, float* y, std::int64_t n);
// Rounds to nearest, ties to even.
void narrow(const float* x, Eigen::half* y, std::int64_t n);
void narrow(const float* x, Eigen::bfloat16* y, std::int64_t n);

}  // namespace tracefn
