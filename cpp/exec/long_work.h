// Whether ops on some tensors take so long that it pays to release the host's lock (base/host_lock.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "tensor/tensor.h"

namespace tracefn {

// Ops on tensors with fewer elements are assumed to take less time than releasing the lock costs.
inline constexpr std::int64_t kLongElements = 16384;

inline bool any_is_long(std::span<const Tensor> tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor& t) { return t.num_elements() >= kLongElements; });
}

}  // namespace tracefn
