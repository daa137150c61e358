// The signature of vector code.
#pragma once

#include <cstdint>

namespace tracefn::vector_code {

// Computes elements 0 to n of `rows` rows, one or more. From row to row the address at places[k] grows by steps[k]
// bytes; those in `places` may change. `rows` becomes the number of rows that are not finished, because a guard failed
// in the first one of them, of which as many elements are done as it returns: a multiple of the vector length.
using Entry = std::int64_t (*)(void** places, std::int64_t n, const std::int64_t* steps, std::int64_t* rows);

}  // namespace tracefn::vector_code
