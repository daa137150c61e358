// Shapes of images that several ops share.
#include "ops/image/image_shapes.h"

namespace tracefn {

void require_size(std::int64_t size, std::int64_t wanted) {
  if (size >= 0 && size != wanted) invalid_argument("Dimension must be ", wanted, " but is ", size);
}

namespace {

// -1 is unknown to TensorFlow's shape functions.
std::int64_t size_at(const Tensor& size, std::int64_t i) {
  const std::int64_t value = size.int_at(i);
  if (value < kUnknownDim) invalid_argument("Dimension ", value, " must be >= 0");
  return value;
}

}  // namespace

void set_sized_images(InferContext& c, std::int64_t batch, std::size_t size, std::int64_t channels) {
  c.require_rank(size, 1);
  require_size(dim_of(c.shape(size), 0), 2);
  std::int64_t height = kUnknownDim, width = kUnknownDim;
  if (const Tensor* value = c.value(size)) {
    height = size_at(*value, 0);
    width = size_at(*value, 1);
  }
  c.set_output(0, Shape({batch, height, width, channels}));
}

void infer_resized(InferContext& c) { infer_sized<1>(c); }

void infer_as_second(InferContext& c) { c.set_output(0, c.shape(1)); }

}  // namespace tracefn
