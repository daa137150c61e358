// Generic arithmetic for all kinds of numbers, recorded ones (lanes.h) included, without undefined overflow: integers
// wrap around, complex products are the plain ones.
#pragma once

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "math/lanes.h"

namespace tracefn {

template <typename T>
inline constexpr bool is_complex_type = false;
template <typename T>
inline constexpr bool is_complex_type<std::complex<T>> = true;

// For complex numbers the type of their parts, otherwise the type itself.
template <typename T>
struct PartOf {
  using type = T;
};
template <typename T>
struct PartOf<std::complex<T>> {
  using type = T;
};

template <typename T>
constexpr auto wrapping(T x) {
  if constexpr (sizeof(T) < 4) {
    return static_cast<std::uint32_t>(x);
  } else {
    return static_cast<std::make_unsigned_t<T>>(x);
  }
}
template <std::integral T>
constexpr bool is_nan(T) {
  return false;
}
template <typename T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(wrapping(a) + wrapping(b));
  else
    return a + b;
}
template <typename T>
T difference(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(wrapping(a) - wrapping(b));
  else
    return a - b;
}
template <typename T>
T product(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(wrapping(a) * wrapping(b));
  } else if constexpr (is_complex_type<T>) {
    // GCC 12 fuses a difference beside a sum of products in vector code, whatever -ffp-contract says, and not in the
    // loop's rest: an element's bits would depend on its place. Two sums it leaves alone.
    const auto minus_imag = -a.imag();
    return T(a.real() * b.real() + minus_imag * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    return a * b;
  }
}

// The quotient by Smith's method, which avoids intermediate overflow and underflow (Smith, CACM 5, 1962).
template <typename T>
std::complex<T> quotient(std::complex<T> a, std::complex<T> b) {
  if (std::abs(b.real()) >= std::abs(b.imag())) {
    if (b.real() == 0 && b.imag() == 0) return {a.real() / std::abs(b.real()), a.imag() / std::abs(b.real())};
    T r = b.imag() / b.real(), d = b.real() + b.imag() * r;
    return {(a.real() + a.imag() * r) / d, (a.imag() - a.real() * r) / d};
  }
  T r = b.real() / b.imag(), d = b.real() * r + b.imag();
  return {(a.real() * r + a.imag()) / d, (a.imag() * r - a.real()) / d};
}
template <typename T>
requires LaneOf<T, float> || LaneOf<T, double> T quotient(T a, T b) { return a / b; }

template <typename T>
T conjugate(T x) {
  if constexpr (is_complex_type<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

}  // namespace tracefn
