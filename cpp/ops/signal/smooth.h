// Lengths whose Fourier transforms are made of small ones: those without prime factors but 2, 3 and 5.
#pragma once

#include <cstdint>

namespace tracefn {

inline bool is_smooth(std::int64_t n) {
  for (const std::int64_t p : {2, 3, 5})
    while (n % p == 0) n /= p;
  return n == 1;
}

// The first such number from n > 0 on.
inline std::int64_t smooth_from(std::int64_t n) {
  while (!is_smooth(n)) ++n;
  return n;
}

}  // namespace tracefn
