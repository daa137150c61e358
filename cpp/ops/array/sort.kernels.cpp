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
struct Narrow {
  struct Row {
    Register key;
  };
  std::int64_t* keys;

  [[gnu::always_inline]] Row row(std::int64_t i) const { return {load_keys(keys + i * kSortLanes)}; }
  [[gnu::always_inline]] void set(std::int64_t i, const Row& r) const {
    std::memcpy(keys + i * kSortLanes, &r.key, sizeof(r.key));
  }
  // The smaller key of each lane to a, the larger one to b.
  [[gnu::always_inline]] static void order(Row& a, Row& b) {
    const Register less = a.key < b.key ? a.key : b.key, more = a.key < b.key ? b.key : a.key;
    a.key = less;
    b.key = more;
  }
};
// The same of keys of 32 bits, in twice as many lanes.
struct Short {
  struct Row {
    typename Lanes<std::int32_t>::Register key;
  };
  std::int32_t* keys;

  [[gnu::always_inline]] Row row(std::int64_t i) const {
    Row r;
    std::memcpy(&r.key, keys + i * 2 * kSortLanes, sizeof(r.key));
    return r;
  }
  [[gnu::always_inline]] void set(std::int64_t i, const Row& r) const {
    std::memcpy(keys + i * 2 * kSortLanes, &r.key, sizeof(r.key));
  }
  [[gnu::always_inline]] static void order(Row& a, Row& b) {
    const auto less = a.key < b.key ? a.key : b.key, more = a.key < b.key ? b.key : a.key;
    a.key = less;
    b.key = more;
  }
};
struct Wide {
  struct Row {
    Register key, low;
  };
  std::int64_t* keys;
  std::int64_t* lows;

  [[gnu::always_inline]] Row row(std::int64_t i) const {
    return {load_keys(keys + i * kSortLanes), load_keys(lows + i * kSortLanes)};
  }
  [[gnu::always_inline]] void set(std::int64_t i, const Row& r) const {
    std::memcpy(keys + i * kSortLanes, &r.key, sizeof(r.key));
    std::memcpy(lows + i * kSortLanes, &r.low, sizeof(r.low));
  }
  [[gnu::always_inline]] static void order(Row& a, Row& b) {
    const Register swap = (b.key < a.key) | ((b.key == a.key) & (b.low < a.low));
    const Row less{swap ? b.key : a.key, swap ? b.low : a.low}, more{swap ? a.key : b.key, swap ? a.low : b.low};
    a = less;
    b = more;
  }
  // Lanes in which `from_b` is -1 from b, the others from a.
  [[gnu::always_inline]] static Row blended(const Row& a, const Row& b, const Register& from_b) {
    return {from_b ? b.key : a.key, from_b ? b.low : a.low};
  }
  [[gnu::always_inline]] static Row shuffled(const Row& a, const Register& from) {
    return {__builtin_shuffle(a.key, from), __builtin_shuffle(a.low, from)};
  }
};

template <typename Keys>
void order_rows(const Keys& keys, std::int64_t i, std::int64_t j) {
  typename Keys::Row a = keys.row(i), b = keys.row(j);
  Keys::order(a, b);
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
          Keys::order(a, c);
          Keys::order(b, d);
          Keys::order(a, b);
          Keys::order(c, d);
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
        keys, i,
        [](typename Keys::Row(&v)[kSortRows]) __attribute__((always_inline)) { clean<kSortRows / 2, Keys>(v); });
}

template <typename Keys>
void sort_lanes(const Keys& keys, std::int64_t rows) {
  for (std::int64_t i = 0; i < rows; i += kSortRows)
    in_registers(
        keys, i, [](typename Keys::Row(&v)[kSortRows]) __attribute__((always_inline)) { merge_runs<1, Keys>(v); });
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
    keys.set(i, ordered_lanes<2 * kRun - 1, kRun, Keys>(a, b));
    keys.set(j, ordered_lanes<2 * kRun - 1, kRun, Keys>(b, a));
  }
  if constexpr (kRun > 1) {
    for (std::int64_t i = 0; i < rows; ++i) {
      typename Keys::Row a = keys.row(i);
      if constexpr (kRun > 2) a = ordered_lanes<2, 2, Keys>(a, a);
      keys.set(i, ordered_lanes<1, 1, Keys>(a, a));
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

void sort_key_lanes(std::int64_t* keys, std::int64_t rows) {
  for (std::int64_t lane = 0; lane < kSortLanes; lane += kLanes) sort_lanes(Narrow{keys + lane}, rows);
}
void sort_key_lanes(std::int32_t* keys, std::int64_t rows) {
  for (std::int64_t lane = 0; lane < 2 * kSortLanes; lane += 2 * kLanes) sort_lanes(Short{keys + lane}, rows);
}

void fill_sort(ArrayKernels& kernels) {
  for_each_number([&]<typename T>(DType dtype, std::type_identity<T>) {
    kernels.sort[slot(dtype)] = {sort_key_lanes, wide_lanes, wide_line, first_block<T>};
  });
  fill_value_sort(kernels);
  fill_line_sort(kernels);
}

}  // namespace tracefn
