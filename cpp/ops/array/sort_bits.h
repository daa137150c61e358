// Numbers as unsigned integers in descending order. Equal numbers (zeros of either sign) have equal bits; NaN comes
// last. For kernel libraries, too.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "tensor/half.h"

namespace tracefn {

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
    // Without branches, which random signs would mispredict. A mask is all ones or zero.
    auto mask = [](bool b) { return static_cast<U>(U{0} - static_cast<U>(b)); };
    const U size = static_cast<U>(u & ~kSign);
    u = static_cast<U>(u & mask(size != 0));
    // Positive numbers by their complement, negative ones by their bits.
    const U positive = mask((u & kSign) == 0);
    return static_cast<U>((u ^ (positive & ~kSign)) | mask(size > kInfinity));
  }
}

}  // namespace tracefn
