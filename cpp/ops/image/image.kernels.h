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

// Converts the colors of n pixels, three numbers each.
struct ColorKernel {
  void (*of_floats)(const void* x, std::int64_t n, void* y);
  void (*of_doubles)(const void* x, std::int64_t n, void* y);
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
  ColorKernel to_hsv, to_rgb;
  // y = the colors of n pixels with their saturation times `scale`, at most 1
  void (*saturate)(const float* x, std::int64_t n, float scale, float* y);
  // sums[j] += the sum of element j of `rows` rows of `width` numbers
  void (*add_columns)(const float* x, std::int64_t rows, std::int64_t width, float* sums);
  // to = center + (x - center) factor; rows have one center for each of `width` numbers
  void (*scale_about)(const float* x, std::int64_t rows, std::int64_t width, const float* centers, float factor,
                      float* to);
};

// Fills to_hsv, to_rgb and saturate.
void fill_colors(ImageKernels& kernels);
void fill_image(ImageKernels& kernels);

}  // namespace tracefn
