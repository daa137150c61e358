// Numbers as unsigned integers in descending order. Equal numbers (zeros of either sign) have equal bits; NaN comes
// last. For kernel libraries, too.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "tensor/half.h"

namespace tracefn {

// The bits of positive infinity.
template <typename T>
constexpr auto kInfinity = std::is_same_v<T, Half>       ? std::uint64_t{0x7c00}
                           : std::is_same_v<T, BFloat16> ? std::uint64_t{0x7f80}
                           : sizeof(T) == 4              ? std::uint64_t{0x7f800000}
                                                         : std::uint64_t{0x7ff0000000000000};

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
    // Without branches, which random signs would mispredict. A mask is all ones or zero.
    auto mask = [](bool b) { return static_cast<U>(U{0} - static_cast<U>(b)); };
    const U size = static_cast<U>(u & ~kSign);
    u = static_cast<U>(u & mask(size != 0));
    // Positive numbers by their complement, negative ones by their bits.
    const U positive = mask((u & kSign) == 0);
    return static_cast<U>((u ^ (positive & ~kSign)) | mask(size > static_cast<U>(kInfinity<T>)));
  }
}

// The number that has these bits. Zero comes back without its sign, and NaN as some NaN.
template <typename T, typename U>
T from_descending_bits(U bits) {
  constexpr U kSign = static_cast<U>(U{1} << (8 * sizeof(T) - 1));
  if constexpr (std::is_integral_v<T>) {
    return std::bit_cast<T>(static_cast<U>(std::is_signed_v<T> ? ~bits ^ kSign : ~bits));
  } else {
    const U positive = static_cast<U>(U{0} - static_cast<U>((bits & kSign) == 0));
    return std::bit_cast<T>(static_cast<U>(bits ^ (positive & static_cast<U>(~kSign))));
  }
}

}  // namespace tracefn
