// Sizes of convolutions: what the shape rules infer, and what is checked at execution.
#pragma once

#include "ops/conv/window.h"

namespace tracefn {

// The sizes of a convolution at execution, whichever of its three tensors is computed. Images have their channels last,
// and depth 1 if they have two dimensions.
struct ConvSizes {
  ImageLayout layout;
  std::int64_t batch, in_channels, out_channels;
  std::int64_t filter_channels;  // the input channels of one group
  Spatial in, out, filter;
  std::array<WindowAxis, 3> axes;  // with the paddings that result

  std::int64_t groups() const { return filter_channels ? in_channels / filter_channels : 1; }
};

// infer_*: shape rules. *_sizes: checks at execution; they return the sizes.
void infer_conv(InferContext& c);
void infer_conv_input_gradient(InferContext& c);
void infer_conv_filter_gradient(InferContext& c);
ConvSizes conv_sizes(const KernelContext& c);
ConvSizes conv_input_gradient_sizes(const KernelContext& c);
ConvSizes conv_filter_gradient_sizes(const KernelContext& c);

// Depthwise convolutions: out_channels = in_channels * filter's last dimension.
void infer_depthwise(InferContext& c);
void infer_depthwise_input_gradient(InferContext& c);
void infer_depthwise_filter_gradient(InferContext& c);
ConvSizes depthwise_sizes(const KernelContext& c);
ConvSizes depthwise_input_gradient_sizes(const KernelContext& c);
ConvSizes depthwise_filter_gradient_sizes(const KernelContext& c);

}  // namespace tracefn
