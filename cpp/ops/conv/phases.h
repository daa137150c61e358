// The gradient of a convolution with respect to its input: places of the input that are equal modulo the strides are
// reached by the same taps, and make up a convolution of the result's gradient of its own, with stride 1.
#pragma once

#include "ops/conv/patches.h"

namespace tracefn {

// The places of the input congruent to `first` modulo the stride, and the taps that reach them: the last one first.
struct PhaseAxis {
  std::int64_t first = 0;
  PatchAxis places;  // of the result
  SmallVector<std::int64_t, 8> taps;
};

// The phases of a dimension that taps reach: at most one for each tap, in order.
std::vector<PhaseAxis> reached_phases(const ConvSizes& s, std::size_t axis);
// Whether a tap reaches every place of the input.
bool all_reached(const ConvSizes& s);

}  // namespace tracefn
