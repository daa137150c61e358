// Checks of sizes at execution.
#include "ops/image/resize_sizes.h"

#include <limits>

namespace tracefn {
namespace {

bool flag(const KernelContext& c, std::string_view name) {
  const int i = c.op().signature.attr_index(name);
  return i >= 0 && c.attrs()[static_cast<std::size_t>(i)].b();
}

void require_centers(const KernelContext& c) {
  if (flag(c, "half_pixel_centers") && flag(c, "align_corners"))
    invalid_argument("If half_pixel_centers is True, align_corners must be False.");
}

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

void require_two(const Tensor& size) {
  if (size.rank() != 1) invalid_argument("shape_t must be 1-dimensional", size.shape().text());
  if (size.num_elements() != 2) invalid_argument("shape_t must have two elements", size.shape().text());
}

ResizeSizes sizes(const KernelContext& c, const Tensor& from, const Tensor& to) {
  const bool corners = flag(c, "align_corners"), centers = flag(c, "half_pixel_centers");
  return {.rows = ResizeScale(from.dim(1), to.dim(1), corners, centers),
          .columns = ResizeScale(from.dim(2), to.dim(2), corners, centers)};
}

}  // namespace

void check_resize(const KernelContext& c) {
  require_centers(c);
  const Tensor &images = c.input(0), &size = c.input(1);
  if (images.rank() != 4) invalid_argument("input must be 4-dimensional", images.shape().text());
  if (images.dim(3) <= 0) invalid_argument("image must have at least one channel");
  if (images.dim(1) <= 0 || images.dim(2) <= 0) invalid_argument("input image must be of non-zero size");
  if (images.dim(1) >= kMost || images.dim(2) >= kMost) invalid_argument("input sizes must be between 0 and max int32");
  require_two(size);
  if (size.int_at(0) <= 0 || size.int_at(1) <= 0) invalid_argument("output dimensions must be positive");
}

void check_resize_nearest(const KernelContext& c) {
  check_resize(c);
  constexpr std::int64_t kMostExact = 1 << 24;  // floats hold no greater numbers exactly
  if (c.input(0).dim(1) >= kMostExact || c.input(0).dim(2) >= kMostExact)
    invalid_argument("nearest neighbor requires max height & width of 2^24");
}

void check_resize_gradient(const KernelContext& c) {
  require_centers(c);
  const Tensor &gradient = c.input(0), &image = c.input(1);
  if (gradient.rank() != 4) invalid_argument("input_grad must be 4-dimensional", gradient.shape().text());
  if (gradient.dim(1) <= 0 || gradient.dim(2) <= 0) invalid_argument("resized dimensions must be positive");
  if (image.rank() != 4) invalid_argument("original_image must be 4-dimensional", image.shape().text());
  if (image.dim(1) <= 0 || image.dim(2) <= 0) invalid_argument("original dimensions must be positive");
  if (image.dim(1) >= kMost || image.dim(2) >= kMost)
    invalid_argument("original sizes must be between 0 and max int32");
}

void check_resize_nearest_gradient(const KernelContext& c) {
  const Tensor &gradient = c.input(0), &size = c.input(1);
  if (gradient.rank() != 4) invalid_argument("input must be 4-dimensional", gradient.shape().text());
  require_two(size);
  if (size.int_at(0) <= 0 || size.int_at(1) <= 0) invalid_argument("shape_t's elements must be positive");
}

ResizeSizes resize_sizes(KernelContext& c) { return sizes(c, c.input(0), c.output(0)); }

ResizeSizes resize_gradient_sizes(KernelContext& c) { return sizes(c, c.output(0), c.input(0)); }

}  // namespace tracefn
