// What the kernels of pooling and of its gradients share: images as the kernel table takes them, and how their lines
// are shared out.
#pragma once

#include "ops/pool/pool.kernels.h"
#include "ops/pool/pool_shapes.h"

namespace tracefn {

PoolImage image_of(const PoolSizes& s);

// Error(kInvalidArgument) if an image has more pixels than an index of 32 bits counts.
void require_countable(const PoolSizes& s);

// Calls f(image, first line, last line) for all lines of the results of all images, on several threads.
void for_lines(const KernelContext& c, const PoolSizes& s, double cost_of_element, LinesFunction f);

// The same for the lines of the images.
void for_image_lines(const KernelContext& c, const PoolSizes& s, double cost_of_element, LinesFunction f);

// The same in as few stripes as keep threads busy: windows that reach across their ends are looked at in both.
void in_stripes(const KernelContext& c, const PoolSizes& s, double cost_of_element, LinesFunction f);

}  // namespace tracefn
