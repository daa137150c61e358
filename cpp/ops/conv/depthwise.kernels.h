// The part of the kernel table for depthwise convolutions.
#pragma once

#include <cstdint>

#include "ops/elementwise/block.h"
#include "tensor/dtype.h"

namespace tracefn {

// The places of a window along one spatial dimension, as in PatchAxis (patches.h); place i of the result is stored at
// first + i * stride of a dimension of `stored` elements.
struct DepthwiseAxis {
  std::int64_t size, count, step;
  const std::int64_t* offsets;
  std::int64_t taps;
  std::int64_t stored, first, stride;
};

// One image of height and width with the channels last.
struct DepthwiseImage {
  DepthwiseAxis height, width;
  std::int64_t channels;
  StopCheck stop;  // asked every millisecond
};

// Kernels return false if they were stopped. y = for each channel, the sum over the taps of x times the filter [taps of
// height][taps of width][channels]; the lines of places [first, last).
using DepthwiseLines = bool (*)(const DepthwiseImage& image, const void* x, const void* filter, void* y,
                                std::int64_t first, std::int64_t last);
// filter += for each tap and channel, the sum over these places of x times dy, which holds the places alone.
using DepthwiseFilter = bool (*)(const DepthwiseImage& image, const void* x, const void* dy, void* filter,
                                 std::int64_t first, std::int64_t last);

struct DepthwiseKernels {
  // float and double
  DepthwiseLines lines[kDTypeSlots];
  DepthwiseFilter filter[kDTypeSlots];
};

void fill_depthwise(DepthwiseKernels& kernels);

}  // namespace tracefn
