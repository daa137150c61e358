// Max and average pooling of images with two or three spatial dimensions, and the places of maxima.
#include "ops/array/array_families.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/kernel_table.h"
#include "ops/pool/pool_families.h"
#include "ops/pool/pooling.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

constexpr double kCost = 0.1;  // nanoseconds for each element of a window

template <bool average>
void infer_pool(InferContext& c) {
  c.set_output(0, infer_pooled(c, 0, average));
}

template <bool average>
void check_pool(const KernelContext& c) {
  const PoolSizes s = pool_sizes(c, c.input(0).shape(), average);
  if (s.depth_window != 1 && (average || s.layout.dims == 3))
    fail(ErrorKind::kUnimplemented, "Non-spatial pooling is not yet supported. Volunteers? :)");
}

// Max pooling across channels.
void pool_channels(const PoolSizes& s, const Tensor& x, Tensor& y) {
  with_number(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    in_slices(y.num_elements(), static_cast<double>(s.depth_window), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const T* in = from + i * s.depth_window;
        T best = in[0];
        for (std::int64_t k = 1; k < s.depth_window; ++k)
          if (compute_value(best) < compute_value(in[k])) best = in[k];
        to[i] = best;
      }
    });
  });
}

template <bool average>
void pool(KernelContext& c) {
  const PoolSizes s = pool_sizes(c, c.input(0).shape(), average);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const Tensor x = as_float(channels_last(c, c.input(0), s.layout));
  Tensor narrow = images_for(out, s.layout), y = wide_output(narrow);
  if (s.depth_window != 1) {
    pool_channels(s, x, y);
  } else {
    const PoolKernels& kernels = kernel_table().pool;
    const PoolLines kernel = (average ? kernels.average : kernels.largest)[slot(x.dtype())];
    const PoolImage image = image_of(s);
    const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
    const std::int64_t in = x.num_elements() / s.batch * size, result = y.num_elements() / s.batch * size;
    char* to = y.mutable_data<char>();
    for_lines(c, s, kCost, [&](std::int64_t i, std::int64_t first, std::int64_t last) {
      kernel(image, x.data<char>() + i * in, to + i * result, first, last);
    });
  }
  round_output(y, narrow);
  store_channels_last(c, narrow, s.layout, out);
}

void require_positive_ksize(const std::vector<std::int64_t>& ksize) {
  for (std::int64_t k : ksize)
    if (k <= 0) invalid_argument("ksize must be a positive int32 value, got:", k);
}

void infer_pool_with_places(InferContext& c) {
  require_int32("ksize", c.attr("ksize").ints());
  require_positive_ksize(c.attr("ksize").ints());
  Shape out = infer_pooled(c, 0, false);
  c.set_output(0, out);
  c.set_output(1, std::move(out));
}

void check_pool_with_places(const KernelContext& c) {
  require_int32("ksize", c.attr("ksize").ints());
  require_positive_ksize(c.attr("ksize").ints());
  const Tensor& x = c.input(0);
  if (x.rank() != 4) {
    // TensorFlow checks the attributes first.
    pool_sizes(c, Shape({1, 1 << 20, 1 << 20, c.attr("ksize").ints().back()}), false);
    invalid_argument("tensor_in must be 4-dimensional (2)");
  }
  if (x.num_elements() == 0) invalid_argument("tensor_in must not be empty (2)");
  const PoolSizes s = pool_sizes(c, x.shape(), false);
  if (s.depth_window != 1) fail(ErrorKind::kUnimplemented, "Non-spatial pooling is not yet supported. Volunteers? :)");
  require_countable(s);
}

void pool_with_places(KernelContext& c) {
  const PoolSizes s = pool_sizes(c, c.input(0).shape(), false);
  Tensor &out = c.output(0), &indices = c.output(1);
  if (out.num_elements() == 0) return;
  const Tensor x = as_float(c.input(0));
  Tensor y = wide_output(out);
  const bool whole = c.attr("include_batch_in_index").b(), wide = indices.dtype() == DType::kInt64;
  const PoolPlaces kernel = kernel_table().pool.places[slot(x.dtype())];
  const PoolImage image = image_of(s);
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t in = x.num_elements() / s.batch, result = y.num_elements() / s.batch;
  const std::int64_t line = s.out[2] * s.channels;
  char* to = y.mutable_data<char>();
  for_lines(c, s, 2 * kCost, [&](std::int64_t i, std::int64_t first, std::int64_t last) {
    std::vector<std::int32_t> places(static_cast<std::size_t>((last - first) * line));
    kernel(image, x.data<char>() + i * in * size, to + i * result * size, places.data(), first, last);
    const std::int64_t start = i * result + first * line, base = whole ? i * in : 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const auto at = static_cast<std::int64_t>(k);
      const std::int64_t index = base + places[k] * s.channels + at % s.channels;
      if (wide) {
        indices.mutable_data<std::int64_t>()[start + at] = index;
      } else {
        indices.mutable_data<std::int32_t>()[start + at] = static_cast<std::int32_t>(index);
      }
    }
  });
  round_output(y, out);
}

void max_pool_gradient(GradContext& c) {
  const bool planes = c.op().name() == "MaxPool3D";
  if (planes) {
    c.to_input(0, emit1("MaxPool3DGrad", {c.input(0), c.output(0), c.dy(0)},
                        {{"ksize", c.attr("ksize")},
                         {"strides", c.attr("strides")},
                         {"padding", c.attr("padding")},
                         {"data_format", c.attr("data_format")}}));
    return;
  }
  c.to_input(0, emit1("MaxPoolGrad", {c.input(0), c.output(0), c.dy(0)},
                      {{"ksize", c.attr("ksize")},
                       {"strides", c.attr("strides")},
                       {"padding", c.attr("padding")},
                       {"explicit_paddings", c.attr("explicit_paddings")},
                       {"data_format", c.attr("data_format")}}));
}

template <const std::string_view& op>
void average_pool_gradient(GradContext& c) {
  c.to_input(0, emit1(op, {build::shape_of(c.input(0)), c.dy(0)},
                      {{"ksize", c.attr("ksize")},
                       {"strides", c.attr("strides")},
                       {"padding", c.attr("padding")},
                       {"data_format", c.attr("data_format")}}));
}
constexpr std::string_view kAverage = "AvgPoolGrad", kAverage3 = "AvgPool3DGrad";

}  // namespace

void register_pool(Registry& r) {
  constexpr std::string_view ksize = "ksize: list(int) >= 4", strides = "strides: list(int) >= 4",
                             padding = "padding: {'SAME', 'VALID'}", format = "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                             ksize3 = "ksize: list(int) >= 5", strides3 = "strides: list(int) >= 5",
                             format3 = "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'";
  r.add({.name = "MaxPool",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16} = DT_FLOAT", ksize,
                   strides, "padding: {'SAME', 'VALID', 'EXPLICIT'}", "explicit_paddings: list(int) = []",
                   "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"},
         .doc = "The largest element of each window of ksize that moves over images by strides: over height and width, "
                "or over channels.",
         .infer = infer_pool<false>,
         .check = check_pool<false>,
         .kernel = pool<false>,
         .grad = max_pool_gradient});
  r.add({.name = "AvgPool",
         .inputs = {"value: T"},
         .outputs = {"output: T"},
         .attrs = {ksize, strides, padding, format, "T: " TRACEFN_FLOATS},
         .doc = "The average of the elements of each window of ksize that moves over images by strides; padding does "
                "not count.",
         .infer = infer_pool<true>,
         .check = check_pool<true>,
         .kernel = pool<true>,
         .grad = average_pool_gradient<kAverage>});
  r.add({.name = "MaxPool3D",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {ksize3, strides3, padding, format3, "T: {half, bfloat16, float}"},
         .doc = "The largest element of each window of ksize that moves over volumes by strides.",
         .infer = infer_pool<false>,
         .check = check_pool<false>,
         .kernel = pool<false>,
         .grad = max_pool_gradient});
  r.add({.name = "AvgPool3D",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {ksize3, strides3, padding, format3, "T: " TRACEFN_FLOATS},
         .doc = "The average of the elements of each window of ksize that moves over volumes by strides; padding does "
                "not count.",
         .infer = infer_pool<true>,
         .check = check_pool<true>,
         .kernel = pool<true>,
         .grad = average_pool_gradient<kAverage3>});
  r.add({.name = "MaxPoolWithArgmax",
         .inputs = {"input: T"},
         .outputs = {"output: T", "argmax: Targmax"},
         .attrs = {ksize, strides, "Targmax: " TRACEFN_INDEX " = DT_INT64", padding,
                   "include_batch_in_index: bool = false", "T: " TRACEFN_REAL_NUMBERS},
         .doc = "The largest element of each window, and its index in its flattened image, or in the flattened input: "
                "((batch * height + y) * width + x) * channels + channel.",
         .infer = infer_pool_with_places,
         .check = check_pool_with_places,
         .kernel = pool_with_places,
         .grad = [](GradContext& c) {
           c.to_input(0, emit1("MaxPoolGradWithArgmax", {c.input(0), c.dy(0), c.output(1)},
                               {{"ksize", c.attr("ksize")},
                                {"strides", c.attr("strides")},
                                {"padding", c.attr("padding")},
                                {"include_batch_in_index", c.attr("include_batch_in_index")}}));
         }});
}

}  // namespace tracefn
