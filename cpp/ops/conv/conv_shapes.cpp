// Shape rules and checks of convolutions, with the words of TensorFlow's shape functions and of its kernels for CPUs.
#include "ops/conv/conv_shapes.h"

namespace tracefn {
namespace {

struct ConvAttrs : WindowAttrs {
  std::span<const std::int64_t> dilations;

  template <typename Context>
  explicit ConvAttrs(const Context& c) : WindowAttrs(c), dilations(c.attr("dilations").ints()) {}

  std::array<WindowAxis, 3> axes() const {
    std::array<WindowAxis, 3> result = WindowAttrs::axes();
    for (int i = 0; i < layout.dims; ++i)
      result[spatial_index(layout.dims, i)].dilation = dilations[static_cast<std::size_t>(layout.spatial(i))];
    return result;
  }
};

// `op` is "Conv2D on data format NHWC", say.
void check_counts(const ConvAttrs& attrs, std::string_view op, std::string_view op_in_stride_error,
                  std::string_view dilation) {
  const auto rank = static_cast<std::size_t>(attrs.layout.rank());
  require_int32("dilations", attrs.dilations);
  if (attrs.dilations.size() != rank)
    invalid_argument(op, " requires the ", dilation, " attribute to contain ", rank,
                     " values, but got: ", attrs.dilations.size());
  require_int32("strides", attrs.strides);
  if (attrs.strides.size() != rank)
    invalid_argument(op_in_stride_error, " requires the stride attribute to contain ", rank,
                     " values, but got: ", attrs.strides.size());
}

void infer_groups(std::int64_t in, std::int64_t filter_in, std::int64_t out) {
  if (in < 0 || filter_in < 0) return;
  if (filter_in == 0) invalid_argument("Depth of filter must not be 0");
  if (in % filter_in)
    invalid_argument("Depth of input (", in, ") is not a multiple of input depth of filter (", filter_in, ")");
  if (in == filter_in || out < 0) return;
  const std::int64_t groups = in / filter_in;
  if (groups == 0) invalid_argument("Number of groups must not be 0");
  if (out % groups)
    invalid_argument("Depth of output (", out, ") is not a multiple of the number of groups (", groups, ")");
}

// Output 0: the images that a filter leaves, with `channels`.
void infer_images(InferContext& c, const ConvAttrs& attrs, std::int64_t channels) {
  const Shape& x = c.shape(0);
  const Shape& filter = c.shape(1);
  const ImageLayout& layout = attrs.layout;
  Shape out = Shape::of_rank(layout.rank());
  auto axes = attrs.axes();
  for (int i = 0; i < layout.dims; ++i) {
    WindowAxis& axis = axes[spatial_index(layout.dims, i)];
    axis.window = dim_of(filter, i);
    out[layout.spatial(i)] = infer_places(c, dim_of(x, layout.spatial(i)), axis);
  }
  out[0] = dim_of(x, 0);
  out[layout.channel()] = channels;
  c.set_output(0, std::move(out));
}

// Checks of the attributes that TensorFlow's kernels make when they are created.
void check_attrs_2d(const ConvAttrs& attrs, ErrorKind refused) {
  require_int32("dilations", attrs.dilations);
  if (attrs.dilations.size() != 4) invalid_argument("Sliding window dilations field must specify 4 dimensions");
  require_int32("strides", attrs.strides);
  if (attrs.strides.size() != 4) invalid_argument("Sliding window strides field must specify 4 dimensions");
  const auto channel = static_cast<std::size_t>(attrs.layout.channel());
  if (attrs.strides[0] != 1 || attrs.strides[channel] != 1)
    fail(refused, "Current implementation does not yet support strides in the batch and depth dimensions.");
  for (int i = 0; i < 2; ++i)
    if (attrs.strides[static_cast<std::size_t>(attrs.layout.spatial(i))] <= 0)
      invalid_argument("Row and column strides should be larger than 0.");
  if (attrs.dilations[0] != 1 || attrs.dilations[channel] != 1)
    fail(refused, "Current implementation does not yet support dilations in the batch and depth dimensions.");
  for (int i = 0; i < 2; ++i)
    if (attrs.dilations[static_cast<std::size_t>(attrs.layout.spatial(i))] <= 0)
      invalid_argument("Dilated rates should be larger than 0.");
  check_explicit_paddings(attrs);
}

void check_attrs_3d(const ConvAttrs& attrs, bool gradient) {
  require_int32("strides", attrs.strides);
  if (attrs.strides.size() != 5) invalid_argument("Sliding window strides field must specify 5 dimensions");
  const auto channel = static_cast<std::size_t>(attrs.layout.channel());
  if (attrs.strides[0] != 1 || attrs.strides[channel] != 1)
    invalid_argument("Current implementation does not yet support strides in the batch and depth dimensions.");
  require_int32("dilations", attrs.dilations);
  if (attrs.dilations.size() != 5) invalid_argument("Dilation rates field must specify 5 dimensions");
  if (attrs.dilations[0] != 1 || attrs.dilations[channel] != 1)
    invalid_argument("Current implementation does not yet support dilation rates in the batch and depth dimensions.");
  for (int i = 0; i < 3; ++i)
    if (attrs.dilations[static_cast<std::size_t>(attrs.layout.spatial(i))] <= 0)
      invalid_argument("Dilated rates should be larger than 0.");
  for (int i = 0; i < 3; ++i) {
    const std::int64_t stride = attrs.strides[static_cast<std::size_t>(attrs.layout.spatial(i))];
    if (stride > 0) continue;
    if (gradient) invalid_argument("Stride must be > 0, but got ", stride);
    invalid_argument("Spatial strides should be larger than 0.");
  }
}

// `refused`: the kind of error of what is not supported along the batch and the channels.
void check_attrs(const ConvAttrs& attrs, bool gradient, ErrorKind refused = ErrorKind::kUnimplemented) {
  attrs.layout.dims == 2 ? check_attrs_2d(attrs, refused) : check_attrs_3d(attrs, gradient);
}

// Fills what follows from the shapes of the input and of the filter.
ConvSizes sizes_of(const ConvAttrs& attrs, const Shape& in, const Shape& filter) {
  const ImageLayout& layout = attrs.layout;
  ConvSizes s{.layout = layout,
              .batch = in[0],
              .in_channels = in[layout.channel()],
              .out_channels = filter[layout.dims + 1],
              .filter_channels = filter[layout.dims],
              .in = spatial_part(layout, in),
              .out = {1, 1, 1},
              .filter = {1, 1, 1},
              .axes = attrs.axes()};
  for (int i = 0; i < layout.dims; ++i) {
    const std::size_t p = spatial_index(layout.dims, i);
    s.axes[p].window = s.filter[p] = filter[i];
    s.out[p] = count_places(s.in[p], s.axes[p]);
  }
  return s;
}

// Input i as a shape, an integer vector.
Shape shape_input(const Tensor& t, std::string_view op, std::string_view what) {
  if (t.rank() != 1 && op == "Conv3DBackpropInputV2")
    invalid_argument("shape must be a vector of {int32,int64}, got shape ", t.shape().text());
  if (t.rank() != 1 && op == "Conv3DBackpropFilterOp")
    invalid_argument("filter_sizes shape must be rank 1 but is rank ", t.rank());
  if (t.rank() != 1) invalid_argument(op, ": ", what, " input must be 1-dim, not ", t.rank());
  Dims dims;
  for (std::int64_t i = 0; i < t.num_elements(); ++i) {
    if (t.int_at(i) < 0) invalid_argument("Dimension ", t.int_at(i), " must be >= 0");
    dims.push_back(t.int_at(i));
  }
  return Shape(std::move(dims));
}

// TensorFlow's check of the three shapes of a gradient of a convolution.
ConvSizes check_gradient(const ConvAttrs& attrs, std::string_view label, const Shape& in, const Shape& filter,
                         const Shape& dy) {
  const ImageLayout& layout = attrs.layout;
  const int rank = layout.rank();
  if (rank == 5) {
    if (in.rank() != rank) invalid_argument("input tensor must have 5 dimensions");
    if (filter.rank() != rank) invalid_argument("filter_sizes tensor must have 5 dimensions");
    if (dy.rank() != rank) invalid_argument("out_backprop tensor must have 5 dimensions");
    const std::int64_t channels = in[layout.channel()], out = dy[layout.channel()];
    if (filter[3] == 0 ? channels != 0 : channels % filter[3] != 0)
      invalid_argument("input and filter_sizes must have the same number of channels. Got ", channels,
                       " for input and ", filter[3], " for filter_sizes");
    if (out != filter[4])
      invalid_argument("out_backprop and filter_sizes must have the same number of channels. Got ", out,
                       " for out_backprop and ", filter[4], " for filter_sizes");
  }
  if (in.rank() != rank) invalid_argument(label, ": input must be ", rank, "-dimensional");
  if (filter.rank() != rank) invalid_argument(label, ": filter must be ", rank, "-dimensional");
  if (dy.rank() != rank) invalid_argument(label, ": out_backprop must be ", rank, "-dimensional");
  if (in[0] != dy[0])
    invalid_argument(label, ": input and out_backprop must have the same batch size. Input batch: ", in[0],
                     ", outbackprop batch: ", dy[0], ", batch_dim: 0");
  const std::int64_t channels = in[layout.channel()], filter_channels = filter[layout.dims];
  if (filter_channels == 0) invalid_argument(label, ": filter depth must be strictly greated than zero");
  if (channels % filter_channels) invalid_argument(label, ": input depth must be evenly divisible by filter depth");
  if (filter[layout.dims + 1] != dy[layout.channel()])
    invalid_argument(label, ": filter and out_backprop must have the same out_depth");
  // TensorFlow's kernels for CPUs know no groups, and would ask for the same number of channels.
  const std::int64_t groups = channels / filter_channels;
  if (groups && filter[layout.dims + 1] % groups)
    invalid_argument(label, ": output depth must be evenly divisible by number of groups: ", filter[layout.dims + 1],
                     " vs ", groups);
  ConvSizes s = sizes_of(attrs, in, filter);
  for (int i = 0; i < layout.dims; ++i) {
    const std::size_t p = spatial_index(layout.dims, i);
    const std::int64_t given = dy[layout.spatial(i)];
    if (given != s.out[p])
      invalid_argument(label, ": Size of out_backprop doesn't match computed: actual = ", given,
                       ", computed = ", s.out[p], " spatial_dim: ", layout.spatial(i), " input: ", s.in[p],
                       " filter: ", s.filter[p], " output: ", given, " stride: ", s.axes[p].stride,
                       " dilation: ", s.axes[p].dilation);
  }
  return s;
}

}  // namespace

void infer_conv(InferContext& c) {
  const ConvAttrs attrs(c);
  const ImageLayout& layout = attrs.layout;
  c.require_rank(0, layout.rank());
  c.require_rank(1, layout.rank());
  const std::string op = layout.dims == 2 ? "Conv2D" : "Conv3D";
  check_counts(attrs, op, layout.dims == 2 ? concat(op, " on data format ", c.attr("data_format").s()) : op,
               "dilation");
  const std::int64_t out = dim_of(c.shape(1), layout.dims + 1);
  if (!c.running()) infer_groups(dim_of(c.shape(0), layout.channel()), dim_of(c.shape(1), layout.dims), out);
  check_explicit_paddings(attrs);
  infer_images(c, attrs, out);
}

ConvSizes conv_sizes(const KernelContext& c) {
  const ConvAttrs attrs(c);
  check_attrs(attrs, false);
  const Shape& in = c.input(0).shape();
  const Shape& filter = c.input(1).shape();
  const int dims = attrs.layout.dims;
  if (dims == 2) {
    if (in.rank() != 4) invalid_argument("convolution input must be 4-dimensional: ", in.text());
    if (filter.rank() != 4) invalid_argument("convolution filter must be 4-dimensional: ", filter.text());
  } else {
    if (in.rank() != 5) invalid_argument("input must be 5-dimensional");
    if (filter.rank() != 5) invalid_argument("filter must be 5-dimensional");
  }
  const std::int64_t channels = in[attrs.layout.channel()], filter_channels = filter[dims], out = filter[dims + 1];
  if (dims == 2) {
    if (filter_channels <= 0) invalid_argument("filter depth must be stricly positive, got ", filter_channels);
    if (channels % filter_channels)
      invalid_argument("input depth must be evenly divisible by filter depth: ", channels, " vs ", filter_channels);
  } else {
    if (filter_channels == 0) invalid_argument("filter_depth must be non-zero");
    if (channels % filter_channels)
      invalid_argument("Input depth must be evenly divisible by filter depth: ", channels, " vs ", filter_channels);
    if (filter.num_elements() == 0)
      invalid_argument("filter must not have zero elements (i.e. all dimensions must be non-zero)");
  }
  const std::int64_t groups = channels / filter_channels;
  if (groups && out % groups)
    invalid_argument("output depth must be evenly divisible by number of groups: ", out, " vs ", groups);
  ConvSizes s = sizes_of(attrs, in, filter);
  const bool empty = s.batch == 0 || s.out[0] == 0 || s.out[1] == 0 || s.out[2] == 0 || out == 0;
  if (!empty && (s.filter[0] == 0 || s.filter[1] == 0 || s.filter[2] == 0))
    invalid_argument("filter must not have zero elements (i.e. all dimensions must be non-zero)");
  return s;
}

void infer_conv_input_gradient(InferContext& c) {
  const ConvAttrs attrs(c);
  const ImageLayout& layout = attrs.layout;
  const int rank = layout.rank();
  if (layout.dims == 3) {
    Shape out = given_shape(c, 0);
    if (out.has_rank() && out.rank() != rank)
      invalid_argument("Shape must be rank ", rank, " but is rank ", out.rank());
    return c.set_output(0, out.has_rank() ? out : Shape::of_rank(rank));
  }
  c.require_rank(0, 1);
  const std::int64_t count = dim_of(c.shape(0), 0);
  if (count >= 0 && count != rank && count != layout.dims)
    invalid_argument(c.op().name, " requires input_sizes to contain ", rank, " values or ", layout.dims,
                     " values, but got: ", count);
  c.require_rank(2, rank);
  c.require_rank(1, rank);
  const Shape& dy = c.shape(2);
  const Shape& filter = c.shape(1);
  Shape out = Shape::of_rank(rank);
  const Shape given = given_shape(c, 0);
  require_equal(dim_of(dy, layout.channel()), dim_of(filter, layout.dims + 1));
  const std::int64_t batch = dim_of(dy, 0);
  if (count == layout.dims) {
    for (int i = 0; i < layout.dims; ++i) out[layout.spatial(i)] = given[i];
    out[layout.channel()] = dim_of(filter, layout.dims);
  } else if (count == rank) {
    if (given.has_rank()) out = given;
    require_equal(out[0], batch);
  }
  out[0] = batch;
  c.set_output(0, std::move(out));
}

ConvSizes conv_input_gradient_sizes(const KernelContext& c) {
  const ConvAttrs attrs(c);
  check_attrs(attrs, true);
  const ImageLayout& layout = attrs.layout;
  const Shape& filter = c.input(1).shape();
  const Shape& dy = c.input(2).shape();
  if (layout.dims == 3) {
    const Shape in = shape_input(c.input(0), "Conv3DBackpropInputV2", "input_sizes");
    return check_gradient(attrs, "Conv3DBackpropInputOp", in, filter, dy);
  }
  Shape in = shape_input(c.input(0), "Conv2DBackpropInput", "input_sizes");
  if (dy.rank() != 4) invalid_argument("input_sizes must be 4-dimensional, got: ", dy.rank());
  if (in.rank() == 2) {
    if (filter.rank() != 4) invalid_argument("Conv2DCustomBackpropInput: filter must be 4-dimensional");
    Shape whole = Shape::of_rank(4);
    whole[0] = dy[0];
    for (int i = 0; i < 2; ++i) whole[layout.spatial(i)] = in[i];
    whole[layout.channel()] = filter[2];
    in = std::move(whole);
  } else if (in.rank() != 4) {
    invalid_argument("Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: ", in.rank());
  }
  return check_gradient(attrs, "Conv2DCustomBackpropInput", in, filter, dy);
}

void infer_conv_filter_gradient(InferContext& c) {
  const int rank = ConvAttrs(c).layout.rank();
  c.require_rank(1, 1);
  Shape out = given_shape(c, 1);
  if (out.has_rank() && out.rank() != rank) invalid_argument("Shape must be rank ", rank, " but is rank ", out.rank());
  c.set_output(0, out.has_rank() ? out : Shape::of_rank(rank));
}

ConvSizes conv_filter_gradient_sizes(const KernelContext& c) {
  const ConvAttrs attrs(c);
  check_attrs(attrs, true, ErrorKind::kInvalidArgument);
  const std::string label = attrs.layout.dims == 2 ? "Conv2DCustomBackpropFilter" : "Conv3DBackpropFilterOp";
  const Shape filter = shape_input(c.input(1), label, "filter_sizes");
  return check_gradient(attrs, label, c.input(0).shape(), filter, c.input(2).shape());
}

void infer_depthwise(InferContext& c) {
  const ConvAttrs attrs(c);
  const ImageLayout& layout = attrs.layout;
  c.require_rank(0, 4);
  c.require_rank(1, 4);
  require_int32("strides", attrs.strides);
  if (attrs.strides.size() != 4)
    invalid_argument("DepthwiseConv2D requires the stride attribute to contain 4 values, but got: ",
                     attrs.strides.size());
  if (attrs.dilations.size() != 4)
    invalid_argument("DepthwiseConv2D requires the dilations attribute to contain 4 values, but got: ",
                     attrs.dilations.size());
  const Shape& x = c.shape(0);
  const Shape& filter = c.shape(1);
  require_equal(dim_of(x, layout.channel()), dim_of(filter, 2));
  std::int64_t in = dim_of(x, layout.channel()), multiplier = dim_of(filter, 3), out = kUnknownDim;
  if (in < 0) in = dim_of(filter, 2);
  if (in >= 0 && multiplier >= 0 && __builtin_mul_overflow(in, multiplier, &out))
    invalid_argument("Dimension size overflow from multiplying ", in, " and ", multiplier);
  if (in < 0 || multiplier < 0) out = kUnknownDim;
  check_explicit_paddings(attrs);
  infer_images(c, attrs, out);
}

namespace {

void check_depthwise_attrs(const ConvAttrs& attrs) {
  require_int32("strides", attrs.strides);
  if (attrs.strides.size() != 4) invalid_argument("Sliding window strides field must specify 4 dimensions");
  const auto channel = static_cast<std::size_t>(attrs.layout.channel());
  const auto row = static_cast<std::size_t>(attrs.layout.spatial(0));
  if (attrs.strides[row] != attrs.strides[row + 1])
    invalid_argument("Current implementation only supports equal length strides in the row and column dimensions.");
  if (attrs.strides[0] != 1 || attrs.strides[channel] != 1)
    invalid_argument("Current implementation does not yet support strides in the batch and depth dimensions.");
  if (attrs.strides[row] <= 0) invalid_argument("Row and column strides should be larger than 0.");
  require_int32("dilations", attrs.dilations);
  if (attrs.dilations.size() != 4) invalid_argument("Sliding window dilations field must specify 4 dimensions");
  if (attrs.dilations[0] != 1 || attrs.dilations[channel] != 1 || attrs.dilations[row] < 1 ||
      attrs.dilations[row + 1] < 1) {
    std::string text;
    for (std::int64_t d : attrs.dilations) text += concat(text.empty() ? "" : " ", d);
    fail(ErrorKind::kUnimplemented, "Current kernel implementation does not support dilations, received [", text, "]");
  }
  check_explicit_paddings(attrs);
}

ConvSizes depthwise_sizes_of(const ConvAttrs& attrs, const Shape& in, const Shape& filter) {
  ConvSizes s = sizes_of(attrs, in, filter);
  if (__builtin_mul_overflow(filter[2], filter[3], &s.out_channels))
    invalid_argument("Encountered overflow when multiplying ", filter[2], " with ", filter[3], ", result: -1");
  s.filter_channels = 1;
  return s;
}

ConvSizes check_depthwise_gradient(const ConvAttrs& attrs, std::string_view label, const Shape& in, const Shape& filter,
                                   const Shape& dy) {
  const ImageLayout& layout = attrs.layout;
  if (in.rank() != 4) invalid_argument(label, ": input must be 4-dimensional");
  if (filter.rank() != 4) invalid_argument(label, ": filter must be 4-dimensional");
  if (dy.rank() != 4) invalid_argument(label, ": out_backprop must be 4-dimensional");
  if (in[0] != dy[0]) invalid_argument(label, ": input and out_backprop must have the same batch size");
  if (in[layout.channel()] != filter[2]) invalid_argument(label, ": input and filter must have the same in_depth");
  std::int64_t out;
  if (__builtin_mul_overflow(filter[2], filter[3], &out) || out != dy[layout.channel()])
    invalid_argument(label, ": depth_multiplier * in_depth not equal to out_depth");
  ConvSizes s = depthwise_sizes_of(attrs, in, filter);
  for (int i = 0; i < 2; ++i) {
    const std::int64_t given = dy[layout.spatial(i)], computed = s.out[spatial_index(2, i)];
    if (given != computed)
      invalid_argument(label, ": Number of ", i == 0 ? "rows" : "columns",
                       " of out_backprop doesn't match computed: actual = ", given, ", computed = ", computed);
  }
  return s;
}

// Sizes given as input i.
Shape given_sizes(const Tensor& t, std::string_view op, std::string_view what) {
  if (t.rank() != 1) invalid_argument(op, ": ", what, " input must be 1-dim, not ", t.rank());
  Dims dims;
  for (std::int64_t i = 0; i < t.num_elements(); ++i) {
    if (t.int_at(i) < 0) invalid_argument("Dimension ", i, " of ", what, " must be >= 0");
    dims.push_back(t.int_at(i));
  }
  return Shape(std::move(dims));
}

void infer_given(InferContext& c, std::size_t i) {
  c.require_rank(i, 1);
  Shape out = given_shape(c, i);
  if (out.has_rank() && out.rank() != 4) invalid_argument("Shape must be rank 4 but is rank ", out.rank());
  c.set_output(0, out.has_rank() ? out : Shape::of_rank(4));
}

}  // namespace

ConvSizes depthwise_sizes(const KernelContext& c) {
  const ConvAttrs attrs(c);
  check_depthwise_attrs(attrs);
  const Shape& in = c.input(0).shape();
  const Shape& filter = c.input(1).shape();
  if (in.rank() != 4) invalid_argument("input must be 4-dimensional", in.text());
  if (filter.rank() != 4) invalid_argument("filter must be 4-dimensional: ", filter.text());
  if (in[attrs.layout.channel()] != filter[2])
    invalid_argument("input and filter must have the same depth: ", in[attrs.layout.channel()], " vs ", filter[2]);
  return depthwise_sizes_of(attrs, in, filter);
}

void infer_depthwise_input_gradient(InferContext& c) { infer_given(c, 0); }
void infer_depthwise_filter_gradient(InferContext& c) { infer_given(c, 1); }

ConvSizes depthwise_input_gradient_sizes(const KernelContext& c) {
  const ConvAttrs attrs(c);
  check_depthwise_attrs(attrs);
  const Shape in = given_sizes(c.input(0), "Conv2DBackpropInput", "input_sizes");
  return check_depthwise_gradient(attrs, "DepthwiseConv2DBackpropInput", in, c.input(1).shape(), c.input(2).shape());
}

ConvSizes depthwise_filter_gradient_sizes(const KernelContext& c) {
  const ConvAttrs attrs(c);
  check_depthwise_attrs(attrs);
  const Shape filter = given_sizes(c.input(1), "Conv2DBackpropFilter", "filter_sizes");
  return check_depthwise_gradient(attrs, "DepthwiseConv2DBackpropFilter", c.input(0).shape(), filter,
                                  c.input(2).shape());
}

}  // namespace tracefn
