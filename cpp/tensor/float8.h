// Float8E5M2 and Float8E4M3FN: storage types with exact conversions.
// Source: Micikevicius et al., "FP8 Formats for Deep Learning", 2022 (arXiv:2209.05433).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tracefn {

// One sign bit, the bits of the exponent, and kMantissaBits. A format without infinities has numbers in its largest
// exponent too, and NaN where all bits are ones; what is too large for it becomes NaN.
template <int kMantissaBits, bool kHasInfinity>
struct Float8 {
  std::uint8_t bits = 0;

  Float8() = default;
  // Rounds to nearest, ties to even.
  explicit Float8(float value) {
    std::uint32_t u = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint8_t>(u >> 24 & 0x80);
    u &= 0x7fffffff;
    if (u > 0x7f800000) {
      bits = sign | kNaN;
    } else if (std::bit_cast<float>(u) < std::ldexp(1.0f, kLowestExponent)) {
      // Subnormal: adding a power of two aligns the last kept bit with the float's last.
      const float aligned = std::ldexp(1.0f, kLowestExponent - kMantissaBits + 23);
      bits = sign | static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(std::bit_cast<float>(u) + aligned) -
                                              std::bit_cast<std::uint32_t>(aligned));
    } else {
      constexpr int kDropped = 23 - kMantissaBits;
      u += (1u << (kDropped - 1)) - 1 + (u >> kDropped & 1);
      u = (u >> kDropped) - (static_cast<std::uint32_t>(127 - kBias) << kMantissaBits);
      bits = sign | static_cast<std::uint8_t>(u < kTooLarge ? u : kTooLarge);
    }
  }
  // Rounds once: the float between keeps in its last bit whether something was lost.
  explicit Float8(double value) : Float8(rounded_to_odd(value)) {}

  explicit operator float() const {
    const int exponent = bits >> kMantissaBits & kExponentMask, mantissa = bits & ((1 << kMantissaBits) - 1);
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80) << 24;
    float size = 0;
    if (kHasInfinity && exponent == kExponentMask) {
      size = std::bit_cast<float>(mantissa ? kQuietNaN : 0x7f800000u);
    } else if (!kHasInfinity && (bits & 0x7f) == kNaN) {
      size = std::bit_cast<float>(kQuietNaN);
    } else if (exponent == 0) {
      size = std::ldexp(static_cast<float>(mantissa), kLowestExponent - kMantissaBits);
    } else {
      size = std::ldexp(static_cast<float>(mantissa | 1 << kMantissaBits), exponent - kBias - kMantissaBits);
    }
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(size) | sign);
  }

 private:
  static constexpr int kExponentBits = 7 - kMantissaBits, kExponentMask = (1 << kExponentBits) - 1;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1, kLowestExponent = 1 - kBias;
  static constexpr std::uint8_t kNaN = kHasInfinity ? 0x7f & ~((1 << (kMantissaBits - 1)) - 1) : 0x7f;
  static constexpr std::uint32_t kQuietNaN = 0x7fc00000;
  // Infinity, or the NaN of a format that has none.
  static constexpr std::uint32_t kTooLarge = kHasInfinity ? kExponentMask << kMantissaBits : 0x7f;

  static float rounded_to_odd(double value) {
    const float near = static_cast<float>(value);
    if (std::isnan(value) || std::isinf(near) || static_cast<double>(near) == value) return near;
    const float toward_zero =
        std::fabs(static_cast<double>(near)) > std::fabs(value) ? std::nextafter(near, 0.0f) : near;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(toward_zero) | 1);
  }
};

using Float8E5M2 = Float8<2, true>;
using Float8E4M3FN = Float8<3, false>;

}  // namespace tracefn
