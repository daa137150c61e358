// Vectors of the widest registers, and the tile of a product whose sums stay in them.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
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

// The largest tile: its sums, one step of B and an element of A fill the registers.
inline constexpr int kTileVectors = kRegisters >= 32 ? 3 : 2;
inline constexpr int kTileRows = kRegisters >= 32 ? 8 : 6;
template <typename T>
inline constexpr int kTileColumns = kTileVectors* kVectorLanes<T>;

// How a tile reads A.
enum class Rows {
  kAdjacent,  // [i, p] is at a[p * stride + i]: a packed panel, or a transposed matrix
  kApart,     // [i, p] is at a[i * stride + p]
};

// Pointers and strides of one tile. `last` is the number of columns in its last vector.
template <typename T>
struct Tile {
  const T* a;
  std::int64_t a_stride;
  const T* b;
  std::int64_t b_step;
  std::int64_t depth;
  T* c;
  std::int64_t ldc;
  int last;
  bool add;
};

// With kMasked no element of B beyond the last column is read.
template <typename T, int kHeight, int kVectors, Rows kRows, bool kMasked>
void multiply_tile(const Tile<T>& t) {
  constexpr int kLanes = kVectorLanes<T>;
  Vector<T> sums[kHeight][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kHeight; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[r][v] = Vector<T>{};
  const T *a = t.a, *b = t.b;
  const std::int64_t stride = t.a_stride, b_step = t.b_step;
  const int last = t.last;
  for (std::int64_t p = 0; p < t.depth; ++p) {
    Vector<T> y[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      y[v] = kMasked && v == kVectors - 1 ? load_first(b + v * kLanes, last) : load(b + v * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < kHeight; ++r) {
      const Vector<T> x = repeated(kRows == Rows::kAdjacent ? a[r] : a[r * stride]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[r][v] = multiply_add(x, y[v], sums[r][v]);
    }
    a += kRows == Rows::kAdjacent ? stride : 1;
    b += b_step;
  }
  auto each = [&](auto&& write) __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (int r = 0; r < kHeight; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) write(t.c + r * t.ldc + v * kLanes, sums[r][v], v);
  };
  if (last < kLanes) {
    each([&](T * to, Vector<T> sum, int v) __attribute__((always_inline)) {
      const int count = v == kVectors - 1 ? last : kLanes;
      store_first(to, t.add ? load_first(to, count) + sum : sum, count);
    });
  } else if (t.add) {
    each([](T * to, Vector<T> sum, int) __attribute__((always_inline)) { store(to, load(to) + sum); });
  } else {
    each([](T * to, Vector<T> sum, int) __attribute__((always_inline)) { store(to, sum); });
  }
}

template <typename T>
using TileFunction = void (*)(const Tile<T>&);

template <typename T, Rows kRows, bool kMasked, std::size_t... kIndex>
constexpr auto tile_functions(std::index_sequence<kIndex...>) {
  struct Table {
    TileFunction<T> of[kTileVectors * kTileRows];
  };
  return Table{{multiply_tile<T, static_cast<int>(kIndex) % kTileRows + 1, static_cast<int>(kIndex) / kTileRows + 1,
                              kRows, kMasked>...}};
}

// The function for a tile of `rows` rows and `columns` columns.
template <typename T, Rows kRows, bool kMasked>
TileFunction<T> tile_function(std::int64_t rows, std::int64_t columns) {
  static constexpr auto kTable =
      tile_functions<T, kRows, kMasked>(std::make_index_sequence<kTileVectors * kTileRows>());
  const std::int64_t vectors = (columns + kVectorLanes<T> - 1) / kVectorLanes<T>;
  return kTable.of[(vectors - 1) * kTileRows + rows - 1];
}

// The columns in the last vector of a tile.
template <typename T>
int last_lanes(std::int64_t columns) {
  return static_cast<int>((columns - 1) % kVectorLanes<T>) + 1;
}

}  // namespace
}  // namespace tracefn
