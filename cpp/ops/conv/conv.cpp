// Convolutions of two and three dimensions, with groups, and their gradients: products of patches (patches.h).
#include <cstring>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/conv/conv_families.h"
#include "ops/conv/phases.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

// The numbers that a convolution of T is computed with, and its operands with the channels last.
Tensor operand(const KernelContext& c, const Tensor& x, const ImageLayout& layout) {
  return as_float(channels_last(c, x, layout));
}

void conv(KernelContext& c) {
  const ConvSizes s = conv_sizes(c);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  if (s.in_channels == 0) return out.fill_zeros();
  const Tensor x = operand(c, c.input(0), s.layout), filter = as_float(c.input(1));
  Tensor narrow = images_for(out, s.layout), images = wide_output(narrow);
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t groups = s.groups(), columns = s.out_channels / groups;
  for (std::int64_t g = 0; g < groups; ++g) {
    const Patches p = input_patches(s, x, g);
    TapMatrices b{.data = filter.raw(), .taps = {}, .row = 1, .step = s.out_channels};
    for (std::int64_t t = 0; t < p.taps(); ++t) b.taps.push_back(t * p.channels * s.out_channels + g * columns);
    multiply_patches(c, p, b, columns, images.mutable_data<char>() + g * columns * size, s.out_channels);
  }
  round_output(images, narrow);
  store_channels_last(c, narrow, s.layout, out);
}

// The filter's taps of a phase for one group, transposed: what dy's channels are multiplied by.
TapMatrices phase_filter(const ConvSizes& s, const Tensor& filter, const std::array<PhaseAxis, 3>& phase,
                         std::int64_t group) {
  TapMatrices b{.data = filter.raw(), .taps = {}, .row = s.out_channels, .step = 1};
  for (std::int64_t d : phase[0].taps)
    for (std::int64_t h : phase[1].taps)
      for (std::int64_t w : phase[2].taps) {
        const std::int64_t tap = (d * s.filter[1] + h) * s.filter[2] + w;
        b.taps.push_back(tap * s.filter_channels * s.out_channels + group * (s.out_channels / s.groups()));
      }
  return b;
}

// Stores the rows of a product, one for each place of a phase, in images with `pixel` channels.
void place_rows(const KernelContext& c, const ConvSizes& s, const std::array<PhaseAxis, 3>& phase, const char* rows,
                std::int64_t bytes, char* images, std::int64_t pixel_bytes) {
  const std::int64_t lines = phase[0].places.count * phase[1].places.count, length = phase[2].places.count;
  c.parallel_for(s.batch * lines, 0.1 * static_cast<double>(bytes * length), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line) {
      const std::int64_t d = line % lines / phase[1].places.count, h = line % phase[1].places.count;
      const std::int64_t plane = line / lines * s.in[0] + phase[0].first + d * s.axes[0].stride;
      const std::int64_t start = (plane * s.in[1] + phase[1].first + h * s.axes[1].stride) * s.in[2] + phase[2].first;
      for (std::int64_t w = 0; w < length; ++w)
        std::memcpy(images + (start + w * s.axes[2].stride) * pixel_bytes, rows + (line * length + w) * bytes,
                    static_cast<std::size_t>(bytes));
      poll();
    }
  });
}

void conv_input_gradient(KernelContext& c) {
  const ConvSizes s = conv_input_gradient_sizes(c);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const Tensor filter = as_float(c.input(1)), dy = operand(c, c.input(2), s.layout);
  Tensor narrow = images_for(out, s.layout), images = wide_output(narrow);
  if (dy.num_elements() == 0 || filter.num_elements() == 0) return out.fill_zeros();
  const auto size = static_cast<std::int64_t>(size_of(dy.dtype()));
  if (!all_reached(s)) images.fill_zeros();  // places that no tap reaches stay zero
  const std::int64_t channels = s.out_channels / s.groups();
  const bool one_phase = s.axes[0].stride == 1 && s.axes[1].stride == 1 && s.axes[2].stride == 1;
  const auto planes = reached_phases(s, 0), lines = reached_phases(s, 1), columns = reached_phases(s, 2);
  for (const PhaseAxis& plane : planes)
    for (const PhaseAxis& line : lines)
      for (const PhaseAxis& column : columns) {
        const std::array<PhaseAxis, 3> phase = {plane, line, column};
        for (std::int64_t g = 0; g < s.groups(); ++g) {
          const Patches p{.images = dy.data<char>() + g * channels * size,
                          .dtype = dy.dtype(),
                          .batch = s.batch,
                          .pixel = s.out_channels,
                          .channels = channels,
                          .axes = {phase[0].places, phase[1].places, phase[2].places}};
          if (p.rows() == 0) continue;
          const TapMatrices b = phase_filter(s, filter, phase, g);
          char* to = images.mutable_data<char>() + g * s.filter_channels * size;
          if (one_phase) {
            multiply_patches(c, p, b, s.filter_channels, to, s.in_channels);
          } else {
            Tensor rows(dy.dtype(), Shape({p.rows(), s.filter_channels}));
            multiply_patches(c, p, b, s.filter_channels, rows.mutable_raw(), s.filter_channels);
            place_rows(c, s, phase, rows.data<char>(), s.filter_channels * size, to, s.in_channels * size);
          }
        }
      }
  round_output(images, narrow);
  store_channels_last(c, narrow, s.layout, out);
}

void conv_filter_gradient(KernelContext& c) {
  const ConvSizes s = conv_filter_gradient_sizes(c);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const Tensor x = operand(c, c.input(0), s.layout), dy = operand(c, c.input(2), s.layout);
  if (x.num_elements() == 0 || dy.num_elements() == 0) return out.fill_zeros();
  Tensor wide = wide_output(out);
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t groups = s.groups(), columns = s.out_channels / groups;
  for (std::int64_t g = 0; g < groups; ++g)
    multiply_transposed_patches(c, input_patches(s, x, g), dy.data<char>() + g * columns * size, s.out_channels,
                                columns, wide.mutable_data<char>() + g * columns * size, s.out_channels);
  round_output(wide, out);
}

template <ConvSizes (*sizes)(const KernelContext&)>
void check(const KernelContext& c) {
  sizes(c);
}

// The ops of one number of dimensions, and the input of the gradients that gives sizes.
struct ConvOps {
  int dims;
  std::string_view forward, input_gradient, filter_gradient;
};
constexpr ConvOps kTwo{2, "Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"};
constexpr ConvOps kThree{3, "Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"};

// Emits a convolution or one of its gradients with the attributes of the op that is differentiated.
Operand emit_like(const GradContext& c, const ConvOps& ops, std::string_view op,
                  std::initializer_list<Operand> inputs) {
  if (ops.dims == 3)
    return emit1(op, inputs,
                 {{"strides", c.attr("strides")},
                  {"padding", c.attr("padding")},
                  {"data_format", c.attr("data_format")},
                  {"dilations", c.attr("dilations")}});
  return emit1(op, inputs,
               {{"strides", c.attr("strides")},
                {"use_cudnn_on_gpu", c.attr("use_cudnn_on_gpu")},
                {"padding", c.attr("padding")},
                {"explicit_paddings", c.attr("explicit_paddings")},
                {"data_format", c.attr("data_format")},
                {"dilations", c.attr("dilations")}});
}

template <const ConvOps& ops>
void conv_gradient(GradContext& c) {
  const Operand &x = c.input(0), &filter = c.input(1), dy = c.dy(0);
  if (c.wanted(0)) c.to_input(0, emit_like(c, ops, ops.input_gradient, {build::shape_of(x), filter, dy}));
  if (c.wanted(1)) c.to_input(1, emit_like(c, ops, ops.filter_gradient, {x, build::shape_of(filter), dy}));
}
template <const ConvOps& ops>
void input_gradient_gradient(GradContext& c) {
  const Operand &filter = c.input(1), &dy = c.input(2), dx = c.dy(0);
  if (c.wanted(1)) c.to_input(1, emit_like(c, ops, ops.filter_gradient, {dx, build::shape_of(filter), dy}));
  if (c.wanted(2)) c.to_input(2, emit_like(c, ops, ops.forward, {dx, filter}));
}
template <const ConvOps& ops>
void filter_gradient_gradient(GradContext& c) {
  const Operand &x = c.input(0), &dy = c.input(2), dfilter = c.dy(0);
  if (c.wanted(0)) c.to_input(0, emit_like(c, ops, ops.input_gradient, {build::shape_of(x), dfilter, dy}));
  if (c.wanted(2)) c.to_input(2, emit_like(c, ops, ops.forward, {x, dfilter}));
}

constexpr std::string_view kPaddings2 = "padding: {'SAME', 'VALID', 'EXPLICIT'}",
                           kPaddings = "padding: {'SAME', 'VALID'}", kExplicit = "explicit_paddings: list(int) = []",
                           kCudnn = "use_cudnn_on_gpu: bool = true",
                           kFormat2 = "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                           kFormat3 = "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'",
                           kDilations2 = "dilations: list(int) = [1, 1, 1, 1]",
                           kDilations3 = "dilations: list(int) = [1, 1, 1, 1, 1]";

void register_two(Registry& r) {
  constexpr std::string_view all = "T: {half, bfloat16, float, double, int32}", floats = "T: " TRACEFN_FLOATS;
  r.add({.name = "Conv2D",
         .inputs = {"input: T", "filter: T"},
         .outputs = {"output: T"},
         .attrs = {all, "strides: list(int)", kCudnn, kPaddings2, kExplicit, kFormat2, kDilations2},
         .facts = {.contracts = true},
         .doc = "The cross-correlation of a batch of images [batch, height, width, channels] (NCHW: channels second) "
                "with filters [height, width, channels of a group, filters].",
         .infer = infer_conv,
         .check = check<conv_sizes>,
         .kernel = conv,
         .grad = conv_gradient<kTwo>});
  r.add({.name = "Conv2DBackpropInput",
         .inputs = {"input_sizes: int32", "filter: T", "out_backprop: T"},
         .outputs = {"output: T"},
         .attrs = {all, "strides: list(int)", kCudnn, kPaddings2, kExplicit, kFormat2, kDilations2},
         .facts = {.contracts = true},
         .doc = "The gradient of Conv2D with respect to its input, whose shape, or height and width, are input_sizes.",
         .infer = infer_conv_input_gradient,
         .check = check<conv_input_gradient_sizes>,
         .kernel = conv_input_gradient,
         .grad = input_gradient_gradient<kTwo>});
  r.add({.name = "Conv2DBackpropFilter",
         .inputs = {"input: T", "filter_sizes: int32", "out_backprop: T"},
         .outputs = {"output: T"},
         .attrs = {floats, "strides: list(int)", kCudnn, kPaddings2, kExplicit, kFormat2, kDilations2},
         .facts = {.contracts = true},
         .doc = "The gradient of Conv2D with respect to its filter, whose shape is filter_sizes.",
         .infer = infer_conv_filter_gradient,
         .check = check<conv_filter_gradient_sizes>,
         .kernel = conv_filter_gradient,
         .grad = filter_gradient_gradient<kTwo>});
}

void register_three(Registry& r) {
  constexpr std::string_view floats = "T: " TRACEFN_FLOATS, strides = "strides: list(int) >= 5";
  r.add({.name = "Conv3D",
         .inputs = {"input: T", "filter: T"},
         .outputs = {"output: T"},
         .attrs = {floats, strides, kPaddings, kFormat3, kDilations3},
         .facts = {.contracts = true},
         .doc = "The cross-correlation of a batch of volumes [batch, depth, height, width, channels] (NCDHW: channels "
                "second) with filters [depth, height, width, channels of a group, filters].",
         .infer = infer_conv,
         .check = check<conv_sizes>,
         .kernel = conv,
         .grad = conv_gradient<kThree>});
  r.add({.name = "Conv3DBackpropInputV2",
         .inputs = {"input_sizes: Tshape", "filter: T", "out_backprop: T"},
         .outputs = {"output: T"},
         .attrs = {floats, strides, kPaddings, kFormat3, kDilations3, "Tshape: " TRACEFN_INDEX " = DT_INT32"},
         .facts = {.contracts = true},
         .doc = "The gradient of Conv3D with respect to its input, whose shape is input_sizes.",
         .infer = infer_conv_input_gradient,
         .check = check<conv_input_gradient_sizes>,
         .kernel = conv_input_gradient,
         .grad = input_gradient_gradient<kThree>});
  r.add({.name = "Conv3DBackpropFilterV2",
         .inputs = {"input: T", "filter_sizes: int32", "out_backprop: T"},
         .outputs = {"output: T"},
         .attrs = {floats, strides, kPaddings, kFormat3, kDilations3},
         .facts = {.contracts = true},
         .doc = "The gradient of Conv3D with respect to its filter, whose shape is filter_sizes.",
         .infer = infer_conv_filter_gradient,
         .check = check<conv_filter_gradient_sizes>,
         .kernel = conv_filter_gradient,
         .grad = filter_gradient_gradient<kThree>});
}

}  // namespace

void register_conv(Registry& r) {
  register_two(r);
  register_three(r);
}

}  // namespace tracefn
