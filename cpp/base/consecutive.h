// For static_asserts beside code that computes with the numbers of an enum.
#pragma once

namespace tracefn {

// Whether the numbers of the enumerators follow one another, in this order.
template <typename Enum, typename... More>
constexpr bool consecutive(Enum first, More... more) {
  auto number = static_cast<long long>(first);
  return ((static_cast<long long>(more) == ++number) && ...);
}

}  // namespace tracefn
