// Vectors of 64 bytes on every instruction set, so that all kernel libraries give the same bits. Included by the reduce
// *.kernels.cpp only.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace tracefn {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kRegisterBytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t kRegisterBytes = 32;
#else
constexpr std::size_t kRegisterBytes = 16;
#endif

// 64 bytes of numbers, in as many registers as the instruction set needs: compilers split wider vectors poorly.
template <typename T>
struct Lanes {
  static constexpr std::int64_t kCount = 64 / sizeof(T);
  static constexpr std::size_t kRegisters = 64 / kRegisterBytes;
  typedef T Register __attribute__((vector_size(kRegisterBytes)));
  struct Vector {
    Register r[kRegisters];
  };
};

// Applies f to each register: unrolled, since compilers keep in memory what a loop indexes.
template <typename F>
[[gnu::always_inline]] inline void for_registers(const F& f) {
  [&]<std::size_t... i>(std::index_sequence<i...>) { (f(std::integral_constant<std::size_t, i>{}), ...); }
  (std::make_index_sequence<64 / kRegisterBytes>{});
}

// 16 numbers of 16 bits as floats: compilers do not vectorize Eigen's conversions.
[[gnu::always_inline]] inline void widen_lanes(const Eigen::half* x, float* wide) {
#if defined(__AVX512F__)
  _mm512_storeu_ps(wide, _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x))));
#elif defined(__F16C__)
  for (int i = 0; i < 16; i += 8)
    _mm256_storeu_ps(wide + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
#else
  for (int i = 0; i < 16; ++i) wide[i] = static_cast<float>(x[i]);
#endif
}
[[gnu::always_inline]] inline void widen_lanes(const Eigen::bfloat16* x, float* wide) {
  std::uint16_t bits[16];
  std::uint32_t wide_bits[16];
  std::memcpy(bits, x, sizeof(bits));
  for (int i = 0; i < 16; ++i) wide_bits[i] = static_cast<std::uint32_t>(bits[i]) << 16;
  std::memcpy(wide, wide_bits, sizeof(wide_bits));
}

template <typename In>
inline constexpr bool kIs16BitFloat = std::is_same_v<In, Eigen::half> || std::is_same_v<In, Eigen::bfloat16>;

template <typename Acc, typename In>
[[gnu::always_inline]] inline typename Lanes<Acc>::Vector load(const In* x) {
  typename Lanes<Acc>::Vector v;
  if constexpr (std::is_same_v<Acc, In>) {
    for_registers([&](auto i) { std::memcpy(&v.r[i], x + i * kRegisterBytes / sizeof(Acc), kRegisterBytes); });
  } else {
    Acc wide[Lanes<Acc>::kCount];
    if constexpr (kIs16BitFloat<In> && std::is_same_v<Acc, float>) {
      widen_lanes(x, wide);
    } else {
      for (std::int64_t i = 0; i < Lanes<Acc>::kCount; ++i) wide[i] = static_cast<Acc>(x[i]);
    }
    std::memcpy(&v, wide, sizeof(v));
  }
  return v;
}

template <typename Acc>
[[gnu::always_inline]] inline void store(const typename Lanes<Acc>::Vector& v, Acc* y) {
  for_registers([&](auto i) { std::memcpy(y + i * kRegisterBytes / sizeof(Acc), &v.r[i], kRegisterBytes); });
}

}  // namespace
}  // namespace tracefn
