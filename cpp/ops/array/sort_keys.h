// Keys to sort numbers by: unsigned integers whose order is that of the numbers, with the place of each. Equal numbers
// (zeros of either sign) have equal keys and keep their order; NaN comes last.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/poll.h"
#include "tensor/half.h"

namespace tracefn {

// A key of up to 32 bits above a place below 2^32, as one number.
struct NarrowKey {
  template <typename U>
  NarrowKey(U key, std::int64_t place)
      : bits(static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint64_t>(place)) {}

  std::uint64_t bits;
  std::int64_t place() const { return static_cast<std::int64_t>(bits & 0xffffffff); }
  unsigned digit(int i) const { return static_cast<unsigned>(bits >> (32 + 8 * i) & 0xff); }
  friend bool operator<(const NarrowKey& a, const NarrowKey& b) { return a.bits < b.bits; }
};
struct WideKey {
  WideKey(std::uint64_t key, std::int64_t place) : bits(key), at(place) {}
  std::uint64_t bits;
  std::int64_t at;
  std::int64_t place() const { return at; }
  unsigned digit(int i) const { return static_cast<unsigned>(bits >> (8 * i) & 0xff); }
  friend bool operator<(const WideKey& a, const WideKey& b) { return a.bits != b.bits ? a.bits < b.bits : a.at < b.at; }
};

// The bits of a number as an unsigned integer in the order of the numbers, the largest first.
template <typename T>
auto descending_bits(T x) {
  using U = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                               std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  constexpr U kSign = static_cast<U>(U{1} << (8 * sizeof(T) - 1));
  U u = std::bit_cast<U>(x);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<U>(std::is_signed_v<T> ? ~(u ^ kSign) : ~u);
  } else {
    constexpr U kInfinity = std::is_same_v<T, Half>       ? static_cast<U>(0x7c00)
                            : std::is_same_v<T, BFloat16> ? static_cast<U>(0x7f80)
                            : sizeof(T) == 4              ? static_cast<U>(0x7f800000)
                                                          : static_cast<U>(0x7ff0000000000000);
    const U size = static_cast<U>(u & ~kSign);
    if (size > kInfinity) return static_cast<U>(~U{0});  // NaN
    if (size == 0) u = 0;
    // Descending: positive numbers by their complement, negative ones by their bits.
    return static_cast<U>(u & kSign ? u : static_cast<U>(~u & ~kSign));
  }
}

// Shorter rows are sorted by comparisons.
inline constexpr std::int64_t kRadixLength = 128;

// The first k keys in order; the others follow in any order.
template <typename Key>
void sort_first(Key* keys, std::int64_t n, std::int64_t k) {
  PolledSteps polled(4096);
  auto before = [&polled](const Key& a, const Key& b) {
    polled.step();
    return a < b;
  };
  if (k == n) {
    std::sort(keys, keys + n, before);
  } else if (k > 0) {
    if (k > n / 8) {
      std::nth_element(keys, keys + k, keys + n, before);
      std::sort(keys, keys + k, before);
    } else {
      std::partial_sort(keys, keys + k, keys + n, before);
    }
  }
}

// The keys in order, in `keys` or in `room`, which is as long: by the digits of their numbers, the last one first; each
// pass keeps the order of equal digits (Knuth, The Art of Computer Programming 3, 5.2.5). Digits that all keys share
// take no pass.
template <typename Key>
const Key* radix_sorted(Key* keys, Key* room, std::int64_t n) {
  constexpr int kDigits = std::is_same_v<Key, WideKey> ? 8 : 4;
  std::array<std::array<std::int64_t, 256>, kDigits> counts{};
  in_slices(n, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (int d = 0; d < kDigits; ++d) ++counts[static_cast<std::size_t>(d)][keys[i].digit(d)];
  });
  for (int d = 0; d < kDigits; ++d) {
    auto& places = counts[static_cast<std::size_t>(d)];
    if (places[keys[0].digit(d)] == n) continue;
    std::int64_t sum = 0;
    for (std::int64_t& place : places) sum += std::exchange(place, sum);
    in_slices(n, 2, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) room[places[keys[i].digit(d)]++] = keys[i];
    });
    std::swap(keys, room);
  }
  return keys;
}

}  // namespace tracefn
