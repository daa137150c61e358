// Sorts the keys of one row in place: a quicksort whose partitions move whole registers, down to what a network sorts
// in registers (Bramas, A novel hybrid quicksort algorithm vectorized using AVX-512 on Intel Skylake, 2017).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/subnormals.h"
#include "ops/array/sort_lanes.kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace tracefn {
namespace {

// Places of keys in a register of 32-bit parts, for each mask: those with their bit set first, in order, then the
// others.
template <int kWidth, int kParts>
constexpr auto partition_places() {
  std::array<std::array<std::uint8_t, 8>, 1 << kWidth> all{};
  for (unsigned mask = 0; mask < all.size(); ++mask) {
    int at = 0;
    for (const bool wanted : {true, false})
      for (int i = 0; i < kWidth; ++i)
        if ((mask >> i & 1) == wanted)
          for (int part = 0; part < kParts; ++part)
            all[mask][static_cast<std::size_t>(at++)] = static_cast<std::uint8_t>(i * kParts + part);
  }
  return all;
}

template <typename Key>
struct LineSort {
  using Row = KeyRow<Key>;
  using Register = typename Row::Register;
  static constexpr int kWidth = static_cast<int>(kRegisterBytes / sizeof(Key));
  static constexpr std::int64_t kInRegisters = kSortRows * kWidth;

  [[gnu::always_inline]] static Register load(const Key* x) {
    Register v;
    std::memcpy(&v, x, sizeof(v));
    return v;
  }
  [[gnu::always_inline]] static void store(const Register& v, Key* x) { std::memcpy(x, &v, sizeof(v)); }

  // Merges runs of kRun sorted lanes each, and so on.
  template <int kRun, int kRows>
  [[gnu::always_inline]] static void merge_lanes(Row (&v)[kRows]) {
    unrolled<kRows / 2>([&](auto i) __attribute__((always_inline)) {
      const Row a = v[i], b = v[kRows - 1 - i];
      v[i] = ordered_lanes<2 * kRun - 1, kRun>(a, b);
      v[kRows - 1 - i] = ordered_lanes<2 * kRun - 1, kRun>(b, a);
    });
    clean_lanes<kRun / 2>(v);
    clean<kRows / 2>(v);
    if constexpr (2 * kRun < kWidth) merge_lanes<2 * kRun>(v);
  }
  template <int kDistance, int kRows>
  [[gnu::always_inline]] static void clean_lanes(Row (&v)[kRows]) {
    if constexpr (kDistance > 0) {
      unrolled<kRows>([&](auto i)
                          __attribute__((always_inline)) { v[i] = ordered_lanes<kDistance, kDistance>(v[i], v[i]); });
      clean_lanes<kDistance / 2>(v);
    }
  }

  // n keys in rows, those that are not there come last.
  template <int kRows>
  [[gnu::always_inline]] static void load_rows(const Key* x, std::int64_t n, Row (&v)[kRows]) {
    alignas(64) Key last[kWidth];
    std::fill_n(last, kWidth, kLast<Key>);
    const std::int64_t whole = n / kWidth, rest = n % kWidth;
    std::copy_n(x + whole * kWidth, rest, last);
    const Register none = Register{} + kLast<Key>;
    unrolled<kRows>([&](auto i) __attribute__((always_inline)) {
      v[i].key = i < whole ? load(x + i * kWidth) : i == whole ? load(last) : none;
    });
  }
  // kCount keys of a register to places [at, at + kCount), of which there are n.
  template <int kCount>
  [[gnu::always_inline]] static void store_some(const Key* keys, Key* x, std::int64_t at, std::int64_t n) {
    if (at + kCount <= n) {
      std::memcpy(x + at, keys, kCount * sizeof(Key));
    } else if (at < n) {
      std::memcpy(x + at, keys, static_cast<std::size_t>(n - at) * sizeof(Key));
    }
  }

  // At most kRows kWidth keys.
  template <int kRows>
  static void sort_rows(Key* x, std::int64_t n) {
    Row v[kRows];
    load_rows(x, n, v);
    merge_runs<1>(v);
    merge_lanes<1>(v);
    // Lane j has keys [kRows j, kRows (j + 1)): squares of lanes are transposed.
    constexpr int kSquare = std::min(kRows, kWidth);
    unrolled<kRows / kSquare>([&](auto block) __attribute__((always_inline)) {
      Register part[kSquare];
      unrolled<kSquare>([&](auto i) __attribute__((always_inline)) { part[i] = v[block * kSquare + i].key; });
      transpose<1, Key>(part);
      unrolled<kSquare>([&](auto i) __attribute__((always_inline)) {
        const auto* keys = reinterpret_cast<const Key*>(&part[i]);
        unrolled<kWidth / kSquare>([&](auto square) __attribute__((always_inline)) {
          const std::int64_t lane = square * kSquare + i;
          store_some<kSquare>(keys + square * kSquare, x, lane * kRows + block * kSquare, n);
        });
      });
    });
  }

  // At most kInRegisters keys.
  static void sort_few(Key* x, std::int64_t n) {
    constexpr std::int64_t kByComparisons = 16;
    if (n <= kByComparisons) return std::sort(x, x + n);
    if (n <= kInRegisters / 4) return sort_rows<kSortRows / 4>(x, n);
    if (n <= kInRegisters / 2) return sort_rows<kSortRows / 2>(x, n);
    sort_rows<kSortRows>(x, n);
  }

  // Sorts registers of keys that first rise, then fall.
  [[gnu::always_inline]] static void clean_all(Row (&v)[kSortRows]) {
    clean<kSortRows / 2>(v);
    clean_lanes<kWidth / 2>(v);
  }

  [[gnu::always_inline]] static Row reversed(const Row& a) {
    using Places = std::make_integer_sequence<int, kWidth>;
    return Row::shuffled(a, exchanged_lanes<typename Row::Numbers, kWidth - 1>(Places()));
  }

  // More than kInRegisters keys, at most twice as many: sorts both halves, then merges them.
  static void sort_halves(Key* x, std::int64_t n) {
    Key* const second = x + kInRegisters;
    sort_few(x, kInRegisters);
    sort_few(second, n - kInRegisters);
    Row low[kSortRows], high[kSortRows];
    load_rows(second, n - kInRegisters, high);
    alignas(64) Key larger[kInRegisters];
    unrolled<kSortRows>([&](auto i) __attribute__((always_inline)) {
      Row b = reversed(high[kSortRows - 1 - i]);
      low[i].key = load(x + i * kWidth);
      Row::order(low[i], b);
      store(b.key, larger + i * kWidth);
    });
    clean_all(low);
    unrolled<kSortRows>([&](auto i) __attribute__((always_inline)) { store(low[i].key, x + i * kWidth); });
    unrolled<kSortRows>([&](auto i) __attribute__((always_inline)) { high[i].key = load(larger + i * kWidth); });
    clean_all(high);
    unrolled<kSortRows>([&](auto i) __attribute__((always_inline)) {
      store_some<kWidth>(reinterpret_cast<const Key*>(&high[i]), second, i * kWidth, n - kInRegisters);
    });
  }

  // Where keys go in a partition: those up to the pivot to `left`, which grows, and the others below `right`, which
  // shrinks.
  struct Halves {
    Key pivot;
    Key *left, *right;

    // Precondition: left < right. Without branches: writes to both.
    [[gnu::always_inline]] void put(Key key) {
      const bool low = key <= pivot;
      *left = key;
      right[-1] = key;
      left += low;
      right -= !low;
    }
#if defined(__AVX512F__)
    // Which keys are up to the pivot.
    [[gnu::always_inline]] auto up_to_pivot(const Register& v) const {
      if constexpr (std::is_same_v<Key, float>) {
        return _mm512_cmp_ps_mask(v, _mm512_set1_ps(pivot), _CMP_LE_OQ);
      } else if constexpr (std::is_same_v<Key, double>) {
        return _mm512_cmp_pd_mask(v, _mm512_set1_pd(pivot), _CMP_LE_OQ);
      } else if constexpr (sizeof(Key) == 4) {
        return _mm512_cmple_epi32_mask(std::bit_cast<__m512i>(v), _mm512_set1_epi32(pivot));
      } else {
        return _mm512_cmple_epi64_mask(std::bit_cast<__m512i>(v), _mm512_set1_epi64(pivot));
      }
    }
#endif
    // Precondition: there is room for a register after `left` and before `right`.
    [[gnu::always_inline]] void put(const Register& v) {
#if defined(__AVX512F__)
      const auto keys = std::bit_cast<__m512i>(v);
      if constexpr (sizeof(Key) == 4) {
        const __mmask16 low = up_to_pivot(v), high = _knot_mask16(low);
        const int n = std::popcount(static_cast<unsigned>(low));
        _mm512_storeu_si512(left, _mm512_maskz_compress_epi32(low, keys));
        left += n;
        right -= kWidth - n;
        _mm512_mask_storeu_epi32(right, static_cast<__mmask16>(0xffffu >> n), _mm512_maskz_compress_epi32(high, keys));
      } else {
        const __mmask8 low = up_to_pivot(v), high = static_cast<__mmask8>(~low);
        const int n = std::popcount(static_cast<unsigned>(low));
        _mm512_storeu_si512(left, _mm512_maskz_compress_epi64(low, keys));
        left += n;
        right -= kWidth - n;
        _mm512_mask_storeu_epi64(right, static_cast<__mmask8>(0xffu >> n), _mm512_maskz_compress_epi64(high, keys));
      }
#elif defined(__AVX2__)
      static constexpr auto kPlaces = partition_places<kWidth, sizeof(Key) / 4>();
      const auto more = std::bit_cast<__m256i>(v > pivot);
      unsigned low;
      if constexpr (sizeof(Key) == 4) {
        low = static_cast<unsigned>(~_mm256_movemask_ps(_mm256_castsi256_ps(more))) & 0xffu;
      } else {
        low = static_cast<unsigned>(~_mm256_movemask_pd(_mm256_castsi256_pd(more))) & 0xfu;
      }
      const __m256i places =
          _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(kPlaces[low].data())));
      const __m256i parted = _mm256_permutevar8x32_epi32(std::bit_cast<__m256i>(v), places);
      const int n = std::popcount(low);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(left), parted);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(right - kWidth), parted);
      left += n;
      right -= kWidth - n;
#else
      for (int i = 0; i < kWidth; ++i) put(v[i]);
#endif
    }
  };

  // Puts keys up to the pivot before the others; their number. Registers are read from the end that has less room, so
  // that there is always room for what was read; those at both ends wait until last.
  template <int kAtOnce>
  static std::int64_t partition_by(Key* x, std::int64_t n, Key pivot) {
    constexpr std::int64_t kStep = kAtOnce * kWidth;
    Halves halves{pivot, x, x + n};
    Register waiting[2 * kAtOnce];
    for (int i = 0; i < kAtOnce; ++i) {
      waiting[i] = load(x + i * kWidth);
      waiting[kAtOnce + i] = load(x + n - kStep + i * kWidth);
    }
    const Key *first = x + kStep, *last = x + n - kStep;
    while (last - first >= kStep) {
      // Without a branch, which would be mispredicted every other time.
      const bool from_left = first - halves.left <= halves.right - last;
      const Key* from = from_left ? first : last - kStep;
      first += from_left ? kStep : 0;
      last -= from_left ? 0 : kStep;
      Register v[kAtOnce];
#pragma GCC unroll 8
      for (int i = 0; i < kAtOnce; ++i) v[i] = load(from + i * kWidth);
#pragma GCC unroll 8
      for (int i = 0; i < kAtOnce; ++i) halves.put(v[i]);
    }
    alignas(64) Key rest[kStep];
    const std::int64_t left_over = last - first;
    std::copy(first, last, rest);
    std::int64_t done = 0;
    for (; done + kWidth <= left_over; done += kWidth) halves.put(load(rest + done));
    for (; done < left_over; ++done) halves.put(rest[done]);
    for (const Register& v : waiting) halves.put(v);
    return halves.left - x;
  }
  static std::int64_t partition(Key* x, std::int64_t n, Key pivot) {
    constexpr int kMany = 8, kFew = 2;
    if (n >= 8 * kMany * kWidth) return partition_by<kMany>(x, n, pivot);
    if (n >= 2 * kFew * kWidth) return partition_by<kFew>(x, n, pivot);
    return std::partition(x, x + n, [&](Key key) { return key <= pivot; }) - x;
  }

  [[gnu::always_inline]] static Key median(Key a, Key b, Key c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  }
  // A key near the middle: the median of medians of three keys, of three such of many keys.
  static Key pivot_of(const Key* x, std::int64_t n) {
    constexpr std::int64_t kMany = 4096;
    const std::int64_t step = n / 9;
    auto of_nine = [&](const Key* at, std::int64_t s) {
      return median(median(at[0], at[s], at[2 * s]), median(at[3 * s], at[4 * s], at[5 * s]),
                    median(at[6 * s], at[7 * s], at[8 * s]));
    };
    if (n < kMany) return of_nine(x, step);
    const std::int64_t small = step / 3;
    return median(of_nine(x, step), of_nine(x + small, step), of_nine(x + 2 * small, step));
  }

  static constexpr Key kFirst = std::is_floating_point_v<Key> ? -kLast<Key> : std::numeric_limits<Key>::min();
  static Key before(Key key) {
    if constexpr (std::is_floating_point_v<Key>) {
      return std::nextafter(key, kFirst);
    } else {
      return key - 1;
    }
  }

  // See LineSortKernel::split.
  static std::pair<std::int64_t, std::int64_t> split(Key* x, std::int64_t n) {
    const Key pivot = pivot_of(x, n);
    const std::int64_t low = partition(x, n, pivot);
    if (low < n) return {low, low};
    // The pivot is the largest key. Those that are equal to it are in their places.
    if (pivot == kFirst) return {0, n};
    return {partition(x, n, before(pivot)), n};
  }

  static void sort(Key* x, std::int64_t n, int depth) {
    while (n > 2 * kInRegisters) {
      if (depth-- == 0) return std::sort(x, x + n);
      const auto [low, high] = split(x, n);
      sort(x + high, n - high, depth);
      n = low;
    }
    n > kInRegisters ? sort_halves(x, n) : sort_few(x, n);
  }
};

// Comparisons of floating-point keys would take subnormal ones for zeros.
template <typename Key>
void sort_line(void* keys, std::int64_t n) {
  const KeepSubnormals kept;
  // Unlucky pivots may double the depth, not more.
  const int depth = 2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)));
  LineSort<Key>::sort(static_cast<Key*>(keys), n, depth);
}

template <typename Key>
std::pair<std::int64_t, std::int64_t> split_line(void* keys, std::int64_t n) {
  const KeepSubnormals kept;
  return LineSort<Key>::split(static_cast<Key*>(keys), n);
}

}  // namespace

void fill_line_sort(ArrayKernels& kernels) {
  auto fill = [&]<typename Key>(std::type_identity<Key>) {
    kernels.sort_line[slot(kKeyDType<Key>)] = {sort_line<Key>, split_line<Key>};
  };
  fill(std::type_identity<std::int32_t>());
  fill(std::type_identity<std::int64_t>());
  fill(std::type_identity<float>());
  fill(std::type_identity<double>());
}

}  // namespace tracefn
