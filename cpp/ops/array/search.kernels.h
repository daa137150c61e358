// The part of the kernel table that searches sorted rows.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace tracefn {

// places[i] = the number of elements of a sorted row of n that come before values[i]. `count` is at most
// kSearchedTogether.
using FindPlaces = void (*)(const void* row, std::int64_t n, const void* values, std::int64_t count,
                            std::int64_t* places);
inline constexpr std::int64_t kSearchedTogether = 64;

struct SearchKernels {
  FindPlaces lower[kDTypeSlots];  // those less than it
  FindPlaces upper[kDTypeSlots];  // those not greater
};

void fill_search(SearchKernels& kernels);

}  // namespace tracefn
