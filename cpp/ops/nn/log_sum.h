// Sums of probabilities that are given by their logarithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tracefn {

inline constexpr double kLogZero = -std::numeric_limits<double>::infinity();

// log(exp(a) + exp(b))
inline double log_sum(double a, double b) {
  if (a == kLogZero) return b;
  if (b == kLogZero) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// The logarithm of the softmax of n logits.
template <typename T>
void log_softmax(const T* x, std::int64_t n, double* out) {
  const auto most = static_cast<double>(*std::max_element(x, x + n));
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::exp(static_cast<double>(x[i]) - most);
  const double offset = most + std::log(sum);
  for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<double>(x[i]) - offset;
}

}  // namespace tracefn
