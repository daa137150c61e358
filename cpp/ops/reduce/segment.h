// The check of sorted segment ids.
#pragma once

#include <cstdint>

#include "base/error.h"

namespace tracefn {

// A segment that ends where `next` begins, with TensorFlow's words and in its order.
inline void check_segment_end(std::int64_t id, std::int64_t next, std::int64_t segments) {
  if (next < id) invalid_argument("segment ids are not increasing");
  if (id < 0 || id >= segments)
    invalid_argument("Segment id ", id, " out of range [0, ", segments,
                     "), possibly because 'segment_ids' input is not sorted.");
}

}  // namespace tracefn
