#include "ops/elementwise/half.kernels.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

#include <bit>

namespace tracefn {

void widen(const Eigen::half* x, float* y, std::int64_t n) {
  std::int64_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
#endif
  for (; i < n; ++i) y[i] = static_cast<float>(x[i]);
}

void narrow(const float* x, Eigen::half* y, std::int64_t n) {
  std::int64_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
#endif
  for (; i < n; ++i) y[i] = static_cast<Eigen::half>(x[i]);
}

void widen(const Eigen::bfloat16* x, float* y, std::int64_t n) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::bit_cast<float>(static_cast<std::uint32_t>(x[i].value) << 16);
}

void narrow(const float* x, Eigen::bfloat16* y, std::int64_t n) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint32_t u = std::bit_cast<std::uint32_t>(x[i]);
    std::uint32_t rounded = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
    std::uint32_t nan = (u >> 16) | 0x40;
    y[i].value = static_cast<std::uint16_t>((u & 0x7fffffff) > 0x7f800000 ? nan : rounded);
  }
}

}  // namespace tracefn
