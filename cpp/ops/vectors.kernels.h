// Vectors of the widest registers.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tracefn {
namespace {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64, kRegisters = 32;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32, kRegisters = 16;
#elif defined(__aarch64__)
inline constexpr int kVectorBytes = 16, kRegisters = 32;
#else
inline constexpr int kVectorBytes = 16, kRegisters = 16;
#endif

template <typename T, int kBytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(kBytes)));
  typedef T unaligned __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
};
template <typename T>
using Vector = typename VectorOf<T, kVectorBytes>::type;
template <typename T>
inline constexpr int kVectorLanes = kVectorBytes / static_cast<int>(sizeof(T));

template <typename T>
[[gnu::always_inline]] inline Vector<T> load(const T* from) {
  return *reinterpret_cast<const typename VectorOf<T, kVectorBytes>::unaligned*>(from);
}
template <typename T>
[[gnu::always_inline]] inline void store(T* to, Vector<T> x) {
  *reinterpret_cast<typename VectorOf<T, kVectorBytes>::unaligned*>(to) = x;
}

template <typename T, std::size_t... kLane>
[[gnu::always_inline]] inline Vector<T> repeated(T x, std::index_sequence<kLane...>) {
  return Vector<T>{(static_cast<void>(kLane), x)...};
}
template <typename T>
[[gnu::always_inline]] inline Vector<T> repeated(T x) {
  return repeated(x, std::make_index_sequence<kVectorLanes<T>>());
}

// a b + c, rounded once if the instruction set can.
template <typename V>
[[gnu::always_inline]] inline V multiply_add(V a, V b, V c) {
  [[maybe_unused]] constexpr bool kFloat = sizeof(a[0]) == sizeof(float);
#if defined(__AVX512F__)
  if constexpr (kFloat) {
    return reinterpret_cast<V>(
        _mm512_fmadd_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
  } else {
    return reinterpret_cast<V>(
        _mm512_fmadd_pd(reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
  }
#elif defined(__FMA__)
  if constexpr (kFloat) {
    return reinterpret_cast<V>(
        _mm256_fmadd_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
  } else {
    return reinterpret_cast<V>(
        _mm256_fmadd_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b), reinterpret_cast<__m256d>(c)));
  }
#elif defined(__aarch64__)
  if constexpr (kFloat) {
    return reinterpret_cast<V>(vfmaq_f32(reinterpret_cast<float32x4_t>(c), reinterpret_cast<float32x4_t>(a),
                                         reinterpret_cast<float32x4_t>(b)));
  } else {
    return reinterpret_cast<V>(vfmaq_f64(reinterpret_cast<float64x2_t>(c), reinterpret_cast<float64x2_t>(a),
                                         reinterpret_cast<float64x2_t>(b)));
  }
#else
  return a * b + c;
#endif
}

// The first `count` lanes, from 1 to all of them; the other lanes are zero and are not read.
template <typename T>
[[gnu::always_inline]] inline Vector<T> load_first(const T* from, int count) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == sizeof(float)) {
    return reinterpret_cast<Vector<T>>(_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), from));
  } else {
    return reinterpret_cast<Vector<T>>(_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << count) - 1), from));
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == sizeof(float)) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return reinterpret_cast<Vector<T>>(_mm256_maskload_ps(from, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lanes)));
  } else {
    const __m256i lanes = _mm256_setr_epi64x(0, 1, 2, 3);
    return reinterpret_cast<Vector<T>>(_mm256_maskload_pd(from, _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), lanes)));
  }
#else
  Vector<T> x{};
  std::memcpy(&x, from, static_cast<std::size_t>(count) * sizeof(T));
  return x;
#endif
}

template <typename T>
[[gnu::always_inline]] inline void store_first(T* to, Vector<T> x, int count) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == sizeof(float)) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1), reinterpret_cast<__m512>(x));
  } else {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << count) - 1), reinterpret_cast<__m512d>(x));
  }
#else
  std::memcpy(to, &x, static_cast<std::size_t>(count) * sizeof(T));
#endif
}

// An order of lanes, made once and given to many vectors.
template <typename T>
class LaneOrder {
 public:
  // Lane i of the result is lane source(i).
  template <typename F>
  explicit LaneOrder(const F& source) {
    for (int i = 0; i < kVectorLanes<T>; ++i) {
      const int from = source(i);
#if defined(__AVX2__) && !defined(__AVX512F__)
      constexpr int kWords = static_cast<int>(sizeof(T) / sizeof(std::int32_t));
      for (int word = 0; word < kWords; ++word) lanes_[i * kWords + word] = from * kWords + word;
#else
      lanes_[i] = from;
#endif
    }
  }

  [[gnu::always_inline]] Vector<T> of(Vector<T> x) const {
#if defined(__AVX512F__)
    const __m512i lanes = _mm512_load_si512(lanes_);
    if constexpr (sizeof(T) == sizeof(float)) {
      return reinterpret_cast<Vector<T>>(_mm512_permutexvar_ps(lanes, reinterpret_cast<__m512>(x)));
    } else {
      return reinterpret_cast<Vector<T>>(_mm512_permutexvar_pd(lanes, reinterpret_cast<__m512d>(x)));
    }
#elif defined(__AVX2__)
    const __m256i words = _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes_));
    return reinterpret_cast<Vector<T>>(_mm256_permutevar8x32_ps(reinterpret_cast<__m256>(x), words));
#else
    Vector<T> result;
    for (int i = 0; i < kVectorLanes<T>; ++i) result[i] = x[lanes_[i]];
    return result;
#endif
  }

 private:
#if defined(__AVX512F__)
  using Lane = std::conditional_t<sizeof(T) == sizeof(float), std::int32_t, std::int64_t>;
#else
  using Lane = std::int32_t;
#endif
  alignas(kVectorBytes) Lane lanes_[kVectorBytes / sizeof(Lane)];
};

}  // namespace
}  // namespace tracefn
