// What the kernels of pooling and of its gradients share: images as the kernel table takes them, and how their lines
// are shared out.
#pragma once

#include <functional>

#include "ops/pool/pool.kernels.h"
#include "ops/pool/pool_shapes.h"

namespace tracefn {

PoolImage image_of(const PoolSizes& s);

// Error(kInvalidArgument) if an image has more pixels than an index of 32 bits counts.
void require_countable(const PoolSizes& s);

// Calls f(image, first line, last line) for all lines of the results of all images, on several threads.
using LinesFunction = std::function<void(std::int64_t, std::int64_t, std::int64_t)>;
void for_lines(const KernelContext& c, const PoolSizes& s, double cost_of_element, const LinesFunction& f);

// Calls f(image, first channel, channels) for all channels of all images, on several threads.
using ChannelsFunction = std::function<void(std::int64_t, std::int64_t, std::int64_t)>;
void for_channels(const KernelContext& c, const PoolSizes& s, double cost_of_element, const ChannelsFunction& f);

// Calls f(first, last) for parts of the lines of one image, and polls in between.
void in_parts(const PoolSizes& s, std::int64_t channels, double cost_of_element,
              const std::function<void(std::int64_t, std::int64_t)>& f);

}  // namespace tracefn
