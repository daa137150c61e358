// The axis of a gather or a concatenation, which TensorFlow checks as a minimum rank.
#pragma once

#include <cstdint>

#include "base/error.h"

namespace tracefn {

// Error(kInvalidArgument) unless -rank <= axis < rank.
inline void require_axis(std::int64_t axis, int rank) {
  if (axis >= -rank && axis < rank) return;
  const auto distance = static_cast<std::uint64_t>(axis);
  invalid_argument("Shape must be at least rank ", axis < 0 ? 0 - distance : distance + 1, " but is rank ", rank);
}

}  // namespace tracefn
