// Rows sorted without the places of their elements: the keys are the elements alone, half as wide as keys with places.
// Rows go into the lanes of the network and come back by transposes in registers.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/subnormals.h"
#include "ops/array/sort_bits.h"
#include "ops/array/sort_lanes.kernels.h"
#include "ops/each_number.kernels.h"
#include "ops/reduce/lanes.kernels.h"

namespace tracefn {
namespace {

template <typename T>
struct Values {
  using Bits = decltype(descending_bits(T()));
  using Key = ValueKey<T>;
  using Register = typename Lanes<Key>::Register;
  static constexpr int kWidth = kRegisterBytes / sizeof(Key);
  static constexpr std::int64_t kLanes = kSortKeyBytes / sizeof(Key);
  // Mirrored numbers, or bits (sort_bits.h) as a signed number.
  static Key key(T x) {
    if constexpr (std::is_same_v<Key, T> && std::is_floating_point_v<T>) {
      return x != x ? kLast<Key> : -x;
    } else {
      return static_cast<Key>(static_cast<Key>(descending_bits(x)) ^ std::numeric_limits<Key>::min());
    }
  }
  static T number(Key key) {
    if constexpr (std::is_same_v<Key, T> && std::is_floating_point_v<T>) {
      return -key;
    } else {
      return from_descending_bits<T>(static_cast<Bits>(key ^ std::numeric_limits<Key>::min()));
    }
  }

  // Keys [begin, begin + kWidth) of kWidth rows to their lanes; those that are not there come last.
  static void set(const T* x, std::int64_t rows, std::int64_t n, std::int64_t begin, Key* to) {
    const std::int64_t count = std::clamp<std::int64_t>(n - begin, 0, kWidth);
    Register v[kWidth];
    for (std::int64_t lane = 0; lane < kWidth; ++lane) {
      alignas(64) Key keys[kWidth];
      const T* row = x + lane * n + begin;
      if (lane < rows && count == kWidth) {
        for (int i = 0; i < kWidth; ++i) keys[i] = key(row[i]);
      } else {
        std::fill_n(keys, kWidth, kLast<Key>);
        for (std::int64_t i = 0; lane < rows && i < count; ++i) keys[i] = key(row[i]);
      }
      std::memcpy(&v[lane], keys, sizeof(keys));
    }
    transpose<1, Key>(v);
    for (std::int64_t i = 0; i < kWidth; ++i) std::memcpy(to + i * kLanes, &v[i], sizeof(Register));
  }

  // Elements [begin, begin + kWidth) of kWidth rows of k from their lanes.
  static void take(const Key* from, std::int64_t rows, std::int64_t k, std::int64_t begin, T* out) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(kWidth, k - begin));
    Register v[kWidth];
    for (std::int64_t i = 0; i < kWidth; ++i) std::memcpy(&v[i], from + i * kLanes, sizeof(Register));
    transpose<1, Key>(v);
    for (std::int64_t lane = 0; lane < std::min<std::int64_t>(kWidth, rows); ++lane) {
      alignas(64) Key keys[kWidth];
      alignas(64) T numbers[kWidth];
      std::memcpy(keys, &v[lane], sizeof(keys));
      for (int i = 0; i < kWidth; ++i) numbers[i] = number(keys[i]);
      std::memcpy(out + lane * k + begin, numbers, count * sizeof(T));
    }
  }

  // Not 0 if the key of a number is that of others: zero with its sign, and NaN.
  [[gnu::always_inline]] static Bits lost(T x) {
    if constexpr (std::is_integral_v<T>) return 0;
    constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
    const Bits bits = std::bit_cast<Bits>(x);
    const bool negative_zero = bits == kSign,
               is_nan = static_cast<Bits>(bits & ~kSign) > static_cast<Bits>(kInfinity<T>);
    return static_cast<Bits>((negative_zero ? Bits{1} : Bits{0}) | (is_nan ? Bits{1} : Bits{0}));
  }

  // Zeros with their signs, and NaN with its bits, in the order of the row.
  static void restore(const T* row, std::int64_t n, T* out, std::int64_t k) {
    const Bits zero = descending_bits(std::bit_cast<T>(Bits{0})), nan = static_cast<Bits>(~Bits{0});
    Bits any = 0;
#pragma omp simd reduction(| : any)
    for (std::int64_t i = 0; i < n; ++i) any = static_cast<Bits>(any | lost(row[i]));
    if (!any) return;
    auto fill = [&](T* to, Bits wanted) {
      for (std::int64_t i = 0; i < n && to < out + k; ++i)
        if (descending_bits(row[i]) == wanted) *to++ = row[i];
    };
    fill(std::partition_point(out, out + k, [&](T v) { return descending_bits(v) < zero; }), zero);
    const std::int64_t numbers = std::count_if(row, row + n, [&](T v) { return descending_bits(v) != nan; });
    fill(out + std::min(numbers, k), nan);
  }
};

template <typename T>
bool to_keys(const void* from, std::int64_t n, void* to) {
  using V = Values<T>;
  auto* x = static_cast<const T*>(from);
  auto* keys = static_cast<typename V::Key*>(to);
  typename V::Bits lost = 0;
#pragma omp simd reduction(| : lost)
  for (std::int64_t i = 0; i < n; ++i) {
    keys[i] = V::key(x[i]);
    lost = static_cast<typename V::Bits>(lost | V::lost(x[i]));
  }
  return lost != 0;
}

template <typename T>
void from_keys(const void* from, std::int64_t n, void* to) {
  using V = Values<T>;
  auto* keys = static_cast<const typename V::Key*>(from);
  auto* out = static_cast<T*>(to);
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) out[i] = V::number(keys[i]);
}

template <typename T>
void restore(const void* row, std::int64_t n, void* out, std::int64_t k) {
  if constexpr (!std::is_integral_v<T>) Values<T>::restore(static_cast<const T*>(row), n, static_cast<T*>(out), k);
}

template <typename T>
void sort_values(const void* from, void* to, std::int64_t rows, std::int64_t n, std::int64_t k, void* room) {
  using V = Values<T>;
  auto* x = static_cast<const T*>(from);
  auto* out = static_cast<T*>(to);
  auto* keys = static_cast<typename V::Key*>(room);
  const std::int64_t padded = (n + kSortRows - 1) / kSortRows * kSortRows;
  for (std::int64_t lane = 0; lane < V::kLanes; lane += V::kWidth)
    for (std::int64_t begin = 0; begin < padded; begin += V::kWidth)
      V::set(x + lane * n, rows - lane, n, begin, keys + begin * V::kLanes + lane);
  {
    // Comparisons of floating-point keys would take subnormal ones for zeros.
    const KeepSubnormals kept;
    sort_key_lanes(keys, padded);
  }
  for (std::int64_t lane = 0; lane < std::min(V::kLanes, rows); lane += V::kWidth)
    for (std::int64_t begin = 0; begin < k; begin += V::kWidth)
      V::take(keys + begin * V::kLanes + lane, rows - lane, k, begin, out + lane * k);
  if constexpr (!std::is_integral_v<T>)
    for (std::int64_t row = 0; row < rows; ++row) V::restore(x + row * n, n, out + row * k, k);
}

}  // namespace

void fill_value_sort(ArrayKernels& kernels) {
  for_each_number([&]<typename T>(DType dtype, std::type_identity<T>) {
    SortKernels& sort = kernels.sort[slot(dtype)];
    sort.values = sort_values<T>;
    sort.to_keys = to_keys<T>;
    sort.from_keys = from_keys<T>;
    sort.restore = restore<T>;
  });
}

}  // namespace tracefn
