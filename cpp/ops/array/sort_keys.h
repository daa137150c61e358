// Keys to sort numbers by: their bits in descending order (sort_bits.h) with the place of each. All keys of a row
// differ, so that any way to sort gives the same order: equal numbers by place.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/poll.h"
#include "ops/array/array.kernels.h"
#include "ops/array/sort_bits.h"
#include "ops/kernel.h"

namespace tracefn {

// Kernels compare signed numbers.
inline std::int64_t signed_key(std::uint64_t bits) { return static_cast<std::int64_t>(bits ^ std::uint64_t{1} << 63); }
inline std::uint64_t unsigned_key(std::int64_t key) { return static_cast<std::uint64_t>(key) ^ std::uint64_t{1} << 63; }
// What kernels sort behind all keys.
inline constexpr std::int64_t kLastKey = INT64_MAX;

// A key of up to 32 bits above a place below 2^32, as one number.
struct NarrowKey {
  static constexpr bool kWide = false;
  NarrowKey() = default;
  template <typename U>
  NarrowKey(U key, std::int64_t place)
      : bits(static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint64_t>(place)) {}

  std::uint64_t bits;
  std::uint64_t head() const { return bits >> 32; }
  std::int64_t place() const { return static_cast<std::int64_t>(bits & 0xffffffff); }
  friend bool operator<(const NarrowKey& a, const NarrowKey& b) { return a.bits < b.bits; }
};
struct WideKey {
  static constexpr bool kWide = true;
  static constexpr int kDigits = 8;
  WideKey() = default;
  WideKey(std::uint64_t key, std::int64_t place) : bits(key), at(place) {}

  std::uint64_t bits;
  std::int64_t at;
  std::uint64_t head() const { return bits; }
  std::int64_t place() const { return at; }
  friend bool operator<(const WideKey& a, const WideKey& b) { return a.bits != b.bits ? a.bits < b.bits : a.at < b.at; }
};

// Keys in the lanes of a kernel: element i of lane j at 8 i + j.
template <typename Key>
class KeyLanes {
 public:
  explicit KeyLanes(std::int64_t elements)
      : keys_(static_cast<std::size_t>(elements)), low_(static_cast<std::size_t>(Key::kWide ? elements : 0)) {}

  void set(std::int64_t at, const Key& key) {
    keys_[static_cast<std::size_t>(at)] = signed_key(key.bits);
    if constexpr (Key::kWide) low_[static_cast<std::size_t>(at)] = key.at;
  }
  // The keys of elements [first, first + kSortRows) of a row, which x points to, in one lane.
  template <typename T>
  void set_all(std::int64_t first, std::int64_t lane, const T* x) {
    // First their bits, by vectors.
    decltype(descending_bits(T())) bits[kSortRows];
    for (std::int64_t i = 0; i < kSortRows; ++i) bits[i] = descending_bits(x[i]);
    std::int64_t* keys = keys_.data() + first * kSortLanes + lane;
    for (std::int64_t i = 0; i < kSortRows; ++i) keys[i * kSortLanes] = signed_key(Key(bits[i], first + i).bits);
    if constexpr (Key::kWide) {
      std::int64_t* low = low_.data() + first * kSortLanes + lane;
      for (std::int64_t i = 0; i < kSortRows; ++i) low[i * kSortLanes] = first + i;
    }
  }
  // The places of keys [begin, end) of a lane, and the elements of `row` there.
  template <typename T, typename I>
  void take(std::int64_t begin, std::int64_t end, std::int64_t lane, const T* row, T* values, I* places) const {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t place = get(i * kSortLanes + lane).place();
      values[i] = row[place];
      places[i] = static_cast<I>(place);
    }
  }
  void set_last(std::int64_t at) {
    keys_[static_cast<std::size_t>(at)] = kLastKey;
    if constexpr (Key::kWide) low_[static_cast<std::size_t>(at)] = kLastKey;
  }
  Key get(std::int64_t at) const {
    Key key;
    key.bits = unsigned_key(keys_[static_cast<std::size_t>(at)]);
    if constexpr (Key::kWide) key.at = low_[static_cast<std::size_t>(at)];
    return key;
  }
  void sort_lanes(const SortKernels& kernels, std::int64_t rows) {
    if constexpr (Key::kWide) {
      kernels.wide_lanes(keys_.data(), low_.data(), rows);
    } else {
      kernels.lanes(keys_.data(), rows);
    }
  }
  void sort_line(const SortKernels& kernels, std::int64_t rows) requires(Key::kWide) {
    kernels.wide_line(keys_.data(), low_.data(), rows);
  }

 private:
  std::vector<std::int64_t> keys_, low_;
};

// Sorts wide keys: shares them out by their first bits until few are left, which a network sorts (Knuth, The Art of
// Computer Programming 3, 5.2.5 and 5.3.4). One per thread.
class KeySorter {
 public:
  using Key = WideKey;
  explicit KeySorter(const SortKernels& kernels) : kernels_(kernels), lanes_(kMostInLine) {}

  // Sorts n keys of x into `out`, which is x or `room`; the other one is overwritten.
  void sort(Key* x, Key* room, std::int64_t n, Key* out) {
    if (n <= kMostInLine) return sort_few(x, room, n, out);
    const Digit digit(x, n);
    if (!digit.differs()) return move(x, n, out);  // in order by their places
    std::array<std::int64_t, kMostBuckets + 1> begins{};
    in_slices(n, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++begins[digit(x[i])];
    });
    std::int64_t sum = 0;
    for (std::int64_t& begin : begins) sum += std::exchange(begin, sum);
    {
      auto next = begins;
      in_slices(n, 3, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) room[next[digit(x[i])]++] = x[i];
      });
    }
    for (std::size_t b = 0; b < digit.buckets(); ++b) {
      const std::int64_t at = begins[b];
      if (begins[b + 1] > at) sort(room + at, x + at, begins[b + 1] - at, out + at);
    }
  }

  // The same for many keys, by several threads.
  static void sort_long(const KernelContext& c, const SortKernels& kernels, Key* x, Key* room, std::int64_t n) {
    constexpr std::int64_t kParts = 16;
    const Digit digit(x, n);
    if (!digit.differs()) return;
    const std::int64_t part = (n + kParts - 1) / kParts;
    using Counts = std::array<std::int64_t, kMostBuckets>;
    std::vector<Counts> next(kParts, Counts{});
    auto in_parts = [&](double cost, const auto& f) {
      c.parallel_for(kParts, cost * static_cast<double>(part), [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t p = first; p < last; ++p)
          in_slices(p * part, std::min(n, (p + 1) * part), cost, [&](std::int64_t begin, std::int64_t end) {
            Counts& counts = next[static_cast<std::size_t>(p)];
            for (std::int64_t i = begin; i < end; ++i) f(counts[digit(x[i])], i);
          });
      });
    };
    in_parts(1, [](std::int64_t& count, std::int64_t) { ++count; });
    std::array<std::int64_t, kMostBuckets + 1> begins{};
    std::int64_t sum = 0;
    for (std::size_t b = 0; b < digit.buckets(); ++b) {
      begins[b] = sum;
      for (Counts& counts : next) sum += std::exchange(counts[b], sum);
    }
    begins[digit.buckets()] = sum;
    in_parts(3, [&](std::int64_t& at, std::int64_t i) { room[at++] = x[i]; });
    const auto buckets = static_cast<std::int64_t>(digit.buckets());
    c.parallel_for(buckets, 15 * static_cast<double>(n / buckets), [&](std::int64_t first, std::int64_t last) {
      KeySorter sorter(kernels);
      for (std::int64_t b = first; b < last; ++b) {
        poll();
        const std::int64_t at = begins[static_cast<std::size_t>(b)], end = begins[static_cast<std::size_t>(b) + 1];
        if (end > at) sorter.sort(room + at, x + at, end - at, x + at);
      }
    });
  }

 private:
  static constexpr std::int64_t kMostInLine = 2048;
  static constexpr int kMostDigitBits = 11;
  static constexpr std::size_t kMostBuckets = std::size_t{1} << kMostDigitBits;

  // The first bits in which the keys differ: enough of them to leave some hundred keys with equal ones, if all are as
  // frequent.
  class Digit {
   public:
    Digit(const Key* x, std::int64_t n) {
      std::uint64_t different = 0;
      in_slices(n, 0.5, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) different |= x[i].head() ^ x[0].head();
      });
      const int width = static_cast<int>(std::bit_width(different));
      bits_ = std::min({static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n / 512))), kMostDigitBits, width});
      shift_ = width - bits_;
    }
    bool differs() const { return bits_ > 0; }
    std::size_t buckets() const { return std::size_t{1} << bits_; }
    std::size_t operator()(const Key& key) const { return key.head() >> shift_ & (buckets() - 1); }

   private:
    int bits_, shift_;
  };

  static void move(const Key* x, std::int64_t n, Key* out) {
    if (x != out)
      in_slices(n, 1, [&](std::int64_t begin, std::int64_t end) { std::copy(x + begin, x + end, out + begin); });
  }

  void sort_few(Key* x, Key* room, std::int64_t n, Key* out) {
    constexpr std::int64_t kByComparisons = 24;
    if (n > kByComparisons && kernels_.wide_line) return sort_in_line(x, n, out);
    constexpr std::int64_t kByDigits = 128;
    if (n > kByDigits) return move(radix_sorted(x, room, n), n, out);
    std::sort(x, x + n);
    move(x, n, out);
  }

  void sort_in_line(const Key* x, std::int64_t n, Key* out) {
    std::int64_t rows = kSortRows;
    while (rows * kSortLanes < n) rows *= 2;
    for (std::int64_t i = 0; i < n; ++i) lanes_.set(i, x[i]);
    for (std::int64_t i = n; i < rows * kSortLanes; ++i) lanes_.set_last(i);
    lanes_.sort_line(kernels_, rows);
    for (std::int64_t lane = 0; lane * rows < n; ++lane)
      for (std::int64_t i = 0, end = std::min(rows, n - lane * rows); i < end; ++i)
        *out++ = lanes_.get(i * kSortLanes + lane);
  }

  // The keys in order, in x or in `room`: by the digits of their numbers, the last one first; each pass keeps the order
  // of equal digits. Digits that all keys share take no pass.
  static const Key* radix_sorted(Key* x, Key* room, std::int64_t n) {
    std::array<std::array<std::int64_t, 256>, Key::kDigits> counts{};
    auto digit = [](const Key& key, int d) { return key.head() >> (8 * d) & 0xff; };
    for (std::int64_t i = 0; i < n; ++i)
      for (int d = 0; d < Key::kDigits; ++d) ++counts[static_cast<std::size_t>(d)][digit(x[i], d)];
    for (int d = 0; d < Key::kDigits; ++d) {
      auto& places = counts[static_cast<std::size_t>(d)];
      if (places[digit(x[0], d)] == n) continue;
      std::int64_t sum = 0;
      for (std::int64_t& place : places) sum += std::exchange(place, sum);
      for (std::int64_t i = 0; i < n; ++i) room[places[digit(x[i], d)]++] = x[i];
      std::swap(x, room);
    }
    return x;
  }

  const SortKernels& kernels_;
  KeyLanes<Key> lanes_;
};

// Sorts many keys of one row by several threads: halves and halves of halves, until there are enough parts for all.
template <typename Number>
void sort_long_line(const KernelContext& c, const LineSortKernel& kernel, Number* keys, std::int64_t n,
                    double nanoseconds) {
  constexpr int kLevels = 6;
  constexpr std::int64_t kLeast = 1 << 13;
  using Part = std::pair<std::int64_t, std::int64_t>;
  std::vector<Part> parts{{0, n}};
  for (int level = 0; level < kLevels; ++level) {
    const auto count = static_cast<std::int64_t>(parts.size());
    std::vector<Part> next(2 * parts.size());
    c.parallel_for(count, 0.5 * static_cast<double>(n / count), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t p = first; p < last; ++p) {
        poll();
        const auto [begin, end] = parts[static_cast<std::size_t>(p)];
        Part& low = next[static_cast<std::size_t>(2 * p)];
        low = {begin, end};
        if (end - begin < kLeast) continue;
        const auto [left, right] = kernel.split(keys + begin, end - begin);
        low = {begin, begin + left};
        next[static_cast<std::size_t>(2 * p + 1)] = {begin + right, end};
      }
    });
    std::erase_if(next, [](const Part& part) { return part.first == part.second; });
    if (next.empty()) return;  // all keys are in their places
    parts = std::move(next);
  }
  const auto count = static_cast<std::int64_t>(parts.size());
  c.parallel_for(count, nanoseconds * static_cast<double>(n / count), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t p = first; p < last; ++p) {
      poll();
      const auto [begin, end] = parts[static_cast<std::size_t>(p)];
      kernel.sort(keys + begin, end - begin);
    }
  });
}

// Sets `heap` to the first k keys of n elements, in order. A heap has the best found so far; blocks of elements without
// a better one are passed over by vectors.
template <typename T, typename Key>
void first_keys(const SortKernels& kernels, const T* x, std::int64_t n, std::int64_t k, std::vector<Key>& heap) {
  heap.clear();
  for (std::int64_t i = 0; i < k; ++i) heap.emplace_back(descending_bits(x[i]), i);
  std::make_heap(heap.begin(), heap.end());
  in_slices(k, n, 0.5, [&](std::int64_t at, std::int64_t end) {
    while (at < end) {
      at += kernels.first_block(x + at, end - at, heap.front().head());
      const std::int64_t last = std::min(end, at + kSortBlock);
      for (; at < last; ++at) {
        const Key key(descending_bits(x[at]), at);
        if (!(key < heap.front())) continue;
        std::pop_heap(heap.begin(), heap.end());
        heap.back() = key;
        std::push_heap(heap.begin(), heap.end());
      }
    }
  });
  std::sort_heap(heap.begin(), heap.end());
}

}  // namespace tracefn
