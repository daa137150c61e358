// The checks of resized images and of their gradients, in TensorFlow's words.
#pragma once

#include "ops/image/axis_taps.h"
#include "ops/kernel.h"

namespace tracefn {

// The two axes of a resized image, or of the gradient of one.
struct ResizeSizes {
  ResizeScale rows, columns;
};

void check_resize(const KernelContext& c);
void check_resize_gradient(const KernelContext& c);
void check_resize_nearest(const KernelContext& c);
void check_resize_nearest_gradient(const KernelContext& c);

// After these checks: how the pixels of the images correspond to those of output 0, and those of the image whose
// gradient is output 0 to those of input 0.
ResizeSizes resize_sizes(KernelContext& c);
ResizeSizes resize_gradient_sizes(KernelContext& c);

}  // namespace tracefn
