// A vector times the rows of a matrix, which is read once: as fast as it comes from memory.
#pragma once

#include "ops/linalg/gemm/register_tile.kernels.h"

namespace tracefn {
namespace {

// y[j] (+)= the sum over p < kSteps of x[p] rows[p * stride + j]
template <typename T, int kSteps>
void add_rows(const T* x, const T* rows, std::int64_t stride, T* y, std::int64_t n, bool add) {
  constexpr int kLanes = kVectorLanes<T>;
  Vector<T> factors[kSteps];
#pragma GCC unroll 8
  for (int p = 0; p < kSteps; ++p) factors[p] = repeated(x[p]);
  auto sum = [&](auto&& load_lanes) {
    Vector<T> s = factors[0] * load_lanes(rows);
#pragma GCC unroll 8
    for (int p = 1; p < kSteps; ++p) s = multiply_add(factors[p], load_lanes(rows + p * stride), s);
    return s;
  };
  std::int64_t j = 0;
  for (; j + kLanes <= n; j += kLanes, rows += kLanes) {
    const Vector<T> s = sum([](const T* from) { return load(from); });
    store(y + j, add ? load(y + j) + s : s);
  }
  if (j == n) return;
  const int count = static_cast<int>(n - j);
  const Vector<T> s = sum([count](const T* from) { return load_first(from, count); });
  store_first(y + j, add ? load_first(y + j, count) + s : s, count);
}

// In blocks of steps whose sums are added: rounding errors would grow with k.
template <typename T>
void vector_by_rows(const void* x, const void* rows, std::int64_t stride, void* y, std::int64_t k, std::int64_t n) {
  constexpr std::int64_t kSteps = 8, kBlock = 512, kPiece = 4096;
  for (std::int64_t j = 0; j < n; j += kPiece) {
    const std::int64_t columns = std::min(kPiece, n - j);
    T* out = static_cast<T*>(y) + j;
    T sums[kPiece];
    for (std::int64_t from = 0; from < k; from += kBlock) {
      auto* in = static_cast<const T*>(x) + from;
      auto* matrix = static_cast<const T*>(rows) + from * stride + j;
      const std::int64_t steps = std::min(kBlock, k - from);
      T* to = from ? sums : out;
      std::int64_t p = 0;
      for (; p + kSteps <= steps; p += kSteps)
        add_rows<T, kSteps>(in + p, matrix + p * stride, stride, to, columns, p > 0);
      for (; p < steps; ++p) add_rows<T, 1>(in + p, matrix + p * stride, stride, to, columns, p > 0);
      for (std::int64_t i = 0; from && i < columns; ++i) out[i] += sums[i];
    }
  }
}

}  // namespace
}  // namespace tracefn
