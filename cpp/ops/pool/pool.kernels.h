// The pooling part of the kernel table.
#pragma once

#include <cstdint>

#include "ops/elementwise/block.h"
#include "tensor/dtype.h"

namespace tracefn {

// One image of depth, height and width with the channels last, and the window that slides over it. A window that
// reaches beyond the image has fewer elements there.
struct PoolImage {
  std::int64_t in[3], out[3], window[3], stride[3], before[3];
  std::int64_t pixel;     // channels of the image
  std::int64_t channels;  // of which this many are pooled
  StopCheck stop;         // asked every millisecond
};

// Kernels return false if they were stopped. Pools the lines [first, last) of the result: line l is at depth l / out[1]
// and height l % out[1]. All pointers are to the first pooled channel of the image's first pixel.
using PoolLines = bool (*)(const PoolImage& image, const void* x, void* y, std::int64_t first, std::int64_t last);
// Besides, the pixel of the first largest element of each window, as a number in the image: in `places`, from line
// `first` on. y may be null.
using PoolPlaces = bool (*)(const PoolImage& image, const void* x, void* y, std::int32_t* places, std::int64_t first,
                            std::int64_t last);
// Of max pooling's gradients, which look at the first largest element of each window. For lines of the image: to = the
// sum of `given`, the gradient of the result, over the windows whose largest element it is. Or for lines of the result:
// to = what `given`, an image, has where the element is, and 0 for a window in the padding alone.
using PoolLargest = bool (*)(const PoolImage& image, const void* x, const void* given, void* to, std::int64_t first,
                             std::int64_t last);

struct PoolKernels {
  // Real numbers; the driver computes half and bfloat16 as floats.
  PoolLines largest[kDTypeSlots];
  PoolPlaces places[kDTypeSlots];
  PoolLargest largest_gradient[kDTypeSlots], at_largest[kDTypeSlots];
  // float and double
  PoolLines average[kDTypeSlots];
  // The gradient of the averages: each window's share of dy, for lines of the result; then the sums of the shares of
  // the windows that an element is in, for lines of the image.
  PoolLines shares[kDTypeSlots], sums_of_windows[kDTypeSlots];
};

void fill_pool(PoolKernels& kernels);

}  // namespace tracefn
