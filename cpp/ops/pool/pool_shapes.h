// Sizes of pooling: what the shape rules infer, and what is checked at execution.
#pragma once

#include "ops/conv/window.h"

namespace tracefn {

// What the attributes say of the window; its sizes and strides may be the last two inputs instead, whose values are
// known.
struct PoolAttrs : WindowAttrs {
  std::span<const std::int64_t> ksize;

  explicit PoolAttrs(const InferContext& c);
  explicit PoolAttrs(const KernelContext& c);
  PoolAttrs(const PoolAttrs&) = delete;  // it has views of its own numbers
  PoolAttrs& operator=(const PoolAttrs&) = delete;
  // The spatial dimensions with their windows, too.
  std::array<WindowAxis, 3> axes() const;

 private:
  void take_window(const Tensor& sizes, const Tensor& steps);

  Dims given_ksize_, given_strides_;
};

// The sizes at execution; images have their channels last, and depth 1 if they have two dimensions.
struct PoolSizes {
  ImageLayout layout;
  std::int64_t batch = 0, channels = 0;
  std::int64_t depth_window = 1;  // of pooling across channels instead
  Spatial in{}, out{};
  std::array<WindowAxis, 3> axes{};  // with the paddings that result

  std::int64_t out_channels() const { return channels / depth_window; }
  // The shape of the result in its layout.
  Shape out_shape() const;
};

// The shape that pooling leaves, as a shape rule says it of input `i`: unknown if the window is. Averages keep the
// channels.
Shape infer_pooled(const InferContext& c, std::size_t i, bool average);
// Checks of attributes and of the images' shape.
PoolSizes pool_sizes(const KernelContext& c, const Shape& images, bool average);

// Error(kInvalidArgument, "Expected grad shape to be [1,2], but got [1,3]") if they differ.
void require_shape(std::string_view what, const Shape& wanted, const Shape& given);

}  // namespace tracefn
