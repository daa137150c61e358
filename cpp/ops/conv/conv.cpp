// Convolutions of two and three dimensions, with groups, and their gradients: products of patches (patches.h).
#include <cstring>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/conv/conv_families.h"
#include "ops/conv/conv_gradient.h"
#include "ops/conv/images_result.h"
#include "ops/conv/phases.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

// Fewer columns of a group are too short a run to be finished block by block.
constexpr std::int64_t kFewestColumns = 32;

bool goes_by_blocks(const ConvSizes& s, std::int64_t columns) { return s.groups() == 1 || columns >= kFewestColumns; }

void conv(KernelContext& c) {
  const auto& s = c.kept<ConvSizes>();
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  if (s.in_channels == 0) return out.fill_zeros();
  const Tensor x = channels_last(c, c.input(0), s.layout), &filter = c.input(1);
  const std::int64_t groups = s.groups(), columns = s.out_channels / groups;
  ImagesResult result(c, s.layout, goes_by_blocks(s, columns));
  for (std::int64_t g = 0; g < groups; ++g) {
    Patches p = input_patches(s, x, g);
    const std::optional<Tensor> copy = join_taps(c, p);
    TapMatrices b{.data = filter.raw(), .taps = {}, .row = 1, .step = s.out_channels};
    for (std::int64_t t = 0; t < p.taps(); ++t) b.taps.push_back(t * p.channels * s.out_channels + g * columns);
    multiply_patches(c, p, b, columns, {result.sums(), g * columns, s.out_channels});
  }
  result.complete();
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
  const auto& s = c.kept<ConvSizes>();
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const Tensor &filter = c.input(1), dy = channels_last(c, c.input(2), s.layout);
  if (dy.num_elements() == 0 || filter.num_elements() == 0) return out.fill_zeros();
  const bool one_phase = s.axes[0].stride == 1 && s.axes[1].stride == 1 && s.axes[2].stride == 1;
  ImagesResult result(c, s.layout, one_phase && goes_by_blocks(s, s.filter_channels));
  Tensor& images = result.sums().all();
  if (!all_reached(s)) images.fill_zeros();  // places that no tap reaches stay zero
  const auto size = static_cast<std::int64_t>(size_of(dy.dtype()));
  const auto sum_size = static_cast<std::int64_t>(size_of(images.dtype()));
  const std::int64_t channels = s.out_channels / s.groups();
  const auto planes = reached_phases(s, 0), lines = reached_phases(s, 1), columns = reached_phases(s, 2);
  for (const PhaseAxis& plane : planes)
    for (const PhaseAxis& line : lines)
      for (const PhaseAxis& column : columns) {
        const std::array<PhaseAxis, 3> phase = {plane, line, column};
        for (std::int64_t g = 0; g < s.groups(); ++g) {
          Patches p{.images = dy.data<char>() + g * channels * size,
                    .dtype = dy.dtype(),
                    .batch = s.batch,
                    .pixel = s.out_channels,
                    .channels = channels,
                    .axes = {phase[0].places, phase[1].places, phase[2].places}};
          if (p.rows() == 0) continue;
          const std::optional<Tensor> copy = join_taps(c, p);
          const TapMatrices b = phase_filter(s, filter, phase, g);
          if (one_phase) {
            multiply_patches(c, p, b, s.filter_channels, {result.sums(), g * s.filter_channels, s.in_channels});
          } else {
            Tensor rows(images.dtype(), Shape({p.rows(), s.filter_channels}));
            ProductResult of_phase(c, rows, false);
            multiply_patches(c, p, b, s.filter_channels, {of_phase, 0, s.filter_channels});
            place_rows(c, s, phase, rows.data<char>(), s.filter_channels * sum_size,
                       images.mutable_data<char>() + g * s.filter_channels * sum_size, s.in_channels * sum_size);
          }
        }
      }
  result.complete();
}

void conv_filter_gradient(KernelContext& c) {
  const auto& s = c.kept<ConvSizes>();
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  if (c.input(0).num_elements() == 0 || c.input(2).num_elements() == 0) return out.fill_zeros();
  const Tensor x = channels_last(c, c.input(0), s.layout);
  const Tensor dy = channels_last(c, c.input(2), s.layout);
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t groups = s.groups(), columns = s.out_channels / groups;
  ProductResult result(c, out, goes_by_blocks(s, columns));
  for (std::int64_t g = 0; g < groups; ++g) {
    Patches p = input_patches(s, x, g);
    const std::optional<Tensor> copy = join_taps(c, p);
    multiply_transposed_patches(c, p, dy.data<char>() + g * columns * size, s.out_channels, columns,
                                {result, g * columns, s.out_channels});
  }
  result.complete();
}

constexpr ConvOps kTwo{"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"};
constexpr ConvOps kThree{"Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"};

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
         .facts = {.contracts = true, .finishes = true},
         .doc = "The cross-correlation of a batch of images [batch, height, width, channels] (NCHW: channels second) "
                "with filters [height, width, channels of a group, filters].",
         .infer = infer_conv,
         .check = check_and_keep<conv_sizes>,
         .kernel = conv,
         .grad = grad_conv<kTwo>});
  r.add({.name = "Conv2DBackpropInput",
         .inputs = {"input_sizes: int32", "filter: T", "out_backprop: T"},
         .outputs = {"output: T"},
         .attrs = {all, "strides: list(int)", kCudnn, kPaddings2, kExplicit, kFormat2, kDilations2},
         .facts = {.contracts = true, .finishes = true},
         .doc = "The gradient of Conv2D with respect to its input, whose shape, or height and width, are input_sizes.",
         .infer = infer_conv_input_gradient,
         .check = check_and_keep<conv_input_gradient_sizes>,
         .kernel = conv_input_gradient,
         .grad = grad_conv_input_gradient<kTwo>});
  r.add({.name = "Conv2DBackpropFilter",
         .inputs = {"input: T", "filter_sizes: int32", "out_backprop: T"},
         .outputs = {"output: T"},
         .attrs = {floats, "strides: list(int)", kCudnn, kPaddings2, kExplicit, kFormat2, kDilations2},
         .facts = {.contracts = true, .finishes = true},
         .doc = "The gradient of Conv2D with respect to its filter, whose shape is filter_sizes.",
         .infer = infer_conv_filter_gradient,
         .check = check_and_keep<conv_filter_gradient_sizes>,
         .kernel = conv_filter_gradient,
         .grad = grad_conv_filter_gradient<kTwo>});
}

void register_three(Registry& r) {
  constexpr std::string_view floats = "T: " TRACEFN_FLOATS, strides = "strides: list(int) >= 5";
  r.add({.name = "Conv3D",
         .inputs = {"input: T", "filter: T"},
         .outputs = {"output: T"},
         .attrs = {floats, strides, kPaddings, kFormat3, kDilations3},
         .facts = {.contracts = true, .finishes = true},
         .doc = "The cross-correlation of a batch of volumes [batch, depth, height, width, channels] (NCDHW: channels "
                "second) with filters [depth, height, width, channels of a group, filters].",
         .infer = infer_conv,
         .check = check_and_keep<conv_sizes>,
         .kernel = conv,
         .grad = grad_conv<kThree>});
  r.add({.name = "Conv3DBackpropInputV2",
         .inputs = {"input_sizes: Tshape", "filter: T", "out_backprop: T"},
         .outputs = {"output: T"},
         .attrs = {floats, strides, kPaddings, kFormat3, kDilations3, "Tshape: " TRACEFN_INDEX " = DT_INT32"},
         .facts = {.contracts = true, .finishes = true},
         .doc = "The gradient of Conv3D with respect to its input, whose shape is input_sizes.",
         .infer = infer_conv_input_gradient,
         .check = check_and_keep<conv_input_gradient_sizes>,
         .kernel = conv_input_gradient,
         .grad = grad_conv_input_gradient<kThree>});
  r.add({.name = "Conv3DBackpropFilterV2",
         .inputs = {"input: T", "filter_sizes: int32", "out_backprop: T"},
         .outputs = {"output: T"},
         .attrs = {floats, strides, kPaddings, kFormat3, kDilations3},
         .facts = {.contracts = true, .finishes = true},
         .doc = "The gradient of Conv3D with respect to its filter, whose shape is filter_sizes.",
         .infer = infer_conv_filter_gradient,
         .check = check_and_keep<conv_filter_gradient_sizes>,
         .kernel = conv_filter_gradient,
         .grad = grad_conv_filter_gradient<kThree>});
}

}  // namespace

void register_conv(Registry& r) {
  register_two(r);
  register_three(r);
}

}  // namespace tracefn
