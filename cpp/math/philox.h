// Philox 4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw ("Parallel random numbers: as easy as 1,
// 2, 3", 2011), with TensorFlow's counters and keys. Plain data: it crosses the boundary to the kernel libraries.
#pragma once

#include <bit>
#include <cstdint>

namespace tracefn {

struct Philox {
  std::uint32_t counter[4];
  std::uint32_t key[2];

  static Philox of(std::uint64_t key, std::uint64_t counter_low, std::uint64_t counter_high) {
    return {{low(counter_low), high(counter_low), low(counter_high), high(counter_high)}, {low(key), high(key)}};
  }
  static constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
  static constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

  std::uint64_t counter_low() const { return counter[0] | static_cast<std::uint64_t>(counter[1]) << 32; }
  std::uint64_t counter_high() const { return counter[2] | static_cast<std::uint64_t>(counter[3]) << 32; }

  // Advances the 128-bit counter by `blocks`. As in TensorFlow, the carry into the upper half is lost if the upper word
  // of `blocks` is full and takes a carry itself.
  void skip(std::uint64_t blocks) {
    std::uint64_t before = counter_low(), after = before + blocks;
    counter[0] = low(after);
    counter[1] = high(after);
    if (after >= before) return;
    if (high(blocks) == ~std::uint32_t{0} && low(after) < low(blocks)) return;
    std::uint64_t upper = counter_high() + 1;
    counter[2] = low(upper);
    counter[3] = high(upper);
  }

  // The four words at the current counter; does not advance it.
  void words(std::uint32_t out[4]) const {
    std::uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; ++round) {
      std::uint64_t a = std::uint64_t{0xd2511f53} * c0, b = std::uint64_t{0xcd9e8d57} * c2;
      c0 = high(b) ^ c1 ^ k0;
      c1 = low(b);
      c2 = high(a) ^ c3 ^ k1;
      c3 = low(a);
      k0 += 0x9e3779b9;
      k1 += 0xbb67ae85;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
  }
};

// The number in [0, 1) that the lowest 52 bits of two words make, `high` the upper one.
inline double unit_double(std::uint32_t high, std::uint32_t low) {
  std::uint64_t fraction = static_cast<std::uint64_t>(high & 0xfffffu) << 32 | low;
  return std::bit_cast<double>(fraction | 0x3ff0000000000000u) - 1.0;
}

// Returns one word at a time.
class PhiloxWords {
 public:
  explicit PhiloxWords(const Philox& start) : state_(start) {}
  std::uint32_t next() {
    if (used_ == 4) {
      state_.words(words_);
      state_.skip(1);
      used_ = 0;
    }
    return words_[used_++];
  }

 private:
  Philox state_;
  std::uint32_t words_[4];
  int used_ = 4;
};

}  // namespace tracefn
