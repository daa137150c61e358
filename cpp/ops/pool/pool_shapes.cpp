// Shape rules and checks of pooling, with the words of TensorFlow's shape functions and of its kernels for CPUs.
#include "ops/pool/pool_shapes.h"

namespace tracefn {
namespace {

std::string_view format_of(const OpSignature& op, const AttrList& attrs) {
  const int i = op.attr_index("data_format");
  return i < 0 ? std::string_view("NHWC") : std::string_view(attrs[static_cast<std::size_t>(i)].s());
}

bool has_window_inputs(const OpSignature& op) { return op.attr_index("ksize") < 0; }

Dims ints_in(const Tensor& t) {
  Dims values;
  for (std::int64_t i = 0; i < t.num_elements(); ++i) values.push_back(t.int_at(i));
  return values;
}

void refuse_vectors(const OpSignature& op, const AttrList& attrs) {
  if (format_of(op, attrs) == "NCHW_VECT_C")
    invalid_argument("Default MaxPoolingOp only supports NHWC on device type CPU");
}

void check_window(const PoolAttrs& attrs, bool average, bool is_given) {
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
  if (attrs.padding == Padding::kExplicit) check_explicit_paddings(attrs);
  if (attrs.ksize[0] != 1 || attrs.strides[0] != 1)
    fail(ErrorKind::kUnimplemented, "Pooling is not yet supported on the batch dimension.");
  const auto channel = static_cast<std::size_t>(attrs.layout.channel());
  if (rank == 5 && (attrs.ksize[channel] != 1 || attrs.strides[channel] != 1))
    fail(ErrorKind::kUnimplemented, "Pooling is not yet supported on the depth dimension.");
  if (average) return;
  for (std::int64_t k : attrs.ksize) {
    if (k > 0) continue;
    if (is_given) invalid_argument("Sliding window ksize must be positive.");
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

PoolAttrs::PoolAttrs(const InferContext& c) : WindowAttrs(c), ksize(ints_of(c.op(), c.attrs(), "ksize")) {
  if (has_window_inputs(c.op())) take_window(*c.value(c.num_inputs() - 2), *c.value(c.num_inputs() - 1));
}

PoolAttrs::PoolAttrs(const KernelContext& c) : WindowAttrs(c), ksize(ints_of(c.op().signature, c.attrs(), "ksize")) {
  if (has_window_inputs(c.op().signature)) take_window(c.input(c.num_inputs() - 2), c.input(c.num_inputs() - 1));
}

void PoolAttrs::take_window(const Tensor& sizes, const Tensor& steps) {
  given_ksize_ = ints_in(sizes);
  given_strides_ = ints_in(steps);
  ksize = {given_ksize_.data(), given_ksize_.size()};
  strides = {given_strides_.data(), given_strides_.size()};
}

std::array<WindowAxis, 3> PoolAttrs::axes() const {
  std::array<WindowAxis, 3> result = WindowAttrs::axes();
  for (int i = 0; i < layout.dims; ++i)
    result[spatial_index(layout.dims, i)].window = ksize[static_cast<std::size_t>(layout.spatial(i))];
  return result;
}

Shape PoolSizes::out_shape() const {
  Shape shape = Shape::of_rank(layout.rank());
  shape[0] = batch;
  shape[layout.channel()] = out_channels();
  for (int i = 0; i < layout.dims; ++i) shape[layout.spatial(i)] = out[spatial_index(layout.dims, i)];
  return shape;
}

Shape infer_pooled(const InferContext& c, std::size_t i, bool average) {
  refuse_vectors(c.op(), c.attrs());
  if (has_window_inputs(c.op()) && !c.running())
    for (std::size_t k : {c.num_inputs() - 2, c.num_inputs() - 1}) {
      c.require_rank(k, 1);
      if (const std::int64_t n = dim_of(c.shape(k), 0); n >= 0 && n != 4)
        invalid_argument("Dimension must be 4 but is ", n);
    }
  if (has_window_inputs(c.op()) && !(c.value(c.num_inputs() - 2) && c.value(c.num_inputs() - 1))) {
    c.require_rank(i, 4);
    return Shape::unknown();
  }
  const PoolAttrs attrs(c);
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
  if (!c.running()) check_explicit_paddings(attrs);
  const Shape& x = c.shape(i);
  auto dim = [&](int axis) { return dim_of(x, axis); };
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
  refuse_vectors(op, c.attrs());
  const PoolAttrs attrs(c);
  const ImageLayout& layout = attrs.layout;
  check_window(attrs, average, has_window_inputs(op));
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
