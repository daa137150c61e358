// Philox in vector code: the words of many blocks at once.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <algorithm>
#include <cstring>
#include <utility>

#include "math/philox.h"

namespace tracefn {
namespace {

#if defined(__AVX512F__)
inline constexpr int kLanes = 8, kVectors = 4;
#elif defined(__AVX2__)
inline constexpr int kLanes = 4, kVectors = 2;
#else
inline constexpr int kLanes = 2, kVectors = 2;
#endif
// One number of 64 bits for each of several blocks.
typedef std::uint64_t Lanes __attribute__((vector_size(8 * kLanes)));

// The products of the lower halves with a number of 32 bits.
[[gnu::always_inline]] inline Lanes products(Lanes x, std::uint64_t factor) {
  const Lanes factors = Lanes{} + factor;
#if defined(__AVX512F__)
  return reinterpret_cast<Lanes>(
      _mm512_maskz_mul_epu32(0xff, reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(factors)));
#elif defined(__AVX2__)
  return reinterpret_cast<Lanes>(_mm256_mul_epu32(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(factors)));
#elif defined(__x86_64__)
  return reinterpret_cast<Lanes>(_mm_mul_epu32(reinterpret_cast<__m128i>(x), reinterpret_cast<__m128i>(factors)));
#elif defined(__aarch64__)
  return vmull_u32(vmovn_u64(x), vmovn_u64(factors));
#else
  return (x & 0xffffffff) * factors;
#endif
}

// Elements of x and of y by turns, from the first half of both or from the second.
template <int kFrom, int... kLane>
[[gnu::always_inline]] inline Lanes interleaved(Lanes x, Lanes y, std::integer_sequence<int, kLane...>) {
#if __has_builtin(__builtin_shufflevector)
  return __builtin_shufflevector(x, y, (kFrom + kLane / 2 + kLane % 2 * kLanes)...);
#else
  return __builtin_shuffle(x, y, Lanes{(kFrom + kLane / 2 + kLane % 2 * kLanes)...});
#endif
}

// Blocks that philox_words computes together.
inline constexpr std::int64_t kBlocksAtOnce = kLanes * kVectors;

// Writes the words of the blocks that lie `offsets` after the start.
inline void philox_words(const Philox& start, const std::uint64_t* offsets, std::uint32_t* words) {
  // What a product leaves in the upper halves counts neither in the next product nor in the result.
  Lanes c[kVectors][4];
  for (int v = 0; v < kVectors; ++v) {
    Lanes offset;
    std::memcpy(&offset, offsets + v * kLanes, sizeof offset);
    const Lanes low = offset + start.counter_low();
    const Lanes high = start.counter_high() - reinterpret_cast<Lanes>(low < offset);
    c[v][0] = low;
    c[v][1] = low >> 32;
    c[v][2] = high;
    c[v][3] = high >> 32;
  }
  std::uint32_t k0 = start.key[0], k1 = start.key[1];
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 4
    for (Lanes(&block)[4] : c) {
      const Lanes a = products(block[0], 0xd2511f53), b = products(block[2], 0xcd9e8d57);
      block[0] = b >> 32 ^ block[1] ^ std::uint64_t{k0};
      block[1] = b;
      block[2] = a >> 32 ^ block[3] ^ std::uint64_t{k1};
      block[3] = a;
    }
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  constexpr auto kAll = std::make_integer_sequence<int, kLanes>();
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    const Lanes x = (c[v][0] & 0xffffffff) | c[v][1] << 32, y = (c[v][2] & 0xffffffff) | c[v][3] << 32;
    const Lanes pairs[] = {interleaved<0>(x, y, kAll), interleaved<kLanes / 2>(x, y, kAll)};
    std::memcpy(words + 4 * kLanes * v, pairs, sizeof pairs);
  }
}

// The most blocks that are computed before they are used: their numbers stay in the L1 cache.
inline constexpr std::int64_t kBatch = 256;

// Writes the words of n <= kBatch blocks; `words` has room for all of kBatch.
inline void philox_words(const Philox& start, const std::uint64_t* offsets, std::int64_t n, std::uint32_t* words) {
  std::int64_t i = 0;
  for (; i + kBlocksAtOnce <= n; i += kBlocksAtOnce) philox_words(start, offsets + i, words + 4 * i);
  if (i == n) return;
  std::uint64_t rest[kBlocksAtOnce] = {};
  std::copy(offsets + i, offsets + n, rest);
  philox_words(start, rest, words + 4 * i);
}

// Calls each(words, n) for successive batches of n blocks, [first, last).
template <typename Each>
inline void for_batches(const Philox& start, std::int64_t first, std::int64_t last, const Each& each) {
  std::uint64_t offsets[kBatch];
  for (std::uint64_t i = 0; i < kBatch; ++i) offsets[i] = i;
  Philox at = start;
  at.skip(static_cast<std::uint64_t>(first));
  alignas(64) std::uint32_t words[4 * kBatch];
  for (; first < last; first += kBatch) {
    const std::int64_t n = std::min(last - first, kBatch);
    philox_words(at, offsets, n, words);
    each(words, n);
    at.skip(kBatch);
  }
}

// Two successive words of a batch as one number, the first one in the lower half.
typedef std::uint64_t WordPair __attribute__((may_alias));
inline const WordPair* pairs_of(const std::uint32_t* words) { return reinterpret_cast<const WordPair*>(words); }

// The first word is the upper one.
[[gnu::always_inline]] inline double unit_double_of(std::uint64_t pair) {
  return unit_double(static_cast<std::uint32_t>(pair), static_cast<std::uint32_t>(pair >> 32));
}

}  // namespace
}  // namespace tracefn
