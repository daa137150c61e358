// Copies of elements that are not next to each other.
#include "ops/array/strided_copies.kernels.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace tracefn {
namespace {

// Two loops to adjacent elements, of which the inner one is short.
template <typename T>
void copy_short(const T* from, const std::int64_t* strides, T* to, const std::int64_t* sizes) {
  const std::int64_t n = sizes[0], stride = strides[0], inner_n = sizes[1], inner = strides[1];
  if (stride == 0) {
    // Twice as many in each step.
    const std::int64_t all = n * inner_n;
    for (std::int64_t j = 0; j < inner_n; ++j) to[j] = from[j * inner];
    for (std::int64_t done = inner_n; done < all; done *= 2)
      std::memcpy(to + done, to, static_cast<std::size_t>(std::min(done, all - done)) * sizeof(T));
  } else if (inner == 0) {
    for (std::int64_t i = 0; i < n; ++i, from += stride)
      for (const T* const end = to + inner_n; to != end; ++to) *to = *from;
  } else {
    for (std::int64_t i = 0; i < n; ++i, from += stride)
      for (std::int64_t j = 0; j < inner_n; ++j) *to++ = from[j * inner];
  }
}

// Every second element.
template <typename T>
void gather_second(const T* from, T* to, std::int64_t n) {
  std::int64_t i = 0;
#if defined(__AVX2__)
  // What lies between the last two elements is there, but nothing behind the last one may be.
  constexpr int kOrder = 0xD8;  // of the quarters: the lower ones of both, then the upper ones
  if constexpr (sizeof(T) == 4) {
    for (; i + 8 < n; i += 8) {
      const auto* at = reinterpret_cast<const float*>(from + 2 * i);
      const __m256 even = _mm256_shuffle_ps(_mm256_loadu_ps(at), _mm256_loadu_ps(at + 8), 0x88);
      const __m256i in_order = _mm256_permute4x64_epi64(_mm256_castps_si256(even), kOrder);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), in_order);
    }
  } else if constexpr (sizeof(T) == 8) {
    for (; i + 4 < n; i += 4) {
      const auto* at = reinterpret_cast<const double*>(from + 2 * i);
      const __m256d even = _mm256_unpacklo_pd(_mm256_loadu_pd(at), _mm256_loadu_pd(at + 4));
      const __m256i in_order = _mm256_permute4x64_epi64(_mm256_castpd_si256(even), kOrder);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), in_order);
    }
  }
#endif
  for (; i < n; ++i) to[i] = from[2 * i];
}

// To every second place: what is between stays.
template <typename T>
void spread(const T* from, T* to, std::int64_t n) {
  std::int64_t i = 0;
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    for (; i + 8 <= n; i += 8) {
      const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
      _mm512_mask_storeu_epi32(to + 2 * i, 0x5555, _mm512_cvtepu32_epi64(eight));
    }
  } else if constexpr (sizeof(T) == 8) {
    const __m512i places = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
    for (; i + 4 <= n; i += 4) {
      const __m256i four = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
      _mm512_mask_storeu_epi64(to + 2 * i, 0x55, _mm512_permutexvar_epi64(places, _mm512_castsi256_si512(four)));
    }
  }
#endif
#pragma GCC unroll 4
  for (; i < n; ++i) to[2 * i] = from[i];
}

template <typename T>
void copy_loops(const T* from, const std::int64_t* strides, T* to, const std::int64_t* to_strides,
                const std::int64_t* sizes, std::size_t loops) {
  constexpr std::int64_t kShort = 16;
  const std::int64_t n = sizes[0], stride = strides[0], to_stride = to_strides[0];
  const auto copy = [&](auto step, auto to_step) {
    for (std::int64_t i = 0; i < n; ++i) to[i * to_step] = from[i * step];
  };
  constexpr std::integral_constant<std::int64_t, 1> kOne;
  if (loops == 2 && sizes[1] <= kShort && to_strides[1] == 1 && to_stride == sizes[1]) {
    copy_short(from, strides, to, sizes);
  } else if (loops > 1) {
    for (std::int64_t i = 0; i < n; ++i)
      copy_loops(from + i * stride, strides + 1, to + i * to_stride, to_strides + 1, sizes + 1, loops - 1);
  } else if (stride == 1 && to_stride == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
  } else if (to_stride == 1 && stride == 2) {
    gather_second(from, to, n);
  } else if (to_stride == 2 && stride == 1) {
    spread(from, to, n);
  } else if (to_stride == 1) {
    copy(stride, kOne);
  } else {
    copy(stride, to_stride);
  }
}

struct Wide {
  std::uint64_t halves[2];
};

template <typename T>
void copy(const void* from, const std::int64_t* strides, void* to, const std::int64_t* to_strides,
          const std::int64_t* sizes, std::size_t loops) {
  copy_loops(static_cast<const T*>(from), strides, static_cast<T*>(to), to_strides, sizes, loops);
}

}  // namespace

void fill_copies(CopyKernels& kernels) {
  kernels.strided[copy_slot(1)] = copy<std::uint8_t>;
  kernels.strided[copy_slot(2)] = copy<std::uint16_t>;
  kernels.strided[copy_slot(4)] = copy<std::uint32_t>;
  kernels.strided[copy_slot(8)] = copy<std::uint64_t>;
  kernels.strided[copy_slot(16)] = copy<Wide>;
}

}  // namespace tracefn
