// Loops of batch normalization and local response normalization.
#include "ops/nn/normalization.kernels.h"

#include <algorithm>
#include <cmath>

#include "math/vector_power.h"

namespace tracefn {
namespace {

// a[j] and b[j] = the sums over the rows of first(element, j) and second(element, j). Eight rows are summed in pairs,
// which keeps rounding errors small and stores few sums.
template <typename F, typename G>
[[gnu::always_inline]] inline void sum_rows(std::int64_t rows, std::int64_t width, float* __restrict a,
                                            float* __restrict b, const F& first, const G& second) {
  constexpr std::int64_t kRows = 8;
  std::fill_n(a, width, 0.0f);
  std::fill_n(b, width, 0.0f);
  std::int64_t row = 0;
  for (; row + kRows <= rows; row += kRows) {
    auto sum = [&](const auto& term, std::int64_t j) __attribute__((always_inline)) {
      auto pair = [&](std::int64_t r) __attribute__((always_inline)) {
        return term((row + r) * width + j, j) + term((row + r + 1) * width + j, j);
      };
      return (pair(0) + pair(2)) + (pair(4) + pair(6));
    };
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j) {
      a[j] += sum(first, j);
      b[j] += sum(second, j);
    }
  }
  for (; row < rows; ++row)
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j) {
      a[j] += first(row * width + j, j);
      b[j] += second(row * width + j, j);
    }
}

void moments(const float* x, const float* center, std::int64_t rows, std::int64_t width, float* sums, float* squares) {
  auto distance = [=](std::int64_t at, std::int64_t j) __attribute__((always_inline)) { return x[at] - center[j]; };
  sum_rows(
      rows, width, sums, squares, distance, [=](std::int64_t at, std::int64_t j) __attribute__((always_inline)) {
        const float d = distance(at, j);
        return d * d;
      });
}

void gradient_sums(const float* dy, const float* x, const float* center, std::int64_t rows, std::int64_t width,
                   float* sums, float* products) {
  sum_rows(
      rows, width, sums, products, [=](std::int64_t at, std::int64_t) __attribute__((always_inline)) { return dy[at]; },
      [=](std::int64_t at, std::int64_t j) __attribute__((always_inline)) { return dy[at] * (x[at] - center[j]); });
}

void normalize(const float* x, const float* center, const float* factor, const float* offset, std::int64_t rows,
               std::int64_t width, float* y) {
  for (std::int64_t row = 0; row < rows; ++row, x += width, y += width)
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j) y[j] = (x[j] - center[j]) * factor[j] + offset[j];
}

void gradient(const float* dy, const float* x, const float* center, const float* factor, const float* of_dy,
              const float* of_x, std::int64_t rows, std::int64_t width, float* dx) {
  for (std::int64_t row = 0; row < rows; ++row, dy += width, x += width, dx += width)
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j) dx[j] = factor[j] * (dy[j] - of_dy[j] - (x[j] - center[j]) * of_x[j]);
}

void squares(const float* x, std::int64_t n, float* y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i];
}

void add_shifted(float* x, std::int64_t shift, std::int64_t n) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) x[i] += x[i + shift];
}

void add(const float* x, std::int64_t n, float* y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] += x[i];
}

// Powers whose roots are instructions are taken by them.
void respond(const float* x, float bias, float alpha, float beta, std::int64_t n, float* norm, float* y) {
  auto divide = [&](auto&& power) __attribute__((always_inline)) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) {
      norm[i] = bias + alpha * norm[i];
      y[i] = power(x[i], norm[i]);
    }
  };
  if (beta == 0.5f) {
    divide([](float v, float of) __attribute__((always_inline)) { return v / std::sqrt(of); });
  } else if (beta == 0.75f) {
    divide([](float v, float of) __attribute__((always_inline)) {
      const float root = std::sqrt(of);
      return v / (root * std::sqrt(root));
    });
  } else if (beta == 1.0f) {
    divide([](float v, float of) __attribute__((always_inline)) { return v / of; });
  } else {
    divide([beta](float v, float of) __attribute__((always_inline)) { return v * vector_pow(of, -beta); });
  }
}

void parts(const float* dy, const float* y, const float* norm, std::int64_t n, float* to) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) to[i] = dy[i] * y[i] / norm[i];
}

void subtract_parts(const float* x, const float* sums, float factor, std::int64_t n, float* dx) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) dx[i] -= factor * x[i] * sums[i];
}

}  // namespace

void fill_normalization(NormalizationKernels& k) {
  k = {moments, gradient_sums, normalize, gradient, squares, add_shifted, add, respond, parts, subtract_parts};
}

}  // namespace tracefn
