// Shape rules and checks of pooling, with the words of TensorFlow's shape functions and of its kernels for CPUs.
#include "ops/pool/pool_shapes.h"

namespace tracefn {
namespace {

template <typename Context>
std::string_view format_of(const Context& c, const OpSignature& op) {
  return op.attr_index("data_format") < 0 ? std::string_view("NHWC") : std::string_view(c.attr("data_format").s());
}

// The attributes of pooling.
struct PoolAttrs {
  ImageLayout layout;
  Padding padding;
  const std::vector<std::int64_t>& ksize;
  const std::vector<std::int64_t>& strides;
  std::vector<std::int64_t> explicit_paddings;

  template <typename Context>
  PoolAttrs(const Context& c, const OpSignature& op)
      : layout(layout_of(format_of(c, op))),
        padding(padding_of(c.attr("padding").s())),
        ksize(c.attr("ksize").ints()),
        strides(c.attr("strides").ints()) {
    if (op.attr_index("explicit_paddings") >= 0) explicit_paddings = c.attr("explicit_paddings").ints();
  }

  std::array<WindowAxis, 3> axes() const {
    std::array<WindowAxis, 3> result;
    for (int i = 0; i < layout.dims; ++i) {
      const auto at = static_cast<std::size_t>(layout.spatial(i));
      WindowAxis& axis = result[spatial_index(layout.dims, i)];
      axis.window = ksize[at];
      axis.stride = strides[at];
      axis.padding = padding;
      if (padding == Padding::kExplicit) {
        axis.before = explicit_paddings[2 * at];
        axis.after = explicit_paddings[2 * at + 1];
      }
    }
    return result;
  }
};

void refuse_vectors(std::string_view format) {
  if (format == "NCHW_VECT_C") invalid_argument("Default MaxPoolingOp only supports NHWC on device type CPU");
}

void check_window(const PoolAttrs& attrs, bool average) {
  const auto rank = static_cast<std::size_t>(attrs.layout.rank());
  require_int32("ksize", attrs.ksize);
  if (attrs.ksize.size() != rank) invalid_argument("Sliding window ksize field must specify ", rank, " dimensions");
  if (rank == 5)
    for (std::int64_t k : attrs.ksize)
      if (k <= 0) invalid_argument("Sliding window ksize field must have non-negative dimensions");
  if (average)
    for (std::int64_t k : attrs.ksize)
      if (k <= 0) invalid_argument("ksize must be a positive int32 value, got:", k);
  require_int32("strides", attrs.strides);
  if (attrs.strides.size() != rank) invalid_argument("Sliding window stride field must specify ", rank, " dimensions");
  if (attrs.padding == Padding::kExplicit)
    check_explicit_paddings(attrs.padding, attrs.explicit_paddings, attrs.layout);
  if (attrs.ksize[0] != 1 || attrs.strides[0] != 1)
    fail(ErrorKind::kUnimplemented, "Pooling is not yet supported on the batch dimension.");
  const auto channel = static_cast<std::size_t>(attrs.layout.channel());
  if (rank == 5 && (attrs.ksize[channel] != 1 || attrs.strides[channel] != 1))
    fail(ErrorKind::kUnimplemented, "Pooling is not yet supported on the depth dimension.");
  if (average) return;
  for (std::int64_t k : attrs.ksize) {
    if (k > 0) continue;
    std::string text;
    for (std::int64_t each : attrs.ksize) text += concat(text.empty() ? "" : ",", each);
    invalid_argument("Sliding window ksize must be positive. The specified or inferred ksize is: ", text);
  }
}

// Pooling across channels, instead of across places.
void check_depth_window(const PoolAttrs& attrs, std::int64_t channels) {
  const auto at = static_cast<std::size_t>(attrs.layout.channel());
  const std::int64_t window = attrs.ksize[at];
  if (window == 1) return;
  for (int i = 0; i < attrs.layout.dims; ++i)
    if (attrs.ksize[static_cast<std::size_t>(attrs.layout.spatial(i))] != 1)
      fail(ErrorKind::kUnimplemented,
           "MaxPooling supports exactly one of pooling across depth or pooling across width/height.");
  if (channels % window)
    fail(ErrorKind::kUnimplemented, "Depthwise max pooling requires the depth window to evenly divide the input depth");
  if (attrs.strides[at] != window)
    fail(ErrorKind::kUnimplemented, "Depthwise max pooling requires the depth window to equal the depth stride");
}

}  // namespace

Shape PoolSizes::out_shape() const {
  Shape shape = Shape::of_rank(layout.rank());
  shape[0] = batch;
  shape[layout.channel()] = out_channels();
  for (int i = 0; i < layout.dims; ++i) shape[layout.spatial(i)] = out[spatial_index(layout.dims, i)];
  return shape;
}

Shape infer_pooled(const InferContext& c, std::size_t i, bool average) {
  refuse_vectors(format_of(c, c.op()));
  const PoolAttrs attrs(c, c.op());
  const ImageLayout& layout = attrs.layout;
  const auto rank = static_cast<std::size_t>(layout.rank());
  c.require_rank(i, layout.rank());
  const std::string name = concat(average ? "AvgPool" : "MaxPool", layout.dims == 3 ? "3D" : "");
  const std::string_view shown = layout.dims == 3 ? "Pool3D" : std::string_view(name);
  require_int32("strides", attrs.strides);
  if (attrs.strides.size() != rank)
    invalid_argument(shown, " requires the stride attribute to contain ", rank,
                     " values, but got: ", attrs.strides.size());
  require_int32("ksize", attrs.ksize);
  if (attrs.ksize.size() != rank)
    invalid_argument(shown, " requires the ksize attribute to contain ", rank,
                     " values, but got: ", attrs.ksize.size());
  if (!c.running()) check_explicit_paddings(attrs.padding, attrs.explicit_paddings, layout);
  const Shape& x = c.shape(i);
  auto dim = [&](int axis) { return x.has_rank() ? x[axis] : kUnknownDim; };
  Shape out = Shape::of_rank(layout.rank());
  auto axes = attrs.axes();
  out[0] = dim(0);
  for (int k = 0; k < layout.dims; ++k)
    out[layout.spatial(k)] = infer_places(c, dim(layout.spatial(k)), axes[spatial_index(layout.dims, k)]);
  const auto channel = static_cast<std::size_t>(layout.channel());
  const WindowAxis across{.window = attrs.ksize[channel], .stride = attrs.strides[channel]};
  const bool keeps = average || layout.dims == 3 || (c.running() && across.window == 1);
  out[layout.channel()] = keeps ? dim(layout.channel()) : infer_places(c, dim(layout.channel()), across);
  return out;
}

PoolSizes pool_sizes(const KernelContext& c, const Shape& images, bool average) {
  const OpSignature& op = c.op().signature;
  refuse_vectors(format_of(c, op));
  const PoolAttrs attrs(c, op);
  const ImageLayout& layout = attrs.layout;
  check_window(attrs, average);
  if (images.rank() != layout.rank() && layout.dims == 3) invalid_argument("tensor_in must be 5-dimensional");
  if (images.rank() != layout.rank())
    invalid_argument("tensor_in_shape must have ", layout.dims, " spatial dimensions. ", images.rank(), " ",
                     layout.channels_second ? 1 : 0);
  PoolSizes s{.layout = layout, .axes = attrs.axes()};
  s.batch = images[0];
  s.channels = images[layout.channel()];
  s.in = spatial_part(layout, images);
  s.out = {1, 1, 1};
  s.depth_window = attrs.ksize[static_cast<std::size_t>(layout.channel())];
  check_depth_window(attrs, s.channels);
  constexpr std::string_view kBefore[] = {"Front", "Top", "Left"}, kAfter[] = {"Back", "Bottom", "Right"};
  for (int i = 0; i < layout.dims; ++i) {
    const std::size_t p = spatial_index(layout.dims, i);
    WindowAxis& axis = s.axes[p];
    if (axis.stride <= 0) invalid_argument("Stride must be > 0, but got ", axis.stride);
    s.out[p] = count_places(s.in[p], axis);
    if (axis.padding != Padding::kExplicit) continue;
    if (axis.before >= axis.window)
      invalid_argument(kBefore[p], " padding ", axis.before, " needs to be smaller than the window size ", axis.window);
    if (axis.after >= axis.window)
      invalid_argument(kAfter[p], " padding ", axis.after, " needs to be smaller than the window size ", axis.window);
  }
  return s;
}

void require_shape(std::string_view what, const Shape& wanted, const Shape& given) {
  if (given != wanted) invalid_argument("Expected ", what, " shape to be ", wanted.text(), ", but got ", given.text());
}

}  // namespace tracefn
