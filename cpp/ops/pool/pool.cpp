// Max and average pooling of images with two or three spatial dimensions, and the places of maxima.
#include "base/poll.h"
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

constexpr double kPoolCost = 0.1;  // nanoseconds for each element of a window

template <bool average>
void infer_pool(InferContext& c) {
  c.set_output(0, infer_pooled(c, 0, average));
}

template <bool average>
PoolSizes pooled_sizes(const KernelContext& c) {
  const PoolSizes s = pool_sizes(c, c.input(0).shape(), average);
  if (s.depth_window != 1 && (average || s.layout.dims == 3))
    fail(ErrorKind::kUnimplemented, "Non-spatial pooling is not yet supported. Volunteers? :)");
  return s;
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
  const auto& s = c.kept<PoolSizes>();
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const Tensor x = as_float(channels_last(c, c.input(0), s.layout));
  Tensor narrow = images_for(out, s.layout), y = wide_output(narrow);
  if (s.depth_window != 1) {
    pool_channels(s, x, y);
  } else {
    const PoolKernels& kernels = kernel_table().pool;
    const PoolLines kernel = (average ? kernels.average : kernels.largest)[slot(x.dtype())];
    if (!kernel) no_kernel();
    const PoolImage image = image_of(s);
    const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
    const std::int64_t in = x.num_elements() / s.batch * size, result = y.num_elements() / s.batch * size;
    char* to = y.mutable_data<char>();
    for_lines(c, s, kPoolCost, [&](std::int64_t i, std::int64_t first, std::int64_t last) {
      require_done(kernel(image, x.data<char>() + i * in, to + i * result, first, last));
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

PoolSizes sizes_with_places(const KernelContext& c) {
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
  return s;
}

void pool_with_places(KernelContext& c) {
  const auto& s = c.kept<PoolSizes>();
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
  for_lines(c, s, 2 * kPoolCost, [&](std::int64_t i, std::int64_t first, std::int64_t last) {
    std::vector<std::int32_t> places(static_cast<std::size_t>((last - first) * line));
    require_done(kernel(image, x.data<char>() + i * in * size, to + i * result * size, places.data(), first, last));
    const std::int64_t start = i * result + first * line, base = whole ? i * in : 0;
    in_slices(static_cast<std::int64_t>(places.size()), 1, [&](std::int64_t from, std::int64_t end) {
      for (std::int64_t k = from; k < end; ++k) {
        const std::int64_t index = base + places[static_cast<std::size_t>(k)] * s.channels + k % s.channels;
        if (wide) {
          indices.mutable_data<std::int64_t>()[start + k] = index;
        } else {
          indices.mutable_data<std::int32_t>()[start + k] = static_cast<std::int32_t>(index);
        }
      }
    });
  });
  round_output(y, out);
}

template <const std::string_view& op>
void max_pool_gradient(GradContext& c) {
  c.to_input(0, emit_like(c, op, {c.input(0), c.output(0), c.dy(0)}));
}
constexpr std::string_view kLargest = "MaxPoolGrad", kLargest3 = "MaxPool3DGrad";

template <const std::string_view& op>
void average_pool_gradient(GradContext& c) {
  c.to_input(0, emit_like(c, op, {build::shape_of(c.input(0)), c.dy(0)}));
}
constexpr std::string_view kAverage = "AvgPoolGrad", kAverage3 = "AvgPool3DGrad";

}  // namespace

void register_pool(Registry& r) {
  constexpr std::string_view
      ksize = "ksize: list(int) >= 4",
      strides = "strides: list(int) >= 4", padding = "padding: {'SAME', 'VALID'}",
      format = "data_format: {'NHWC', 'NCHW'} = 'NHWC'", ksize3 = "ksize: list(int) >= 5",
      strides3 = "strides: list(int) >= 5", format3 = "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'",
      types =
          "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = "
          "DT_FLOAT";
  r.add({.name = "MaxPool",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {types, ksize, strides, "padding: {'SAME', 'VALID', 'EXPLICIT'}", "explicit_paddings: list(int) = []",
                   "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"},
         .doc = "The largest element of each window of ksize that moves over images by strides: over height and width, "
                "or over channels.",
         .infer = infer_pool<false>,
         .check = check_and_keep<pooled_sizes<false>>,
         .kernel = pool<false>,
         .grad = max_pool_gradient<kLargest>});
  r.add({.name = "MaxPoolV2",
         .inputs = {"input: T", "ksize: int32", "strides: int32"},
         .outputs = {"output: T"},
         .attrs = {types, padding, "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"},
         .doc = "MaxPool with the window's sizes and strides as vectors of 4 elements.",
         .infer = infer_pool<false>,
         .check = check_and_keep<pooled_sizes<false>>,
         .kernel = pool<false>,
         .grad = [](GradContext& c) {
           c.to_input(0, emit_like(c, "MaxPoolGradV2", {c.input(0), c.output(0), c.dy(0), c.input(1), c.input(2)}));
         }});
  r.add({.name = "AvgPool",
         .inputs = {"value: T"},
         .outputs = {"output: T"},
         .attrs = {ksize, strides, padding, format, "T: " TRACEFN_FLOATS},
         .doc = "The average of the elements of each window of ksize that moves over images by strides; padding does "
                "not count.",
         .infer = infer_pool<true>,
         .check = check_and_keep<pooled_sizes<true>>,
         .kernel = pool<true>,
         .grad = average_pool_gradient<kAverage>});
  r.add({.name = "MaxPool3D",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {ksize3, strides3, padding, format3, "T: {half, bfloat16, float}"},
         .doc = "The largest element of each window of ksize that moves over volumes by strides.",
         .infer = infer_pool<false>,
         .check = check_and_keep<pooled_sizes<false>>,
         .kernel = pool<false>,
         .grad = max_pool_gradient<kLargest3>});
  r.add({.name = "AvgPool3D",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {ksize3, strides3, padding, format3, "T: " TRACEFN_FLOATS},
         .doc = "The average of the elements of each window of ksize that moves over volumes by strides; padding does "
                "not count.",
         .infer = infer_pool<true>,
         .check = check_and_keep<pooled_sizes<true>>,
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
         .check = check_and_keep<sizes_with_places>,
         .kernel = pool_with_places,
         .grad = [](GradContext& c) {
           c.to_input(0, emit_like(c, "MaxPoolGradWithArgmax", {c.input(0), c.dy(0), c.output(1)}));
         }});
}

}  // namespace tracefn
