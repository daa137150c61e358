// Shapes of images: the rules and checks that several image ops share. Images are [batch, height, width, channels].
#pragma once

#include "ops/infer.h"
#include "ops/kernel.h"

namespace tracefn {

// Error(kInvalidArgument, "Dimension must be 4 but is 3") if the size is known and another one.
void require_size(std::int64_t size, std::int64_t wanted);

// Sets output 0 to [batch, height, width, channels], where input `size` is (height, width).
void set_sized_images(InferContext& c, std::int64_t batch, std::size_t size, std::int64_t channels);
// The same for the batch and the channels of input 0.
void infer_resized(InferContext& c);
template <std::size_t size>
void infer_sized(InferContext& c) {
  c.require_rank(0, 4);
  set_sized_images(c, dim_of(c.shape(0), 0), size, dim_of(c.shape(0), 3));
}
// Every output has the shape of input 1 (a gradient, that of the image).
void infer_as_second(InferContext& c);

}  // namespace tracefn
