// The sorting of keys in lanes that several kernels call.
#pragma once

#include <cstdint>

#include "ops/array/array.kernels.h"

namespace tracefn {

// Sorts each of kSortLanes lanes: row i has keys [kSortLanes i, kSortLanes (i + 1)). There is a multiple of kSortRows
// rows.
void sort_key_lanes(std::int64_t* keys, std::int64_t rows);
// The same of twice as many lanes.
void sort_key_lanes(std::int32_t* keys, std::int64_t rows);

// Fills SortKernels::values.
void fill_value_sort(ArrayKernels& kernels);

}  // namespace tracefn
