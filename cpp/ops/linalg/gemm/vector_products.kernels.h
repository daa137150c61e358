// Products of a matrix and a vector, which read the matrix once: as fast as it comes from memory.
#pragma once

#include <cstring>

#include "ops/linalg/gemm/register_tile.kernels.h"

namespace tracefn {
namespace {

// Halves are added, in registers down to 16 bytes.
template <typename T, std::size_t kBytes = kVectorBytes>
[[gnu::always_inline]] inline T sum_of_lanes(const T* parts) {
  constexpr std::size_t kHalf = kBytes / 2, kCount = kHalf / sizeof(T);
  if constexpr (kCount == 0) {
    return *parts;
  } else {
    T sums[kCount];
    if constexpr (kHalf >= 16) {
      typedef T Part __attribute__((vector_size(kHalf)));
      Part a, b;
      std::memcpy(&a, parts, kHalf);
      std::memcpy(&b, parts + kCount, kHalf);
      a += b;
      std::memcpy(sums, &a, kHalf);
    } else {
      for (std::size_t i = 0; i < kCount; ++i) sums[i] = parts[i] + parts[kCount + i];
    }
    return sum_of_lanes<T, kHalf>(sums);
  }
}
template <typename T>
[[gnu::always_inline]] inline T sum_of_lanes(Vector<T> x) {
  T parts[kVectorLanes<T>];
  std::memcpy(parts, &x, sizeof x);
  return sum_of_lanes<T>(parts);
}

// y[i] = row i of `rows` times x. The order of summation depends on k alone.
template <typename T, int kHeight>
void dot_rows(const T* rows, std::int64_t stride, const T* x, T* y, std::int64_t k) {
  constexpr int kLanes = kVectorLanes<T>, kParts = 2;
  Vector<T> sums[kHeight][kParts];
#pragma GCC unroll 8
  for (int r = 0; r < kHeight; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kParts; ++v) sums[r][v] = Vector<T>{};
  std::int64_t p = 0;
  for (; p + kParts * kLanes <= k; p += kParts * kLanes)
#pragma GCC unroll 2
    for (int v = 0; v < kParts; ++v) {
      const Vector<T> z = load(x + p + v * kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < kHeight; ++r) {
        const T* from = rows + r * stride + p + v * kLanes;
        sums[r][v] = multiply_add(load(from), z, sums[r][v]);
      }
    }
#pragma GCC unroll 2
  for (int v = 0; v < kParts; ++v) {
    if (p >= k) break;
    const int count = static_cast<int>(std::min<std::int64_t>(kLanes, k - p));
    const Vector<T> z = load_first(x + p, count);
#pragma GCC unroll 8
    for (int r = 0; r < kHeight; ++r)
      sums[r][v] = multiply_add(load_first(rows + r * stride + p, count), z, sums[r][v]);
    p += kLanes;
  }
#pragma GCC unroll 8
  for (int r = 0; r < kHeight; ++r) y[r] = sum_of_lanes<T>(sums[r][0] + sums[r][1]);
}

template <typename T>
void rows_by_vector(const void* rows, std::int64_t stride, const void* x, void* y, std::int64_t m, std::int64_t k) {
  constexpr int kHeight = 4;
  auto* from = static_cast<const T*>(rows);
  auto* in = static_cast<const T*>(x);
  auto* out = static_cast<T*>(y);
  std::int64_t i = 0;
  for (; i + kHeight <= m; i += kHeight) dot_rows<T, kHeight>(from + i * stride, stride, in, out + i, k);
  for (; i < m; ++i) dot_rows<T, 1>(from + i * stride, stride, in, out + i, k);
}

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
  constexpr std::int64_t kSteps = 8, kBlock = 512, kPiece = 1024;
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
