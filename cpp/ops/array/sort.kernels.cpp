// Networks on vectors of keys: lanes are sorted side by side, then merged. What runs does not depend on the keys.
#include <cstring>
#include <type_traits>

#include "ops/array/array.kernels.h"
#include "ops/array/sort_bits.h"
#include "ops/array/sort_lanes.kernels.h"
#include "ops/each_number.kernels.h"
#include "ops/reduce/lanes.kernels.h"

namespace tracefn {
namespace {

using Register = typename Lanes<std::int64_t>::Register;
constexpr std::int64_t kLanes = kRegisterBytes / 8;

[[gnu::always_inline]] inline Register load_keys(const std::int64_t* x) {
  Register v;
  std::memcpy(&v, x, sizeof(v));
  return v;
}

// Keys of some lanes of all rows.
template <typename Key>
struct Narrow {
  using Row = KeyRow<Key>;
  static constexpr std::int64_t kLanesOfRow = kSortKeyBytes / sizeof(Key);
  Key* keys;

  [[gnu::always_inline]] Row row(std::int64_t i) const {
    Row r;
    std::memcpy(&r.key, keys + i * kLanesOfRow, sizeof(r.key));
    return r;
  }
  [[gnu::always_inline]] void set(std::int64_t i, const Row& r) const {
    std::memcpy(keys + i * kLanesOfRow, &r.key, sizeof(r.key));
  }
};
struct WideRow {
  using Numbers = Register;
  Register key, low;

  [[gnu::always_inline]] static void order(WideRow& a, WideRow& b) {
    const Register swap = (b.key < a.key) | ((b.key == a.key) & (b.low < a.low));
    const WideRow less{swap ? b.key : a.key, swap ? b.low : a.low}, more{swap ? a.key : b.key, swap ? a.low : b.low};
    a = less;
    b = more;
  }
  [[gnu::always_inline]] static WideRow blended(const WideRow& a, const WideRow& b, const Register& from_b) {
    return {from_b ? b.key : a.key, from_b ? b.low : a.low};
  }
  [[gnu::always_inline]] static WideRow shuffled(const WideRow& a, const Register& from) {
    return {__builtin_shuffle(a.key, from), __builtin_shuffle(a.low, from)};
  }
};
struct Wide {
  using Row = WideRow;
  std::int64_t* keys;
  std::int64_t* lows;

  [[gnu::always_inline]] Row row(std::int64_t i) const {
    return {load_keys(keys + i * kSortLanes), load_keys(lows + i * kSortLanes)};
  }
  [[gnu::always_inline]] void set(std::int64_t i, const Row& r) const {
    std::memcpy(keys + i * kSortLanes, &r.key, sizeof(r.key));
    std::memcpy(lows + i * kSortLanes, &r.low, sizeof(r.low));
  }
};

template <typename Keys>
void order_rows(const Keys& keys, std::int64_t i, std::int64_t j) {
  typename Keys::Row a = keys.row(i), b = keys.row(j);
  Keys::Row::order(a, b);
  keys.set(i, a);
  keys.set(j, b);
}

template <typename Keys, typename F>
[[gnu::always_inline]] inline void in_registers(const Keys& keys, std::int64_t first, const F& f) {
  typename Keys::Row v[kSortRows];
  unrolled<kSortRows>([&](auto i) __attribute__((always_inline)) { v[i] = keys.row(first + i); });
  f(v);
  unrolled<kSortRows>([&](auto i) __attribute__((always_inline)) { keys.set(first + i, v[i]); });
}

// The levels of a merge at `distance` and below. Rows after the last one count as larger than all.
template <typename Keys>
void clean_rows(const Keys& keys, std::int64_t rows, std::int64_t distance) {
  for (; distance >= 2 * kSortRows; distance /= 4) {
    // Two levels at once.
    const std::int64_t half = distance / 2;
    for (std::int64_t block = 0; block < rows; block += 2 * distance) {
      for (std::int64_t i = block; i < block + half && i < rows; ++i) {
        if (i + 3 * half < rows) {
          typename Keys::Row a = keys.row(i), b = keys.row(i + half), c = keys.row(i + distance),
                             d = keys.row(i + 3 * half);
          Keys::Row::order(a, c);
          Keys::Row::order(b, d);
          Keys::Row::order(a, b);
          Keys::Row::order(c, d);
          keys.set(i, a);
          keys.set(i + half, b);
          keys.set(i + distance, c);
          keys.set(i + 3 * half, d);
          continue;
        }
        if (i + distance < rows) order_rows(keys, i, i + distance);
        if (i + half < rows) order_rows(keys, i, i + half);
      }
    }
  }
  if (distance == kSortRows) {
    for (std::int64_t block = 0; block < rows; block += 2 * distance)
      for (std::int64_t i = block; i < block + distance && i + distance < rows; ++i) order_rows(keys, i, i + distance);
  }
  for (std::int64_t i = 0; i < rows; i += kSortRows)
    in_registers(
        keys, i, [](typename Keys::Row(&v)[kSortRows]) __attribute__((always_inline)) { clean<kSortRows / 2>(v); });
}

template <typename Keys>
void sort_lanes(const Keys& keys, std::int64_t rows) {
  for (std::int64_t i = 0; i < rows; i += kSortRows)
    in_registers(
        keys, i, [](typename Keys::Row(&v)[kSortRows]) __attribute__((always_inline)) { merge_runs<1>(v); });
  for (std::int64_t run = kSortRows; run < rows; run *= 2) {
    for (std::int64_t block = 0; block < rows; block += 2 * run)
      for (std::int64_t i = 0, j = block + 2 * run - 1; i < run; ++i, --j)
        if (j < rows) order_rows(keys, block + i, j);
    clean_rows(keys, rows, run / 2);
  }
}

#if defined(__AVX512F__)
// Merges runs of kRun lanes each.
template <int kRun, typename Keys>
void merge_lanes(const Keys& keys, std::int64_t rows) {
  for (std::int64_t i = 0, j = rows - 1; i < j; ++i, --j) {
    const typename Keys::Row a = keys.row(i), b = keys.row(j);
    keys.set(i, ordered_lanes<2 * kRun - 1, kRun>(a, b));
    keys.set(j, ordered_lanes<2 * kRun - 1, kRun>(b, a));
  }
  if constexpr (kRun > 1) {
    for (std::int64_t i = 0; i < rows; ++i) {
      typename Keys::Row a = keys.row(i);
      if constexpr (kRun > 2) a = ordered_lanes<2, 2>(a, a);
      keys.set(i, ordered_lanes<1, 1>(a, a));
    }
  }
  clean_rows(keys, rows, rows / 2);
}

template <typename Keys>
void sort_line(const Keys& keys, std::int64_t rows) {
  sort_lanes(keys, rows);
  merge_lanes<1>(keys, rows);
  merge_lanes<2>(keys, rows);
  merge_lanes<4>(keys, rows);
}
void wide_line(std::int64_t* keys, std::int64_t* low, std::int64_t rows) { sort_line(Wide{keys, low}, rows); }
#else
constexpr decltype(SortKernels::wide_line) wide_line = nullptr;
#endif

void wide_lanes(std::int64_t* keys, std::int64_t* low, std::int64_t rows) {
  for (std::int64_t lane = 0; lane < kSortLanes; lane += kLanes) sort_lanes(Wide{keys + lane, low + lane}, rows);
}

template <typename Key>
void sort_all_lanes(Key* keys, std::int64_t rows) {
  constexpr std::int64_t kTogether = kRegisterBytes / sizeof(Key);
  for (std::int64_t lane = 0; lane < Narrow<Key>::kLanesOfRow; lane += kTogether)
    sort_lanes(Narrow<Key>{keys + lane}, rows);
}

template <typename T>
std::int64_t first_block(const void* elements, std::int64_t n, std::uint64_t key) {
  auto* x = static_cast<const T*>(elements);
  using U = decltype(descending_bits(T()));
  const U limit = static_cast<U>(key);
  std::int64_t i = 0;
  for (; i + kSortBlock <= n; i += kSortBlock) {
    U below = 0;
    for (std::int64_t j = 0; j < kSortBlock; ++j)
      below = static_cast<U>(below | (descending_bits(x[i + j]) < limit ? U(1) : U(0)));
    if (below) return i;
  }
  for (std::int64_t j = i; j < n; ++j)
    if (descending_bits(x[j]) < limit) return i;
  return n;
}

}  // namespace

void sort_key_lanes(std::int64_t* keys, std::int64_t rows) { sort_all_lanes(keys, rows); }
void sort_key_lanes(std::int32_t* keys, std::int64_t rows) { sort_all_lanes(keys, rows); }
void sort_key_lanes(float* keys, std::int64_t rows) { sort_all_lanes(keys, rows); }
void sort_key_lanes(double* keys, std::int64_t rows) { sort_all_lanes(keys, rows); }

void fill_sort(ArrayKernels& kernels) {
  for_each_number([&]<typename T>(DType dtype, std::type_identity<T>) {
    kernels.sort[slot(dtype)] = {sort_key_lanes, wide_lanes, wide_line, first_block<T>};
  });
  fill_value_sort(kernels);
  fill_line_sort(kernels);
}

}  // namespace tracefn
