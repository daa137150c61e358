// Gradients of pooling, and gradients of these.
#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/kernel_table.h"
#include "ops/pool/pool_families.h"
#include "ops/pool/pooling.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

constexpr double kGradientCost = 0.3;  // nanoseconds for each element of a window

void infer_average_gradient(InferContext& c) {
  const int rank = c.attr("data_format").s().size() == 5 ? 5 : 4;
  Shape out = given_shape(c, 0);
  if (out.has_rank() && out.rank() != rank) invalid_argument("Shape must be rank ", rank, " but is rank ", out.rank());
  c.set_output(0, out.has_rank() ? out : Shape::of_rank(rank));
}

PoolSizes average_gradient_sizes(const KernelContext& c) {
  const Tensor& given = c.input(0);
  const Tensor& dy = c.input(1);
  const int rank = c.attr("data_format").s().size() == 5 ? 5 : 4;
  pool_sizes(
      c,
      [&] {  // the attributes come first
        Shape any = Shape::of_rank(rank);
        for (int i = 0; i < rank; ++i) any[i] = std::int64_t{1} << 32;
        any[layout_of(c.attr("data_format").s()).channel()] = c.attr("ksize").ints()[c.attr("ksize").ints().size() - 1];
        return any;
      }(),
      true);
  if (given.rank() != 1 || given.dim(0) != rank) {
    if (rank == 5) invalid_argument("tensor_in must be 1-dimensional and 5 elements");
    invalid_argument("out_backprop must be 1-dimensional and ", rank, " elements");
  }
  if (dy.rank() != rank) invalid_argument("out_backprop must be ", rank, "-dimensional");
  Shape in;
  for (std::int64_t i = 0; i < rank; ++i) {
    if (given.int_at(i) < 0) invalid_argument("Expected a non-negative size, got ", given.int_at(i));
    in.push_back(given.int_at(i));
  }
  PoolSizes s = pool_sizes(c, in, true);
  if (s.depth_window != 1) fail(ErrorKind::kUnimplemented, "Non-spatial pooling is not yet supported. Volunteers? :)");
  const int channel = s.layout.channel();
  if (rank == 5 && dy.dim(channel) != in[channel])
    invalid_argument("Expected last dimension of tensor_in_shape and out_backprop to match, got ", in[channel], " and ",
                     dy.dim(channel));
  require_shape("grad", s.out_shape(), dy.shape());
  return s;
}

void average_gradient(KernelContext& c) {
  const auto& s = c.kept<PoolSizes>();
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const Tensor dy = as_float(channels_last(c, c.input(1), s.layout));
  Tensor narrow = images_for(out, s.layout), dx = wide_output(narrow);
  if (dy.num_elements() == 0) {
    dx.fill_zeros();
  } else {
    const PoolKernels& kernels = kernel_table().pool;
    const std::size_t at = slot(dy.dtype());
    const auto size = static_cast<std::int64_t>(size_of(dy.dtype()));
    const std::int64_t in = dx.num_elements() / s.batch * size, result = dy.num_elements() / s.batch * size;
    const PoolImage image = image_of(s);
    Tensor shares(dy.dtype(), dy.shape());
    const char* from = dy.data<char>();
    char *parts = shares.mutable_data<char>(), *to = dx.mutable_data<char>();
    const double line = kGradientCost * static_cast<double>(s.out[2] * s.channels);
    for_lines(c, s.batch, s.out[0] * s.out[1], line, [&](std::int64_t i, std::int64_t first, std::int64_t last) {
      require_done(kernels.shares[at](image, from + i * result, parts + i * result, first, last));
    });
    for_image_lines(c, s, kGradientCost, [&](std::int64_t i, std::int64_t first, std::int64_t last) {
      require_done(kernels.sums_of_windows[at](image, parts + i * result, to + i * in, first, last));
    });
  }
  round_output(dx, narrow);
  store_channels_last(c, narrow, s.layout, out);
}

// The gradients of max pooling, and of its gradient: what is looked at, in the order of the ops' inputs.
struct MaxInputs {
  const Tensor &x, &y, &given;
};

template <bool second>
PoolSizes max_gradient_sizes(const KernelContext& c) {
  const MaxInputs t{c.input(0), c.input(1), c.input(2)};
  const PoolAttrs attrs(c);
  const int rank = attrs.layout.rank();
  const bool planes = attrs.layout.dims == 3;
  const std::string_view name = second ? (planes ? "MaxPooling3dGradGrad" : "MaxPoolingGradGrad") : "MaxPoolingGrad";
  require_int32("ksize", attrs.ksize);
  require_int32("strides", attrs.strides);
  if (attrs.ksize.size() != static_cast<std::size_t>(rank))
    invalid_argument("Sliding window ksize field must specify ", rank, " dimensions");
  if (attrs.strides.size() != static_cast<std::size_t>(rank))
    invalid_argument("Sliding window strides field must specify ", rank, " dimensions");
  if (attrs.ksize[0] != 1 || attrs.strides[0] != 1)
    fail(ErrorKind::kUnimplemented, "Pooling is not yet supported on the batch dimension.");
  const auto channel = static_cast<std::size_t>(attrs.layout.channel());
  if (attrs.ksize[channel] != 1 || attrs.strides[channel] != 1)
    fail(ErrorKind::kUnimplemented, name, " is not yet supported on the depth dimension.");
  if (t.x.rank() != rank) invalid_argument("tensor_in must be ", rank, "-dimensional");
  if (t.y.rank() != rank) invalid_argument("tensor_out must be ", rank, "-dimensional");
  if (t.given.rank() != rank)
    invalid_argument(second ? "out_grad_backprop" : "out_backprop", " must be ", rank, "-dimensional");
  const PoolSizes s = pool_sizes(c, t.x.shape(), false);
  const Shape out = s.out_shape();
  require_shape("orig_output", out, t.y.shape());
  require_shape("grad", second ? t.x.shape() : out, t.given.shape());
  require_countable(s);
  return s;
}

// dx gets, or gives, the elements of dy at the places of the maxima; line by line.
template <bool second>
void max_gradient(KernelContext& c) {
  const auto& s = c.kept<PoolSizes>();
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const Tensor x = as_float(channels_last(c, c.input(0), s.layout));
  const Tensor given = as_float(channels_last(c, c.input(2), s.layout));
  Tensor narrow = images_for(out, s.layout), result = wide_output(narrow);
  const PoolKernels& kernels = kernel_table().pool;
  const std::size_t at = slot(x.dtype());
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t in = x.num_elements() / s.batch * size;
  const std::int64_t pooled = s.out[0] * s.out[1] * s.out[2] * s.channels * size;
  const PoolImage image = image_of(s);
  const char *from = x.data<char>(), *from_given = given.data<char>();
  char* to = result.mutable_data<char>();
  if (second) {
    for_lines(c, s, kGradientCost, [&](std::int64_t i, std::int64_t first, std::int64_t last) {
      require_done(kernels.at_largest[at](image, from + i * in, from_given + i * in, to + i * pooled, first, last));
    });
  } else {
    in_stripes(c, s, kGradientCost, [&](std::int64_t i, std::int64_t first, std::int64_t last) {
      require_done(
          kernels.largest_gradient[at](image, from + i * in, from_given + i * pooled, to + i * in, first, last));
    });
  }
  round_output(result, narrow);
  store_channels_last(c, narrow, s.layout, out);
}

void infer_max_gradient(InferContext& c) {
  const int rank = c.op().attr_index("data_format") >= 0 && c.attr("data_format").s().size() == 5 ? 5 : 4;
  c.require_rank(0, rank);
  c.set_output(0, c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(rank));
}

void infer_max_second(InferContext& c) {
  Shape out = infer_pooled(c, 0, false);
  if (!c.running()) {
    merge_or_explain(c.shape(0), c.shape(2));
    merge_or_explain(c.shape(1), out);
  }
  c.set_output(0, std::move(out));
}

// With the indices of the maxima given.
template <bool second>
PoolSizes indexed_sizes(const KernelContext& c) {
  const Tensor &x = c.input(0), &given = c.input(1), &indices = c.input(2);
  const PoolSizes s = pool_sizes(c, x.shape(), false);
  if (s.depth_window != 1) fail(ErrorKind::kUnimplemented, "Non-spatial pooling is not yet supported. Volunteers? :)");
  require_shape("grad", second ? x.shape() : s.out_shape(), given.shape());
  require_shape("argmax", s.out_shape(), indices.shape());
  const std::int64_t image = s.batch ? x.num_elements() / s.batch : 0, n = indices.num_elements();
  const bool whole = c.attr("include_batch_in_index").b();
  const std::int64_t end = whole ? x.num_elements() : image;
  in_slices(n, 1, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      const std::int64_t index = indices.int_at(i);
      if (index < 0 || index >= end)
        invalid_argument("Invalid ", second ? "input" : "output", " gradient index: ", index, ", 0, ", end);
    }
  });
  return s;
}

template <bool second>
void indexed_gradient(KernelContext& c) {
  const auto& s = c.kept<PoolSizes>();
  const Tensor& indices = c.input(2);
  const Tensor given = as_float(c.input(1));
  Tensor& out = c.output(0);
  Tensor result = wide_output(out);
  if (!second) result.fill_zeros();
  const std::int64_t n = indices.num_elements(), pooled = s.batch ? n / s.batch : 0;
  const std::int64_t image = s.batch ? c.input(0).num_elements() / s.batch : 0;
  const bool whole = c.attr("include_batch_in_index").b();
  with_number(given.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* from = given.data<T>();
    T* to = result.mutable_data<T>();
    in_slices(n, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t at = indices.int_at(i) + (whole ? 0 : i / pooled * image);
        if (second) {
          to[i] = from[at];
        } else {
          to[at] = add_elements(to[at], from[i]);
        }
      }
    });
  });
  round_output(result, out);
}

// The places of the maxima do not depend smoothly on the input.
void without_places(GradContext& c, std::string_view op) {
  c.to_input(0, build::zeros_like(c.input(0)));
  c.to_input(1, build::zeros_like(c.input(1)));
  c.to_input(2, c.num_inputs() == 3 ? emit_like(c, op, {c.input(0), c.input(1), c.dy(0)})
                                    : emit_like(c, op, {c.input(0), c.input(1), c.dy(0), c.input(3), c.input(4)}));
}

}  // namespace

void register_pool_gradients(Registry& r) {
  constexpr std::string_view ksize = "ksize: list(int) >= 4", strides = "strides: list(int) >= 4",
                             padding = "padding: {'SAME', 'VALID'}", format = "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                             ksize3 = "ksize: list(int) >= 5", strides3 = "strides: list(int) >= 5",
                             format3 = "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'", reals = "T: " TRACEFN_REAL_NUMBERS;
  r.add({.name = "AvgPoolGrad",
         .inputs = {"orig_input_shape: int32", "grad: T"},
         .outputs = {"output: T"},
         .attrs = {ksize, strides, padding, format, "T: " TRACEFN_FLOATS},
         .doc = "The gradient of AvgPool with respect to its input, whose shape is orig_input_shape.",
         .infer = infer_average_gradient,
         .check = check_and_keep<average_gradient_sizes>,
         .kernel = average_gradient,
         .grad = [](GradContext& c) { c.to_input(1, emit_like(c, "AvgPool", {c.dy(0)})); }});
  r.add({.name = "AvgPool3DGrad",
         .inputs = {"orig_input_shape: int32", "grad: T"},
         .outputs = {"output: T"},
         .attrs = {ksize3, strides3, padding, format3, "T: " TRACEFN_FLOATS},
         .doc = "The gradient of AvgPool3D with respect to its input, whose shape is orig_input_shape.",
         .infer = infer_average_gradient,
         .check = check_and_keep<average_gradient_sizes>,
         .kernel = average_gradient,
         .grad = [](GradContext& c) { c.to_input(1, emit_like(c, "AvgPool3D", {c.dy(0)})); }});
  r.add({.name = "MaxPoolGrad",
         .inputs = {"orig_input: T", "orig_output: T", "grad: T"},
         .outputs = {"output: T"},
         .attrs = {ksize, strides, "padding: {'SAME', 'VALID', 'EXPLICIT'}", "explicit_paddings: list(int) = []",
                   format, "T: " TRACEFN_REAL_NUMBERS " = DT_FLOAT"},
         .doc = "The gradient of MaxPool with respect to its input: grad at the first largest element of each window.",
         .infer = infer_max_gradient,
         .check = check_and_keep<max_gradient_sizes<false>>,
         .kernel = max_gradient<false>,
         .grad = [](GradContext& c) { without_places(c, "MaxPoolGradGrad"); }});
  r.add(
      {.name = "MaxPoolGradGrad",
       .inputs = {"orig_input: T", "orig_output: T", "grad: T"},
       .outputs = {"output: T"},
       .attrs = {ksize, strides, padding, format, reals},
       .doc = "The gradient of MaxPoolGrad with respect to its grad: the elements of grad at the places of the maxima.",
       .infer = infer_max_second,
       .check = check_and_keep<max_gradient_sizes<true>>,
       .kernel = max_gradient<true>,
       .grad = [](GradContext& c) { without_places(c, "MaxPoolGrad"); }});
  const std::vector<std::string_view> with_window = {"orig_input: T", "orig_output: T", "grad: T", "ksize: int32",
                                                     "strides: int32"};
  r.add({.name = "MaxPoolGradV2",
         .inputs = with_window,
         .outputs = {"output: T"},
         .attrs = {padding, format, "T: " TRACEFN_REAL_NUMBERS " = DT_FLOAT"},
         .doc = "MaxPoolGrad with the window's sizes and strides as vectors of 4 elements.",
         .infer = infer_max_gradient,
         .check = check_and_keep<max_gradient_sizes<false>>,
         .kernel = max_gradient<false>,
         .grad = [](GradContext& c) { without_places(c, "MaxPoolGradGradV2"); }});
  r.add({.name = "MaxPoolGradGradV2",
         .inputs = with_window,
         .outputs = {"output: T"},
         .attrs = {padding, format, reals},
         .doc = "MaxPoolGradGrad with the window's sizes and strides as vectors of 4 elements.",
         .infer = infer_max_second,
         .check = check_and_keep<max_gradient_sizes<true>>,
         .kernel = max_gradient<true>,
         .grad = without_gradient});
  r.add({.name = "MaxPool3DGrad",
         .inputs = {"orig_input: TInput", "orig_output: TInput", "grad: T"},
         .outputs = {"output: T"},
         .attrs = {ksize3, strides3, padding, format3, "T: {half, bfloat16, float} = DT_FLOAT",
                   "TInput: {half, bfloat16, float} = DT_FLOAT"},
         .doc = "The gradient of MaxPool3D with respect to its input.",
         .infer = infer_max_gradient,
         .check = check_and_keep<max_gradient_sizes<false>>,
         .kernel = max_gradient<false>,
         .grad = [](GradContext& c) { without_places(c, "MaxPool3DGradGrad"); }});
  r.add({.name = "MaxPool3DGradGrad",
         .inputs = {"orig_input: T", "orig_output: T", "grad: T"},
         .outputs = {"output: T"},
         .attrs = {ksize3, strides3, padding, format3, reals},
         .doc = "The gradient of MaxPool3DGrad with respect to its grad.",
         .infer = infer_max_second,
         .check = check_and_keep<max_gradient_sizes<true>>,
         .kernel = max_gradient<true>,
         .grad = [](GradContext& c) { without_places(c, "MaxPool3DGrad"); }});
  constexpr std::string_view batch = "include_batch_in_index: bool = false", index = "Targmax: " TRACEFN_INDEX;
  r.add({.name = "MaxPoolGradWithArgmax",
         .inputs = {"input: T", "grad: T", "argmax: Targmax"},
         .outputs = {"output: T"},
         .attrs = {ksize, strides, padding, batch, index, reals},
         .doc = "The gradient of MaxPoolWithArgmax with respect to its input: grad at the indices argmax.",
         .infer = infer_max_gradient,
         .check = check_and_keep<indexed_sizes<false>>,
         .kernel = indexed_gradient<false>,
         .grad = without_gradient});
  r.add({.name = "MaxPoolGradGradWithArgmax",
         .inputs = {"input: T", "grad: T", "argmax: Targmax"},
         .outputs = {"output: T"},
         .attrs = {ksize, strides, padding, batch, index, reals},
         .doc = "The elements of grad, of the input's shape, at the indices argmax.",
         .infer =
             [](InferContext& c) {
               Shape out = infer_pooled(c, 0, false);
               if (!c.running()) {
                 merge_or_explain(c.shape(0), c.shape(1));
                 merge_or_explain(c.shape(2), out);
               }
               c.set_output(0, std::move(out));
             },
         .check = check_and_keep<indexed_sizes<true>>,
         .kernel = indexed_gradient<true>,
         .grad = without_gradient});
}

}  // namespace tracefn
