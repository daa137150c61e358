// The sorting of keys in lanes that several kernels call, and the parts of its networks: bitonic ones (Batcher, Sorting
// networks and their applications, 1968) on rows of lanes.
#pragma once

#include <cstdint>
#include <utility>

#include "ops/array/array.kernels.h"
#include "ops/reduce/lanes.kernels.h"

namespace tracefn {
namespace {

template <int n, typename F>
[[gnu::always_inline]] inline void unrolled(const F& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, i>{}), ...);
  }
  (std::make_integer_sequence<int, n>{});
}

// The levels of a merge at distances kDistance, kDistance / 2, ..., 1, in 16 rows.
template <int kDistance, typename Keys>
[[gnu::always_inline]] inline void clean(typename Keys::Row (&v)[kSortRows]) {
  unrolled<kSortRows / 2>([&](auto i) __attribute__((always_inline)) {
    constexpr int at = i / kDistance * 2 * kDistance + i % kDistance;
    Keys::order(v[at], v[at + kDistance]);
  });
  if constexpr (kDistance > 1) clean<kDistance / 2, Keys>(v);
}

// Merges sorted runs of kRun rows, and so on up to 16.
template <int kRun, typename Keys>
[[gnu::always_inline]] inline void merge_runs(typename Keys::Row (&v)[kSortRows]) {
  unrolled<kSortRows / 2>([&](auto i) __attribute__((always_inline)) {
    constexpr int block = i / kRun * 2 * kRun, at = i % kRun;
    Keys::order(v[block + at], v[block + 2 * kRun - 1 - at]);
  });
  if constexpr (kRun > 1) clean<kRun / 2, Keys>(v);
  if constexpr (2 * kRun < kSortRows) merge_runs<2 * kRun, Keys>(v);
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
template <int kLane, int kBit, typename Keys>
[[gnu::always_inline]] inline typename Keys::Row ordered_lanes(typename Keys::Row a, const typename Keys::Row& b) {
  using Register = decltype(a.key);
  using Places = std::make_integer_sequence<int, static_cast<int>(sizeof(Register) / sizeof(a.key[0]))>;
  typename Keys::Row other = Keys::shuffled(b, exchanged_lanes<Register, kLane>(Places()));
  Keys::order(a, other);
  return Keys::blended(a, other, lanes_with<Register, kBit>(Places()));
}

// Lane j of the results of an exchange at kDistance: which of the 2 kWidth lanes of two registers it is.
template <typename Register, int kDistance, bool kSecond, int... j>
constexpr Register exchanged(std::integer_sequence<int, j...>) {
  constexpr int kWidth = sizeof...(j);
  return Register{
      (kSecond ? (j & kDistance ? kWidth + j : j + kDistance) : (j & kDistance ? kWidth + j - kDistance : j))...};
}

// kWidth registers of kWidth lanes.
template <int kDistance, typename Register, int kWidth>
[[gnu::always_inline]] inline void transpose(Register (&v)[kWidth]) {
  using Places = std::make_integer_sequence<int, kWidth>;
#pragma GCC unroll 16
  for (int i = 0; i < kWidth; ++i) {
    if (i & kDistance) continue;
    const Register a = v[i], b = v[i + kDistance];
    v[i] = __builtin_shuffle(a, b, exchanged<Register, kDistance, false>(Places()));
    v[i + kDistance] = __builtin_shuffle(a, b, exchanged<Register, kDistance, true>(Places()));
  }
  if constexpr (2 * kDistance < kWidth) transpose<2 * kDistance>(v);
}

}  // namespace

// Sorts each of kSortLanes lanes: row i has keys [kSortLanes i, kSortLanes (i + 1)). There is a multiple of kSortRows
// rows.
void sort_key_lanes(std::int64_t* keys, std::int64_t rows);
// The same of twice as many lanes.
void sort_key_lanes(std::int32_t* keys, std::int64_t rows);

// Fills SortKernels::values and what sorts keys of single rows.
void fill_value_sort(ArrayKernels& kernels);
void fill_line_sort(ArrayKernels& kernels);

}  // namespace tracefn
