// The sorting of keys in lanes that several kernels call, and the parts of its networks: bitonic ones (Batcher, Sorting
// networks and their applications, 1968) on rows of lanes.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "ops/array/array.kernels.h"
#include "ops/reduce/lanes.kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace tracefn {
namespace {

// What is sorted behind all keys.
template <typename Key>
constexpr Key kLast = std::is_floating_point_v<Key> ? std::numeric_limits<Key>::infinity()
                                                    : std::numeric_limits<Key>::max();

// Lanes of a register by number.
template <typename Key>
using LaneNumbers = typename Lanes<std::conditional_t<sizeof(Key) == 4, std::int32_t, std::int64_t>>::Register;

// One register of keys.
template <typename Key>
struct KeyRow {
  using Register = typename Lanes<Key>::Register;
  using Numbers = LaneNumbers<Key>;
  Register key;

  // The smaller key of each lane to a, the larger one to b. Floating-point keys are no NaN, and of zeros both may
  // become either: one instruction for each of the two, while integers of 8 bytes take several.
  [[gnu::always_inline]] static void order(KeyRow& a, KeyRow& b) {
    Register less, more;
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<Key, float>) {
      less = _mm512_min_ps(a.key, b.key);
      more = _mm512_max_ps(a.key, b.key);
    } else if constexpr (std::is_same_v<Key, double>) {
      less = _mm512_min_pd(a.key, b.key);
      more = _mm512_max_pd(a.key, b.key);
    } else
#elif defined(__AVX2__)
    if constexpr (std::is_same_v<Key, float>) {
      less = _mm256_min_ps(a.key, b.key);
      more = _mm256_max_ps(a.key, b.key);
    } else if constexpr (std::is_same_v<Key, double>) {
      less = _mm256_min_pd(a.key, b.key);
      more = _mm256_max_pd(a.key, b.key);
    } else
#endif
    {
      less = a.key < b.key ? a.key : b.key;
      more = a.key < b.key ? b.key : a.key;
    }
    a.key = less;
    b.key = more;
  }
  // Lanes in which `from_b` is -1 from b, the others from a.
  [[gnu::always_inline]] static KeyRow blended(const KeyRow& a, const KeyRow& b, const Numbers& from_b) {
    return {from_b ? b.key : a.key};
  }
  [[gnu::always_inline]] static KeyRow shuffled(const KeyRow& a, const Numbers& from) {
    return {__builtin_shuffle(a.key, from)};
  }
};

template <int n, typename F>
[[gnu::always_inline]] inline void unrolled(const F& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, i>{}), ...);
  }
  (std::make_integer_sequence<int, n>{});
}

// The levels of a merge at distances kDistance, kDistance / 2, ..., 1.
template <int kDistance, typename Row, int kRows>
[[gnu::always_inline]] inline void clean(Row (&v)[kRows]) {
  unrolled<kRows / 2>([&](auto i) __attribute__((always_inline)) {
    constexpr int at = i / kDistance * 2 * kDistance + i % kDistance;
    Row::order(v[at], v[at + kDistance]);
  });
  if constexpr (kDistance > 1) clean<kDistance / 2>(v);
}

// Merges sorted runs of kRun rows, and so on up to all.
template <int kRun, typename Row, int kRows>
[[gnu::always_inline]] inline void merge_runs(Row (&v)[kRows]) {
  unrolled<kRows / 2>([&](auto i) __attribute__((always_inline)) {
    constexpr int block = i / kRun * 2 * kRun, at = i % kRun;
    Row::order(v[block + at], v[block + 2 * kRun - 1 - at]);
  });
  if constexpr (kRun > 1) clean<kRun / 2>(v);
  if constexpr (2 * kRun < kRows) merge_runs<2 * kRun>(v);
}

// Lane i gets what lane i ^ kLane has.
template <typename Register, int kLane, int... i>
constexpr Register exchanged_lanes(std::integer_sequence<int, i...>) {
  return Register{(i ^ kLane)...};
}
// -1 for lanes with this bit.
template <typename Register, int kBit, int... i>
constexpr Register lanes_with(std::integer_sequence<int, i...>) {
  return Register{(i & kBit ? -1 : 0)...};
}

// a and what lanes exchanged by kLane make of b: the smaller keys to lanes without kBit, the larger ones to the others.
template <int kLane, int kBit, typename Row>
[[gnu::always_inline]] inline Row ordered_lanes(Row a, const Row& b) {
  using Numbers = typename Row::Numbers;
  using Places = std::make_integer_sequence<int, static_cast<int>(sizeof(Numbers) / sizeof(a.key[0]))>;
  Row other = Row::shuffled(b, exchanged_lanes<Numbers, kLane>(Places()));
  Row::order(a, other);
  return Row::blended(a, other, lanes_with<Numbers, kBit>(Places()));
}

// Lane j of the results of an exchange at kDistance: which of the 2 kWidth lanes of two registers it is.
template <typename Register, int kDistance, bool kSecond, int... j>
constexpr Register exchanged(std::integer_sequence<int, j...>) {
  constexpr int kWidth = sizeof...(j);
  return Register{
      (kSecond ? (j & kDistance ? kWidth + j : j + kDistance) : (j & kDistance ? kWidth + j - kDistance : j))...};
}

// kCount registers of kCount lanes, or of several parts of so many lanes, each of which is transposed.
template <int kDistance, typename Key, typename Register, int kCount>
[[gnu::always_inline]] inline void transpose(Register (&v)[kCount]) {
  using Numbers = LaneNumbers<Key>;
  using Places = std::make_integer_sequence<int, static_cast<int>(sizeof(Register) / sizeof(Key))>;
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) {
    if (i & kDistance) continue;
    const Register a = v[i], b = v[i + kDistance];
    v[i] = __builtin_shuffle(a, b, exchanged<Numbers, kDistance, false>(Places()));
    v[i + kDistance] = __builtin_shuffle(a, b, exchanged<Numbers, kDistance, true>(Places()));
  }
  if constexpr (2 * kDistance < kCount) transpose<2 * kDistance, Key>(v);
}

}  // namespace

// Sorts each of the lanes that kSortKeyBytes have: a row has one key of each. There is a multiple of kSortRows rows.
void sort_key_lanes(std::int64_t* keys, std::int64_t rows);
void sort_key_lanes(std::int32_t* keys, std::int64_t rows);
void sort_key_lanes(float* keys, std::int64_t rows);
void sort_key_lanes(double* keys, std::int64_t rows);

// Fills SortKernels::values and what sorts keys of single rows.
void fill_value_sort(ArrayKernels& kernels);
void fill_line_sort(ArrayKernels& kernels);

}  // namespace tracefn
