// Half and BFloat16: storage types with exact conversions, for code outside the kernels (which use Eigen's, of the same
// layout).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tracefn {

struct BFloat16 {
  std::uint16_t bits = 0;
  BFloat16() = default;
  // Rounds to nearest, ties to even; NaN stays NaN.
  explicit BFloat16(float value) {
    std::uint32_t u = std::bit_cast<std::uint32_t>(value);
    bits = std::isnan(value) ? static_cast<std::uint16_t>((u >> 16) | 0x40)
                             : static_cast<std::uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

struct Half {
  std::uint16_t bits = 0;
  Half() = default;
  // Rounds to nearest, ties to even; overflow becomes infinity; NaN stays NaN.
  explicit Half(float value) {
    std::uint32_t u = std::bit_cast<std::uint32_t>(value);
    std::uint32_t sign = (u >> 16) & 0x8000;
    u &= 0x7fffffff;
    if (u > 0x7f800000) {
      bits = static_cast<std::uint16_t>(sign | 0x7e00);
    } else if (u >= 0x477ff000) {  // 65520 and above round to infinity
      bits = static_cast<std::uint16_t>(sign | 0x7c00);
    } else if (u < 0x38800000) {  // subnormal halves: adding 0.5 aligns the last kept bit with the float's last
      float shifted = std::bit_cast<float>(u) + 0.5f;
      bits = static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000));
    } else {
      u += 0xc8000fff + ((u >> 13) & 1);  // rebias the exponent by -112 and round
      bits = static_cast<std::uint16_t>(sign | (u >> 13));
    }
  }
  explicit operator float() const {
    std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
    std::uint32_t rest = bits & 0x7fff;
    if (rest >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | ((rest & 0x3ff) << 13));
    if (rest < 0x400) return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(std::ldexp(float(rest), -24)));
    return std::bit_cast<float>(sign | ((rest << 13) + 0x38000000));
  }
};

}  // namespace tracefn
