// The numbers that define Sobol's sequence in each dimension.
#pragma once

#include <cstdint>
#include <span>

namespace tracefn {

inline constexpr std::int64_t kSobolDimensions = 1111;

// The primitive polynomials over the numbers modulo 2 of dimensions 1, 2, ..., one bit for each coefficient, the
// highest first. That of dimension 0 is 1.
std::span<const std::uint16_t> sobol_polynomials();
// The first direction numbers of dimensions 1, 2, ..., one after the other: as many as the polynomial's degree.
std::span<const std::uint16_t> sobol_first_numbers();

}  // namespace tracefn
