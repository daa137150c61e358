// What convolutions and pooling have in common: layouts of images, paddings, and the sizes that a window sliding over
// an image leaves. Images have two or three spatial dimensions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ops/infer.h"
#include "ops/kernel.h"

namespace tracefn {

// One number for each of depth, height and width; that of a missing depth comes first.
using Spatial = std::array<std::int64_t, 3>;

// Where the dimensions of a batch of images are: NHWC and NDHWC, or NCHW and NCDHW.
struct ImageLayout {
  int dims;  // spatial dimensions: 2 or 3
  bool channels_second;

  int rank() const { return dims + 2; }
  int channel() const { return channels_second ? 1 : dims + 1; }
  int spatial(int i) const { return i + (channels_second ? 2 : 1); }
};
ImageLayout layout_of(std::string_view data_format);

// Where spatial dimension `i` of `dims` is in a Spatial.
inline std::size_t spatial_index(int dims, int i) { return static_cast<std::size_t>(i + 3 - dims); }
// The spatial part of a shape; 1 for a missing depth.
Spatial spatial_part(const ImageLayout& layout, const Shape& shape);

enum class Padding : std::uint8_t { kValid, kSame, kExplicit };
Padding padding_of(std::string_view text);

// One spatial dimension of a sliding window.
struct WindowAxis {
  std::int64_t window = 1, stride = 1, dilation = 1;
  Padding padding = Padding::kValid;
  std::int64_t before = 0, after = 0;  // paddings: given if explicit; else set by count_places
};

// What the attributes say of the windows of a convolution or of pooling; they must outlive it.
struct WindowAttrs {
  ImageLayout layout;
  Padding padding;
  std::span<const std::int64_t> strides, explicit_paddings;

  explicit WindowAttrs(const InferContext& c);
  explicit WindowAttrs(const KernelContext& c);
  // The spatial dimensions with their strides and explicit paddings, of which there must be enough.
  std::array<WindowAxis, 3> axes() const;

 private:
  WindowAttrs(const OpSignature& op, const AttrList& attrs);
};
// The ints of an attribute; none if the op has no such attribute.
std::span<const std::int64_t> ints_of(const OpSignature& op, const AttrList& attrs, std::string_view name);

// What the shape rule says of the number of places of the window: TensorFlow's words; `size` and `window` may be
// unknown. A running rule accepts a window that is a little longer than the image.
std::int64_t infer_places(const InferContext& c, std::int64_t size, const WindowAxis& axis);
// The number of places at execution; sets the paddings that it results from.
std::int64_t count_places(std::int64_t size, WindowAxis& axis);

// Input i, a vector, as a shape, as far as a shape rule knows it; -1 is an unknown dimension.
Shape given_shape(const InferContext& c, std::size_t i);

// Error(kInvalidArgument) if an element of the attribute is no int32, as TensorFlow reads it.
void require_int32(std::string_view attr, std::span<const std::int64_t> values);
// Checks of the attribute explicit_paddings, with TensorFlow's words.
void check_explicit_paddings(const WindowAttrs& attrs);

// Calls f(image, first line, last line) for the lines of the results of all images, on several threads; a line takes
// `cost` nanoseconds.
using LinesFunction = FunctionRef<void(std::int64_t, std::int64_t, std::int64_t)>;
void for_lines(const KernelContext& c, std::int64_t images, std::int64_t lines, double cost, LinesFunction f);

// Images with the channels last, from and to a layout.
Tensor channels_last(const KernelContext& c, const Tensor& x, const ImageLayout& layout);
Shape channels_last(const Shape& shape, const ImageLayout& layout);
// Where to compute the images of `out` with the channels last: `out` itself if its layout has them there.
Tensor images_for(const Tensor& out, const ImageLayout& layout);
// Brings what was computed there to `out`.
void store_channels_last(const KernelContext& c, const Tensor& images, const ImageLayout& layout, Tensor& out);

}  // namespace tracefn
