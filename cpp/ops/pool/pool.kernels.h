// The pooling part of the kernel table.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace tracefn {

// One image of depth, height and width with the channels last, and the window that slides over it. A window that
// reaches beyond the image has fewer elements there.
struct PoolImage {
  std::int64_t in[3], out[3], window[3], stride[3], before[3];
  std::int64_t pixel;     // channels of the image
  std::int64_t channels;  // of which this many are pooled
};

// Pools the lines [first, last) of the result: line l is at depth l / out[1] and height l % out[1]. All pointers are to
// the first pooled channel of the image's first pixel.
using PoolLines = void (*)(const PoolImage& image, const void* x, void* y, std::int64_t first, std::int64_t last);
// Besides, the pixel of the first largest element of each window, as a number in the image: in `places`, from line
// `first` on. y may be null.
using PoolPlaces = void (*)(const PoolImage& image, const void* x, void* y, std::int32_t* places, std::int64_t first,
                            std::int64_t last);
// Adds the gradient of the averages in these lines to that of the image.
using PoolGradient = void (*)(const PoolImage& image, const void* dy, void* dx, std::int64_t first, std::int64_t last);

struct PoolKernels {
  // Real numbers; the driver computes half and bfloat16 as floats.
  PoolLines largest[kDTypeSlots];
  PoolPlaces places[kDTypeSlots];
  // float and double
  PoolLines average[kDTypeSlots];
  PoolGradient average_gradient[kDTypeSlots];
};

void fill_pool(PoolKernels& kernels);

}  // namespace tracefn
