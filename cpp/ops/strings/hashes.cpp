// FarmHash's Fingerprint64, MurmurHash64A and SipHash-2-4.
#include "ops/strings/hashes.h"

#include <bit>
#include <cstring>
#include <utility>

namespace tracefn {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read in this order");

template <typename Word>
Word word_at(const char* p) {
  Word word;
  std::memcpy(&word, p, sizeof word);
  return word;
}
std::uint64_t word64(const char* p) { return word_at<std::uint64_t>(p); }

constexpr std::uint64_t kPrime0 = 0xc3a5c85c97cb3127, kPrime1 = 0xb492b66fbe98f273, kPrime2 = 0x9ae16a3b2f90404f;

std::uint64_t rotated(std::uint64_t v, int bits) { return std::rotr(v, bits); }
std::uint64_t folded(std::uint64_t v) { return v ^ v >> 47; }

std::uint64_t pair_hash(std::uint64_t a, std::uint64_t b, std::uint64_t multiplier) {
  std::uint64_t h = folded((a ^ b) * multiplier);
  return folded((b ^ h) * multiplier) * multiplier;
}

std::uint64_t farm_up_to_16(const char* s, std::size_t n) {
  const std::uint64_t multiplier = kPrime2 + n * 2;
  if (n >= 8) {
    const std::uint64_t a = word64(s) + kPrime2, b = word64(s + n - 8);
    return pair_hash(rotated(b, 37) * multiplier + a, (rotated(a, 25) + b) * multiplier, multiplier);
  }
  if (n >= 4) {
    const std::uint64_t a = word_at<std::uint32_t>(s);
    return pair_hash(n + (a << 3), word_at<std::uint32_t>(s + n - 4), multiplier);
  }
  if (n == 0) return kPrime2;
  auto byte = [s](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(s[i])); };
  const std::uint32_t y = byte(0) + (byte(n >> 1) << 8), z = static_cast<std::uint32_t>(n) + (byte(n - 1) << 2);
  return folded(y * kPrime2 ^ z * kPrime0) * kPrime2;
}

std::uint64_t farm_up_to_32(const char* s, std::size_t n) {
  const std::uint64_t multiplier = kPrime2 + n * 2;
  const std::uint64_t a = word64(s) * kPrime1, b = word64(s + 8);
  const std::uint64_t c = word64(s + n - 8) * multiplier, d = word64(s + n - 16) * kPrime2;
  return pair_hash(rotated(a + b, 43) + rotated(c, 30) + d, a + rotated(b + kPrime2, 18) + c, multiplier);
}

std::uint64_t farm_up_to_64(const char* s, std::size_t n) {
  const std::uint64_t multiplier = kPrime2 + n * 2;
  const std::uint64_t a = word64(s) * kPrime2, b = word64(s + 8);
  const std::uint64_t c = word64(s + n - 8) * multiplier, d = word64(s + n - 16) * kPrime2;
  const std::uint64_t y = rotated(a + b, 43) + rotated(c, 30) + d;
  const std::uint64_t z = pair_hash(y, a + rotated(b + kPrime2, 18) + c, multiplier);
  const std::uint64_t e = word64(s + 16) * multiplier, f = word64(s + 24);
  const std::uint64_t g = (y + word64(s + n - 32)) * multiplier, h = (z + word64(s + n - 24)) * multiplier;
  return pair_hash(rotated(e + f, 43) + rotated(g, 30) + h, e + rotated(f + a, 18) + g, multiplier);
}

using Pair = std::pair<std::uint64_t, std::uint64_t>;

// 32 bytes mixed with two seeds.
Pair farm_block(const char* s, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t z = word64(s + 24);
  a += word64(s);
  b = rotated(b + a + z, 21);
  const std::uint64_t c = a;
  a += word64(s + 8) + word64(s + 16);
  return {a + z, b + rotated(a, 44) + c};
}

class FarmLong {
 public:
  // Mixes in 64 bytes; the last block overlaps the one before it and has factors of its own.
  void add(const char* s, std::uint64_t multiplier, std::uint64_t factor_w, std::uint64_t factor_v) {
    x_ = rotated(x_ + y_ + v_.first + word64(s + 8), 37) * multiplier;
    y_ = rotated(y_ + v_.second + word64(s + 48), 42) * multiplier;
    x_ ^= w_.second * factor_w;
    y_ += v_.first * factor_v + word64(s + 40);
    z_ = rotated(z_ + w_.first, 33) * multiplier;
    v_ = farm_block(s, v_.second * multiplier, x_ + w_.first);
    w_ = farm_block(s + 32, z_ + w_.second, y_ + word64(s + 16));
    std::swap(z_, x_);
  }
  std::uint64_t of(const char* s, std::size_t n) {
    x_ = x_ * kPrime2 + word64(s);
    const char* end = s + (n - 1) / 64 * 64;
    const std::size_t rest = (n - 1) & 63;
    for (; s != end; s += 64) add(s, kPrime1, 1, 1);
    const std::uint64_t multiplier = kPrime1 + ((z_ & 0xff) << 1);
    w_.first += rest;
    v_.first += w_.first;
    w_.first += v_.first;
    add(end + rest - 63, multiplier, 9, 9);
    return pair_hash(pair_hash(v_.first, w_.first, multiplier) + folded(y_) * kPrime0 + z_,
                     pair_hash(v_.second, w_.second, multiplier) + x_, multiplier);
  }

 private:
  static constexpr std::uint64_t kSeed = 81;
  std::uint64_t x_ = kSeed, y_ = kSeed * kPrime1 + 113, z_ = folded(y_ * kPrime2 + 113) * kPrime2;
  Pair v_{0, 0}, w_{0, 0};
};

// The last bytes of a text, fewer than eight, as a little-endian number.
std::uint64_t tail_word(std::string_view rest) {
  std::uint64_t word = 0;
  std::memcpy(&word, rest.data(), rest.size());
  return word;
}

}  // namespace

std::uint64_t fingerprint64(std::string_view text) {
  if (text.size() <= 16) return farm_up_to_16(text.data(), text.size());
  if (text.size() <= 32) return farm_up_to_32(text.data(), text.size());
  if (text.size() <= 64) return farm_up_to_64(text.data(), text.size());
  return FarmLong().of(text.data(), text.size());
}

std::uint64_t hash64(std::string_view text) {
  constexpr std::uint64_t kMultiplier = 0xc6a4a7935bd1e995, kSeed = 0xdecafcaffe;
  auto folded47 = [](std::uint64_t v) { return v ^ v >> 47; };
  std::uint64_t h = kSeed ^ text.size() * kMultiplier;
  for (; text.size() >= 8; text.remove_prefix(8))
    h = (h ^ folded47(word64(text.data()) * kMultiplier) * kMultiplier) * kMultiplier;
  if (!text.empty()) h = (h ^ tail_word(text)) * kMultiplier;
  return folded47(folded47(h) * kMultiplier);
}

std::uint64_t siphash(std::string_view text, std::uint64_t key0, std::uint64_t key1) {
  std::uint64_t v0 = key0 ^ 0x736f6d6570736575, v1 = key1 ^ 0x646f72616e646f6d;
  std::uint64_t v2 = key0 ^ 0x6c7967656e657261, v3 = key1 ^ 0x7465646279746573;
  auto rounds = [&](int n) {
    for (; n > 0; --n) {
      v0 += v1;
      v2 += v3;
      v1 = std::rotl(v1, 13) ^ v0;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 = std::rotl(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = std::rotl(v1, 17) ^ v2;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 = std::rotl(v2, 32);
    }
  };
  auto add = [&](std::uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  };
  const std::uint64_t size = text.size();
  for (; text.size() >= 8; text.remove_prefix(8)) add(word64(text.data()));
  add(size << 56 | tail_word(text));
  v2 ^= 0xff;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace tracefn
