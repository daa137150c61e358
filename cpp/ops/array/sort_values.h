// Rows sorted without the places of their elements: keys are the elements' bits alone (sort_bits.h), half as wide as
// those with places, and as many rows at once as a kernel has lanes.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/poll.h"
#include "ops/array/array.kernels.h"
#include "ops/array/sort_bits.h"
#include "ops/kernel.h"

namespace tracefn {

template <typename T>
class ValueSorter {
 public:
  static constexpr bool kShort = sizeof(T) <= 4;
  using Key = std::conditional_t<kShort, std::int32_t, std::int64_t>;
  static constexpr std::int64_t kLanes = kShort ? 2 * kSortLanes : kSortLanes;
  static constexpr std::int64_t kLongest = kShort ? 2048 : 1024;  // their keys stay in the cache

  ValueSorter(const SortKernels& kernels, std::int64_t n, std::int64_t k)
      : kernels_(kernels),
        n_(n),
        k_(k),
        padded_((n + kSortRows - 1) / kSortRows * kSortRows),
        keys_(padded_ * kLanes) {}

  // The first k elements of each of `rows` rows of n, in descending order; at most kLanes rows.
  void sort(const T* x, T* out, std::int64_t rows) {
    for (std::int64_t begin = 0; begin < padded_; begin += kSortRows)
      for (std::int64_t lane = 0; lane < kLanes; ++lane) set(x + lane * n_, begin, lane, lane < rows);
    if constexpr (kShort) {
      kernels_.short_lanes(keys_.data(), padded_);
    } else {
      kernels_.lanes(keys_.data(), padded_);
    }
    for (std::int64_t begin = 0; begin < k_; begin += kSortRows)
      for (std::int64_t lane = 0; lane < rows; ++lane) take(out + lane * k_, begin, lane);
    if constexpr (!std::is_integral_v<T>)
      for (std::int64_t lane = 0; lane < rows; ++lane) restore(x + lane * n_, out + lane * k_);
  }

 private:
  using Bits = decltype(descending_bits(T()));
  // Kernels compare signed numbers.
  static constexpr Key kOffset = std::numeric_limits<Key>::min();
  static Key key(Bits bits) { return static_cast<Key>(static_cast<Key>(bits) ^ kOffset); }

  void set(const T* row, std::int64_t begin, std::int64_t lane, bool there) {
    Key* to = keys_.data() + begin * kLanes + lane;
    const std::int64_t count = there ? std::min(kSortRows, n_ - begin) : 0;
    Key keys[kSortRows];
    if (count == kSortRows) {
      for (std::int64_t i = 0; i < kSortRows; ++i) keys[i] = key(descending_bits(row[begin + i]));
    } else {
      for (std::int64_t i = 0; i < count; ++i) keys[i] = key(descending_bits(row[begin + i]));
      std::fill(keys + count, keys + kSortRows, std::numeric_limits<Key>::max());
    }
    for (std::int64_t i = 0; i < kSortRows; ++i) to[i * kLanes] = keys[i];
  }

  void take(T* out, std::int64_t begin, std::int64_t lane) const {
    const Key* from = keys_.data() + begin * kLanes + lane;
    Key keys[kSortRows];
    for (std::int64_t i = 0; i < kSortRows; ++i) keys[i] = from[i * kLanes];
    const std::int64_t count = std::min(kSortRows, k_ - begin);
    if (count == kSortRows) {
      for (std::int64_t i = 0; i < kSortRows; ++i) out[begin + i] = number(keys[i]);
    } else {
      for (std::int64_t i = 0; i < count; ++i) out[begin + i] = number(keys[i]);
    }
  }
  static T number(Key key) { return from_descending_bits<T>(static_cast<Bits>(key ^ kOffset)); }

  // Zeros with their signs, and NaN with its bits, in the order of the row.
  void restore(const T* row, T* out) const {
    constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
    const Bits zero = descending_bits(std::bit_cast<T>(Bits{0})), nan = static_cast<Bits>(~Bits{0});
    Bits lost = 0;
    for (std::int64_t i = 0; i < n_; ++i)
      lost = static_cast<Bits>(lost | (std::bit_cast<Bits>(row[i]) == kSign) | (descending_bits(row[i]) == nan));
    if (!lost) return;
    for (const Bits wanted : {zero, nan}) {
      T* to = std::partition_point(out, out + k_, [&](T v) { return descending_bits(v) < wanted; });
      for (std::int64_t i = 0; i < n_ && to < out + k_; ++i)
        if (descending_bits(row[i]) == wanted) *to++ = row[i];
    }
  }

  const SortKernels& kernels_;
  const std::int64_t n_, k_, padded_;
  std::vector<Key> keys_;
};

// All rows of x.
template <typename T>
void sort_values(const KernelContext& c, const SortKernels& kernels, const T* x, T* out, std::int64_t rows,
                 std::int64_t n, std::int64_t k) {
  constexpr std::int64_t kLanes = ValueSorter<T>::kLanes;
  c.parallel_for((rows + kLanes - 1) / kLanes, 20 * static_cast<double>(n) + 100,
                 [&](std::int64_t begin, std::int64_t end) {
                   ValueSorter<T> sorter(kernels, n, k);
                   PolledSteps polled(16);
                   for (std::int64_t g = begin; g < end; ++g, polled.step()) {
                     const std::int64_t first = g * kLanes;
                     sorter.sort(x + first * n, out + first * k, std::min(kLanes, rows - first));
                   }
                 });
}

}  // namespace tracefn
