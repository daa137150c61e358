// Morphological dilation of images, and its gradients, which go to the first largest sum of each window.
#include <limits>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/conv/conv_families.h"
#include "ops/conv/window.h"
#include "ops/gradient.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

struct DilationSizes {
  std::int64_t batch, channels, in[2], out[2], filter[2];
  WindowAxis axes[2];
};

template <typename Context>
std::array<WindowAxis, 2> window_of(const Context& c) {
  std::array<WindowAxis, 2> axes;
  for (std::size_t i = 0; i < 2; ++i) {
    axes[i].stride = c.attr("strides").ints()[i + 1];
    axes[i].dilation = c.attr("rates").ints()[i + 1];
    axes[i].padding = padding_of(c.attr("padding").s());
  }
  return axes;
}

void infer_dilation(InferContext& c) {
  c.require_rank(0, 4);
  c.require_rank(1, 3);
  const auto &strides = c.attr("strides").ints(), &rates = c.attr("rates").ints();
  require_int32("strides", strides);
  if (strides.size() != 4)
    invalid_argument("Dilation2D requires the stride attribute to contain 4 values, but got: ", strides.size());
  require_int32("rates", rates);
  if (rates.size() != 4)
    invalid_argument("Dilation2D requires the rates attribute to contain 4 values, but got: ", rates.size());
  auto axes = window_of(c);
  auto dim = [&](std::size_t i, int axis) { return dim_of(c.shape(i), axis); };
  Shape out({dim(0, 0), kUnknownDim, kUnknownDim, merge_dims(dim(0, 3), dim(1, 2))});
  if (dim(0, 1) >= 0 && dim(0, 2) >= 0 && dim(1, 0) >= 0 && dim(1, 1) >= 0)
    for (int i = 0; i < 2; ++i) {
      WindowAxis& axis = axes[static_cast<std::size_t>(i)];
      if (axis.stride <= 0) invalid_argument("Stride must be > 0, but got ", axis.stride);
      axis.window = dim(1, i);
      out[i + 1] = count_places(dim(0, i + 1), axis);
    }
  c.set_output(0, std::move(out));
}

DilationSizes dilation_sizes(const KernelContext& c) {
  const auto &strides = c.attr("strides").ints(), &rates = c.attr("rates").ints();
  require_int32("strides", strides);
  if (strides.size() != 4) invalid_argument("Sliding window stride field must specify 4 dimensions");
  require_int32("rates", rates);
  if (rates.size() != 4) invalid_argument("Input stride (atrous rate) field must specify 4 dimensions");
  if (strides[0] != 1 || strides[3] != 1)
    fail(ErrorKind::kUnimplemented, "Stride is only supported across spatial dimensions.");
  if (rates[0] != 1 || rates[3] != 1)
    fail(ErrorKind::kUnimplemented, "Rate is only supported across spatial dimensions.");
  const Shape &x = c.input(0).shape(), &filter = c.input(1).shape();
  if (x.rank() != 4) invalid_argument("input must be 4-dimensional", x.text());
  if (filter.rank() != 3) invalid_argument("filter must be 3-dimensional: ", filter.text());
  if (x[3] != filter[2]) invalid_argument("input and filter must have the same depth: ", x[3], " vs ", filter[2]);
  auto axes = window_of(c);
  DilationSizes s{
      .batch = x[0], .channels = x[3], .in = {x[1], x[2]}, .out = {}, .filter = {filter[0], filter[1]}, .axes = {}};
  for (int i = 0; i < 2; ++i) {
    s.axes[i] = axes[static_cast<std::size_t>(i)];
    s.axes[i].window = s.filter[i];
    if (s.axes[i].stride <= 0) invalid_argument("Stride must be > 0, but got ", s.axes[i].stride);
    s.out[i] = count_places(s.in[i], s.axes[i]);
  }
  if (c.num_inputs() > 2) {
    const Shape& dy = c.input(2).shape();
    if (dy.rank() != 4) invalid_argument("out_backprop must be 4-dimensional", dy.text());
    if (dy != Shape({s.batch, s.out[0], s.out[1], s.channels})) invalid_argument("out_backprop has incompatible size.");
  }
  return s;
}

constexpr std::int64_t kStepsToPoll = 1 << 14;  // taps, of some nanoseconds each

// The largest sum of a window, and the tap and the pixel that it is of; none if the window is in the padding alone.
template <typename W>
struct Largest {
  W value = std::numeric_limits<W>::lowest();
  std::int64_t tap = -1, pixel = -1;
};

template <typename T>
auto largest_of(const DilationSizes& s, const T* x, const T* filter, std::int64_t line, std::int64_t column,
                std::int64_t channel, PolledSteps& steps) {
  using W = decltype(compute_value(T()));
  Largest<W> best;
  for (std::int64_t h = 0; h < s.filter[0]; ++h) {
    const std::int64_t row = line * s.axes[0].stride + h * s.axes[0].dilation - s.axes[0].before;
    if (row < 0 || row >= s.in[0]) continue;
    steps.step(s.filter[1]);
    for (std::int64_t w = 0; w < s.filter[1]; ++w) {
      const std::int64_t at = column * s.axes[1].stride + w * s.axes[1].dilation - s.axes[1].before;
      if (at < 0 || at >= s.in[1]) continue;
      const std::int64_t tap = h * s.filter[1] + w, pixel = row * s.in[1] + at;
      const W sum = compute_value(add_elements(x[pixel * s.channels + channel], filter[tap * s.channels + channel]));
      if (sum > best.value) best = {sum, tap, pixel};
    }
  }
  return best;
}

double place_cost(const DilationSizes& s) { return static_cast<double>(s.filter[0] * s.filter[1] + 2); }

// The taps of a window that lie inside the image, along one axis.
struct TapRange {
  std::int64_t first, last;  // last excluded
};
TapRange taps_inside(const WindowAxis& axis, std::int64_t place, std::int64_t size) {
  const std::int64_t start = place * axis.stride - axis.before, step = axis.dilation;
  const std::int64_t first = start < 0 ? (step - 1 - start) / step : 0;
  const std::int64_t last = start < size ? std::min(axis.window, (size - 1 - start) / step + 1) : 0;
  return {first, std::max(first, last)};
}

// The largest sums of kChannels adjacent channels of a window: vector code, as the number is constant.
template <std::int64_t kChannels, typename T>
void largest_sums(const DilationSizes& s, const T* x, const T* filter, std::int64_t line, std::int64_t column,
                  TapRange rows, TapRange columns, T* y, PolledSteps& steps) {
  using W = decltype(compute_value(T()));
  W best[kChannels];
  for (W& b : best) b = std::numeric_limits<W>::lowest();
  const std::int64_t top = line * s.axes[0].stride - s.axes[0].before,
                     left = column * s.axes[1].stride - s.axes[1].before;
  for (std::int64_t h = rows.first; h < rows.last; ++h) {
    const T* in =
        x + ((top + h * s.axes[0].dilation) * s.in[1] + left + columns.first * s.axes[1].dilation) * s.channels;
    const T* taps = filter + (h * s.filter[1] + columns.first) * s.channels;
    for (std::int64_t w = columns.first; w < columns.last; ++w) {
      for (std::int64_t i = 0; i < kChannels; ++i) {
        const W sum = compute_value(add_elements(in[i], taps[i]));
        best[i] = sum > best[i] ? sum : best[i];
      }
      in += s.axes[1].dilation * s.channels;
      taps += s.channels;
    }
    steps.step(columns.last - columns.first);
  }
  for (std::int64_t i = 0; i < kChannels; ++i) y[i] = static_cast<T>(best[i]);
}

void dilation(KernelContext& c) {
  const auto& s = c.kept<DilationSizes>();
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  with_number(out.dtype(), [&]<typename T>(std::type_identity<T>) {
    constexpr std::int64_t kMany = 16;
    const T *x = c.input(0).data<T>(), *filter = c.input(1).data<T>();
    T* y = out.mutable_data<T>();
    const double cost = place_cost(s) * static_cast<double>(s.out[1] * s.channels) * 0.5;
    c.parallel_for(s.batch * s.out[0], cost, [&](std::int64_t begin, std::int64_t end) {
      PolledSteps steps(kStepsToPoll);
      for (std::int64_t at = begin; at < end; ++at) {
        const T* image = x + at / s.out[0] * s.in[0] * s.in[1] * s.channels;
        const std::int64_t line = at % s.out[0];
        const TapRange rows = taps_inside(s.axes[0], line, s.in[0]);
        for (std::int64_t column = 0; column < s.out[1]; ++column) {
          const TapRange columns = taps_inside(s.axes[1], column, s.in[1]);
          T* to = y + (at * s.out[1] + column) * s.channels;
          std::int64_t channel = 0;
          for (; channel + kMany <= s.channels; channel += kMany)
            largest_sums<kMany>(s, image + channel, filter + channel, line, column, rows, columns, to + channel, steps);
          for (; channel < s.channels; ++channel)
            largest_sums<1>(s, image + channel, filter + channel, line, column, rows, columns, to + channel, steps);
          steps.step();
        }
      }
    });
  });
}

// The sums are added place by place, each channel on one thread.
template <bool to_filter>
void dilation_gradient(KernelContext& c) {
  const auto& s = c.kept<DilationSizes>();
  Tensor& out = c.output(0);
  out.fill_zeros();
  if (out.num_elements() == 0) return;
  with_number(out.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T *x = c.input(0).data<T>(), *filter = c.input(1).data<T>(), *dy = c.input(2).data<T>();
    T* result = out.mutable_data<T>();
    const std::int64_t places = s.out[0] * s.out[1], pixels = s.in[0] * s.in[1];
    const double cost = place_cost(s) * static_cast<double>(s.batch * places);
    c.parallel_for(s.channels, cost, [&](std::int64_t begin, std::int64_t end) {
      PolledSteps steps(kStepsToPoll);
      for (std::int64_t channel = begin; channel < end; ++channel)
        for (std::int64_t i = 0; i < s.batch * places; ++i) {
          const std::int64_t image = i / places, place = i % places;
          const auto best = largest_of(s, x + image * pixels * s.channels, filter, place / s.out[1], place % s.out[1],
                                       channel, steps);
          // TensorFlow's kernel counts a window without a largest sum for its first tap and pixel.
          const std::int64_t at =
              to_filter ? std::max<std::int64_t>(best.tap, 0) : image * pixels + std::max<std::int64_t>(best.pixel, 0);
          T& sum = result[at * s.channels + channel];
          sum = add_elements(sum, dy[i * s.channels + channel]);
          steps.step();
        }
    });
  });
}

void infer_like(InferContext& c, std::size_t i) { c.set_output(0, c.shape(i)); }

}  // namespace

void register_dilation(Registry& r) {
  constexpr std::string_view strides = "strides: list(int) >= 4", rates = "rates: list(int) >= 4",
                             padding = "padding: {'SAME', 'VALID'}", reals = "T: " TRACEFN_REAL_NUMBERS;
  r.add({.name = "Dilation2D",
         .inputs = {"input: T", "filter: T"},
         .outputs = {"output: T"},
         .attrs = {reals, strides, rates, padding},
         .doc = "The largest sum of an element of a window and the filter's element there, for each channel of images.",
         .infer = infer_dilation,
         .check = check_and_keep<dilation_sizes>,
         .kernel = dilation,
         .grad = [](GradContext& c) {
           for (auto [i, op] : {std::pair{0u, "Dilation2DBackpropInput"}, {1u, "Dilation2DBackpropFilter"}})
             if (c.wanted(i))
               c.to_input(
                   i,
                   emit1(op, {c.input(0), c.input(1), c.dy(0)},
                         {{"strides", c.attr("strides")}, {"rates", c.attr("rates")}, {"padding", c.attr("padding")}}));
         }});
  r.add({.name = "Dilation2DBackpropInput",
         .inputs = {"input: T", "filter: T", "out_backprop: T"},
         .outputs = {"in_backprop: T"},
         .attrs = {reals, strides, rates, padding},
         .doc = "The gradient of Dilation2D with respect to its input.",
         .infer = [](InferContext& c) { infer_like(c, 0); },
         .check = check_and_keep<dilation_sizes>,
         .kernel = dilation_gradient<false>,
         .grad = without_gradient});
  r.add({.name = "Dilation2DBackpropFilter",
         .inputs = {"input: T", "filter: T", "out_backprop: T"},
         .outputs = {"filter_backprop: T"},
         .attrs = {reals, strides, rates, padding},
         .doc = "The gradient of Dilation2D with respect to its filter.",
         .infer = [](InferContext& c) { infer_like(c, 1); },
         .check = check_and_keep<dilation_sizes>,
         .kernel = dilation_gradient<true>,
         .grad = without_gradient});
}

}  // namespace tracefn
