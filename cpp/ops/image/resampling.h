// Images resampled along both axes: each row of the result is a sum of rows, each pixel of it a sum of pixels.
#pragma once

#include "ops/image/axis_taps.h"
#include "ops/kernel.h"

namespace tracefn {

enum class ResampleOrder : std::uint8_t {
  kRowsFirst,    // rows are summed, then their pixels
  kPixelsFirst,  // the pixels of rows, then the rows
  kMixed,        // pixels first, with two taps a and b each, as a + (b - a) part
};

// out = the images of x, [batch, height, width, channels] of any real dtype, resampled by the taps; `out` has floats.
// Sums of rows are multiplied by `scale`.
void resample(const KernelContext& c, const Tensor& x, const AxisTaps& rows, const AxisTaps& columns,
              ResampleOrder order, float scale, Tensor& out);

// out = the images of x as floats.
void images_to_float(const KernelContext& c, const Tensor& x, Tensor& out);

// Adds each pixel of `gradient`, times the weights of both axes, to the pixels that it was made of: the gradient of a
// resampled image. `out` has floats or doubles; `wide` says that products are rounded to its dtype only.
void scatter_gradient(const KernelContext& c, const Tensor& gradient, const AxisTaps& rows, const AxisTaps& columns,
                      bool wide, Tensor& out);

}  // namespace tracefn
