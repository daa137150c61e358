// Depthwise convolutions, which give each channel filters of its own, and their gradients.
#include <cstring>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/conv/conv_families.h"
#include "ops/conv/conv_gradient.h"
#include "ops/conv/images_result.h"
#include "ops/conv/phases.h"
#include "ops/elementwise/as_float.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/kernel_table.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

constexpr double kCost = 0.15;  // nanoseconds of a multiply-add
constexpr std::int64_t kFinishedBytes = 64 << 10;

std::int64_t multiplier(const ConvSizes& s) { return s.in_channels ? s.out_channels / s.in_channels : 1; }

// Images with each channel repeated for each of its filters.
Tensor repeated(const KernelContext& c, const Tensor& x, std::int64_t times) {
  if (times == 1) return x;
  Shape shape = x.shape();
  shape[shape.rank() - 1] *= times;
  Tensor out(x.dtype(), std::move(shape));
  with_float(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    c.parallel_for(x.num_elements(), 0.3 * static_cast<double>(times), [&](std::int64_t begin, std::int64_t end) {
      in_slices(begin, end, 0.3 * static_cast<double>(times), [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) std::fill_n(to + i * times, times, from[i]);
      });
    });
  });
  return out;
}

// The opposite: the sums over the filters of a channel.
void sum_repeated(const KernelContext& c, const Tensor& x, std::int64_t times, Tensor& out) {
  with_float(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    c.parallel_for(out.num_elements(), 0.5 * static_cast<double>(times), [&](std::int64_t begin, std::int64_t end) {
      in_slices(begin, end, 0.5 * static_cast<double>(times), [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
          T sum = from[i * times];
          for (std::int64_t k = 1; k < times; ++k) sum = add_elements(sum, from[i * times + k]);
          to[i] = sum;
        }
      });
    });
  });
}

DepthwiseAxis axis_of(const PatchAxis& places, std::int64_t stored, std::int64_t first, std::int64_t stride) {
  return {places.size, places.count, places.step, places.offsets.data(), places.taps(), stored, first, stride};
}

double line_cost(const DepthwiseImage& image) {
  return kCost * static_cast<double>(image.width.count * image.channels * image.width.taps) *
             static_cast<double>(image.height.taps) +
         10;
}

void depthwise(KernelContext& c) {
  const auto& s = c.kept<ConvSizes>();
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const Tensor x = repeated(c, as_float(channels_last(c, c.input(0), s.layout)), multiplier(s));
  const Tensor filter = as_float(c.input(1));
  ImagesResult result(c, s.layout, true);
  const Patches p = input_patches(s, x, 0);
  const DepthwiseImage image{axis_of(p.axes[1], s.out[1], 0, 1), axis_of(p.axes[2], s.out[2], 0, 1), s.out_channels,
                             poll_stops};
  const DepthwiseLines kernel = kernel_table().depthwise.lines[slot(x.dtype())];
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t in = x.num_elements() / s.batch * size, line = s.out[2] * s.out_channels;
  // So few that they are still in the cache when they are finished.
  const std::int64_t lines = std::max<std::int64_t>(kFinishedBytes / (line * size), 1);
  for_lines(c, s.batch, s.out[1], line_cost(image), [&](std::int64_t i, std::int64_t first, std::int64_t last) {
    const std::int64_t start = i * s.out[1] * line;
    for (; first < last; first += lines) {
      const std::int64_t end = std::min(first + lines, last);
      require_done(kernel(image, x.data<char>() + i * in, filter.raw(), result.sums().sums(start), first, end));
      result.sums().finish(start + first * line, (end - first) * s.out[2], s.out_channels, s.out_channels);
    }
  });
  result.complete();
}

// The taps of a phase, one after the other.
Tensor phase_filter(const ConvSizes& s, const Tensor& filter, const PhaseAxis& height, const PhaseAxis& width) {
  const auto bytes = static_cast<std::size_t>(s.out_channels) * size_of(filter.dtype());
  const auto taps = static_cast<std::int64_t>(height.taps.size() * width.taps.size());
  Tensor out(filter.dtype(), Shape({taps, s.out_channels}));
  char* to = out.mutable_data<char>();
  for (std::int64_t h : height.taps)
    for (std::int64_t w : width.taps) {
      std::memcpy(to, filter.data<char>() + static_cast<std::size_t>(h * s.filter[2] + w) * bytes, bytes);
      to += bytes;
    }
  return out;
}

void depthwise_input_gradient(KernelContext& c) {
  const auto& s = c.kept<ConvSizes>();
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const Tensor filter = as_float(c.input(1)), dy = as_float(channels_last(c, c.input(2), s.layout));
  if (filter.num_elements() == 0 || dy.num_elements() == 0) return out.fill_zeros();
  Tensor narrow = images_for(out, s.layout), dx = wide_output(narrow);
  const std::int64_t times = multiplier(s);
  Tensor each = times == 1 ? dx : Tensor(dy.dtype(), Shape({s.batch, s.in[1], s.in[2], s.out_channels}));
  if (!all_reached(s)) each.fill_zeros();
  const DepthwiseLines kernel = kernel_table().depthwise.lines[slot(dy.dtype())];
  const auto size = static_cast<std::int64_t>(size_of(dy.dtype()));
  const std::int64_t from = dy.num_elements() / s.batch * size, result = each.num_elements() / s.batch * size;
  char* to = each.mutable_data<char>();
  const auto heights = reached_phases(s, 1), widths = reached_phases(s, 2);
  for (const PhaseAxis& height : heights)
    for (const PhaseAxis& width : widths) {
      poll();
      const Tensor taps = phase_filter(s, filter, height, width);
      const DepthwiseImage image{axis_of(height.places, s.in[1], height.first, s.axes[1].stride),
                                 axis_of(width.places, s.in[2], width.first, s.axes[2].stride), s.out_channels,
                                 poll_stops};
      for_lines(c, s.batch, height.places.count, line_cost(image),
                [&](std::int64_t i, std::int64_t first, std::int64_t last) {
                  require_done(kernel(image, dy.data<char>() + i * from, taps.raw(), to + i * result, first, last));
                });
    }
  if (times != 1) sum_repeated(c, each, times, dx);
  round_output(dx, narrow);
  store_channels_last(c, narrow, s.layout, out);
}

// The lines are shared out as a number of chunks that depends on the sizes alone; their sums are added in order.
void depthwise_filter_gradient(KernelContext& c) {
  constexpr std::int64_t kChunks = 16;
  const auto& s = c.kept<ConvSizes>();
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  out.fill_zeros();
  const Tensor dy = as_float(channels_last(c, c.input(2), s.layout));
  const Tensor x = repeated(c, as_float(channels_last(c, c.input(0), s.layout)), multiplier(s));
  if (x.num_elements() == 0 || dy.num_elements() == 0) return;
  const Patches p = input_patches(s, x, 0);
  const DepthwiseImage image{axis_of(p.axes[1], s.out[1], 0, 1), axis_of(p.axes[2], s.out[2], 0, 1), s.out_channels,
                             poll_stops};
  const std::int64_t lines = s.batch * s.out[1], chunks = std::min(kChunks, lines);
  const std::int64_t each = (lines + chunks - 1) / chunks;
  Tensor parts = Tensor::zeros(x.dtype(), Shape({chunks, out.num_elements()}));
  const DepthwiseFilter kernel = kernel_table().depthwise.filter[slot(x.dtype())];
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t in = x.num_elements() / s.batch * size, result = dy.num_elements() / s.batch * size;
  const double cost = line_cost(image);
  c.parallel_for(chunks, cost * static_cast<double>(each), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      char* part = parts.mutable_data<char>() + k * out.num_elements() * size;
      in_slices(
          std::min(k * each, lines), std::min((k + 1) * each, lines), cost, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t line = from; line < to; ++line) {
              const std::int64_t i = line / s.out[1], at = line % s.out[1];
              require_done(kernel(image, x.data<char>() + i * in, dy.data<char>() + i * result, part, at, at + 1));
            }
          });
    }
  });
  Tensor wide = wide_output(out);
  std::memcpy(wide.mutable_raw(), parts.raw(), static_cast<std::size_t>(out.num_elements() * size));
  const BinaryBlock add = elementwise_kernel<functions::Add>(x.dtype());
  for (std::int64_t k = 1; k < chunks; ++k)
    in_slices(out.num_elements(), 0.5, [&](std::int64_t from, std::int64_t to) {
      char* sum = wide.mutable_data<char>() + from * size;
      add(sum, parts.data<char>() + (k * out.num_elements() + from) * size, sum, to - from, 0);
    });
  round_output(wide, out);
}

constexpr ConvOps kOps{"DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput",
                       "DepthwiseConv2dNativeBackpropFilter"};

}  // namespace

void register_depthwise(Registry& r) {
  const std::vector<std::string_view> attrs = {"T: " TRACEFN_FLOATS,
                                               "strides: list(int)",
                                               "padding: {'SAME', 'VALID', 'EXPLICIT'}",
                                               "explicit_paddings: list(int) = []",
                                               "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                                               "dilations: list(int) = [1, 1, 1, 1]"};
  r.add({.name = kOps.forward,
         .inputs = {"input: T", "filter: T"},
         .outputs = {"output: T"},
         .attrs = attrs,
         .facts = {.contracts = true, .finishes = true},
         .doc = "The cross-correlation of each channel of images [batch, height, width, channels] (NCHW: channels "
                "second) with filters of its own [height, width, channels, filters of a channel].",
         .infer = infer_depthwise,
         .check = check_and_keep<depthwise_sizes>,
         .kernel = depthwise,
         .grad = grad_conv<kOps>});
  r.add({.name = kOps.input_gradient,
         .inputs = {"input_sizes: int32", "filter: T", "out_backprop: T"},
         .outputs = {"output: T"},
         .attrs = attrs,
         .facts = {.contracts = true},
         .doc = "The gradient of DepthwiseConv2dNative with respect to its input, whose shape is input_sizes.",
         .infer = infer_depthwise_input_gradient,
         .check = check_and_keep<depthwise_input_gradient_sizes>,
         .kernel = depthwise_input_gradient,
         .grad = grad_conv_input_gradient<kOps>});
  r.add({.name = kOps.filter_gradient,
         .inputs = {"input: T", "filter_sizes: int32", "out_backprop: T"},
         .outputs = {"output: T"},
         .attrs = attrs,
         .facts = {.contracts = true},
         .doc = "The gradient of DepthwiseConv2dNative with respect to its filter, whose shape is filter_sizes.",
         .infer = infer_depthwise_filter_gradient,
         .check = check_and_keep<depthwise_filter_gradient_sizes>,
         .kernel = depthwise_filter_gradient,
         .grad = grad_conv_filter_gradient<kOps>});
}

}  // namespace tracefn
