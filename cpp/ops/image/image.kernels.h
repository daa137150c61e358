// The image part of the kernel table: rows of pixels, which are interpolated along the row or among rows. A pixel has
// `channels` floats.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace tracefn {

// What the pixels of a row are made of: pixel x of `weights[first[x]], ..., weights[first[x + 1] - 1]` times the pixels
// at the same places of `pixels`, in this order. Pixels are counted from 0; those of later x do not lie before.
struct PixelTaps {
  std::int64_t count;          // of the pixels that are made
  const std::int64_t* first;   // count + 1 places
  const std::int32_t* pixels;  // the numbers of pixels of the row that is read
  const float* weights;
  std::int64_t in_width;  // pixels of that row
};

struct ImageKernels {
  // y = x as floats; integers and doubles.
  void (*to_float[kDTypeSlots])(const void* x, std::int64_t n, float* y);
  // to = the sums that the taps say
  void (*gather_pixels)(const float* row, const PixelTaps& taps, std::int64_t channels, float* to);
  // to = a + (b - a) part, where a and b are the first and the second tap of each pixel, and part is the second weight
  void (*mix_pixels)(const float* row, const PixelTaps& taps, std::int64_t channels, float* to);
  // to = a + (b - a) part
  void (*mix_rows)(const float* a, const float* b, float part, std::int64_t n, float* to);
  // to = the sum of rows[i] weights[i], in this order, times scale
  void (*sum_rows)(const float* const* rows, const float* weights, std::int64_t count, float scale, std::int64_t n,
                   float* to);
};

void fill_image(ImageKernels& kernels);

}  // namespace tracefn
