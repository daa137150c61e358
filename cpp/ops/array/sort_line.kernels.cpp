// Sorts the keys of one row in place: a quicksort whose partitions move whole registers, down to what a network sorts
// in registers (Bramas, A novel hybrid quicksort algorithm vectorized using AVX-512 on Intel Skylake, 2017).
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "ops/array/sort_bits.h"
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
  using Register = typename Lanes<Key>::Register;
  static constexpr int kWidth = static_cast<int>(kRegisterBytes / sizeof(Key));
  static constexpr std::int64_t kInRegisters = kSortRows * kWidth;

  struct Row {
    Register key;
  };
  [[gnu::always_inline]] static void order(Row& a, Row& b) {
    const Register less = a.key < b.key ? a.key : b.key, more = a.key < b.key ? b.key : a.key;
    a.key = less;
    b.key = more;
  }
  [[gnu::always_inline]] static Row blended(const Row& a, const Row& b, const Register& from_b) {
    return {from_b ? b.key : a.key};
  }
  [[gnu::always_inline]] static Row shuffled(const Row& a, const Register& from) {
    return {__builtin_shuffle(a.key, from)};
  }

  [[gnu::always_inline]] static Register load(const Key* x) {
    Register v;
    std::memcpy(&v, x, sizeof(v));
    return v;
  }
  [[gnu::always_inline]] static void store(const Register& v, Key* x) { std::memcpy(x, &v, sizeof(v)); }

  // Merges runs of kRun sorted lanes each, and so on.
  template <int kRun>
  [[gnu::always_inline]] static void merge_lanes(Row (&v)[kSortRows]) {
    unrolled<kSortRows / 2>([&](auto i) __attribute__((always_inline)) {
      const Row a = v[i], b = v[kSortRows - 1 - i];
      v[i] = ordered_lanes<2 * kRun - 1, kRun, LineSort>(a, b);
      v[kSortRows - 1 - i] = ordered_lanes<2 * kRun - 1, kRun, LineSort>(b, a);
    });
    clean_lanes<kRun / 2>(v);
    clean<kSortRows / 2, LineSort>(v);
    if constexpr (2 * kRun < kWidth) merge_lanes<2 * kRun>(v);
  }
  template <int kDistance>
  [[gnu::always_inline]] static void clean_lanes(Row (&v)[kSortRows]) {
    if constexpr (kDistance > 0) {
      unrolled<kSortRows>([&](auto i) __attribute__((always_inline)) {
        v[i] = ordered_lanes<kDistance, kDistance, LineSort>(v[i], v[i]);
      });
      clean_lanes<kDistance / 2>(v);
    }
  }

  // At most kInRegisters keys.
  static void sort_few(Key* x, std::int64_t n) {
    constexpr std::int64_t kByComparisons = 16;
    if (n <= kByComparisons) return std::sort(x, x + n);
    alignas(64) Key last[kWidth];
    std::fill_n(last, kWidth, std::numeric_limits<Key>::max());
    const std::int64_t whole = n / kWidth, rest = n % kWidth;
    std::copy_n(x + whole * kWidth, rest, last);
    const Register none = Register{} + std::numeric_limits<Key>::max();
    Row v[kSortRows];
    unrolled<kSortRows>([&](auto i) __attribute__((always_inline)) {
      v[i].key = i < whole ? load(x + i * kWidth) : i == whole ? load(last) : none;
    });
    merge_runs<1, LineSort>(v);
    merge_lanes<1>(v);
    // Lane j has keys [kSortRows j, kSortRows (j + 1)).
    unrolled<kSortRows / kWidth>([&](auto block) __attribute__((always_inline)) {
      Register part[kWidth];
      unrolled<kWidth>([&](auto i) __attribute__((always_inline)) { part[i] = v[block * kWidth + i].key; });
      transpose<1>(part);
      unrolled<kWidth>([&](auto lane) __attribute__((always_inline)) {
        const std::int64_t at = lane * kSortRows + block * kWidth;
        if (at + kWidth <= n) {
          store(part[lane], x + at);
        } else if (at < n) {
          std::memcpy(x + at, &part[lane], static_cast<std::size_t>(n - at) * sizeof(Key));
        }
      });
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
    // Precondition: there is room for a register after `left` and before `right`.
    [[gnu::always_inline]] void put(const Register& v) {
#if defined(__AVX512F__)
      const auto keys = std::bit_cast<__m512i>(v);
      if constexpr (sizeof(Key) == 4) {
        const __mmask16 low = _mm512_cmple_epi32_mask(keys, _mm512_set1_epi32(pivot)), high = _knot_mask16(low);
        const int n = std::popcount(static_cast<unsigned>(low));
        _mm512_storeu_si512(left, _mm512_maskz_compress_epi32(low, keys));
        left += n;
        right -= kWidth - n;
        _mm512_mask_storeu_epi32(right, static_cast<__mmask16>(0xffffu >> n), _mm512_maskz_compress_epi32(high, keys));
      } else {
        const __mmask8 low = _mm512_cmple_epi64_mask(keys, _mm512_set1_epi64(pivot)),
                       high = static_cast<__mmask8>(~low);
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

  // See SortKernels::split.
  static std::pair<std::int64_t, std::int64_t> split(Key* x, std::int64_t n) {
    const Key pivot = pivot_of(x, n);
    const std::int64_t low = partition(x, n, pivot);
    if (low < n) return {low, low};
    // The pivot is the largest key. Those that are equal to it are in their places.
    if (pivot == std::numeric_limits<Key>::min()) return {0, n};
    return {partition(x, n, pivot - 1), n};
  }

  static void sort(Key* x, std::int64_t n, int depth) {
    while (n > kInRegisters) {
      if (depth-- == 0) return std::sort(x, x + n);
      const auto [low, high] = split(x, n);
      sort(x + high, n - high, depth);
      n = low;
    }
    sort_few(x, n);
  }
};

template <typename Key>
void sort_line(void* keys, std::int64_t n) {
  // Unlucky pivots may double the depth, not more.
  const int depth = 2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)));
  LineSort<Key>::sort(static_cast<Key*>(keys), n, depth);
}

template <typename Key>
std::pair<std::int64_t, std::int64_t> split_line(void* keys, std::int64_t n) {
  return LineSort<Key>::split(static_cast<Key*>(keys), n);
}

}  // namespace

void fill_line_sort(ArrayKernels& kernels) {
  kernels.sort_line[0] = {sort_line<std::int32_t>, split_line<std::int32_t>};
  kernels.sort_line[1] = {sort_line<std::int64_t>, split_line<std::int64_t>};
}

}  // namespace tracefn
