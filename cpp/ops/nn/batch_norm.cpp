// FusedBatchNormV3 and its gradient: channels normalized by their moments over a batch of images, or by given ones.
#include <cmath>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/conv/window.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

constexpr double kCost = 0.3;  // nanoseconds for each element of a pass

std::int64_t dim_of(const Shape& shape, int axis) { return shape.has_rank() ? shape[axis] : kUnknownDim; }

// The channels, as far as one of the inputs knows them.
std::int64_t merge_channels(std::int64_t channels, std::int64_t other) {
  if (channels >= 0 && other >= 0 && channels != other)
    invalid_argument("Dimensions must be equal, but are ", channels, " and ", other);
  return channels >= 0 || other < 0 ? channels : other;
}

void infer_batch_norm(InferContext& c) {
  const ImageLayout layout = layout_of(c.attr("data_format").s());
  const bool training = c.attr("is_training").b();
  c.require_rank(0, layout.rank());
  Shape out = c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(layout.rank());
  std::int64_t channels = out[layout.channel()];
  const std::size_t vectors = training && c.attr("exponential_avg_factor").f() == 1 ? 2 : 4;
  for (std::size_t i = 1; i <= vectors; ++i) {
    c.require_rank(i, 1);
    channels = merge_channels(channels, dim_of(c.shape(i), 0));
  }
  out[layout.channel()] = channels;
  c.set_output(0, std::move(out));
  for (std::size_t i = 1; i < 5; ++i) c.set_output(i, Shape({channels}));
  c.set_output(5, Shape::unknown());  // TensorFlow's shape function leaves it to devices: empty on CPUs
}

void infer_batch_norm_gradient(InferContext& c) {
  const ImageLayout layout = layout_of(c.attr("data_format").s());
  c.require_rank(0, layout.rank());
  c.require_rank(1, layout.rank());
  Shape out = c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(layout.rank());
  std::int64_t channels = merge_channels(out[layout.channel()], dim_of(c.shape(1), layout.channel()));
  for (std::size_t i = 2; i < 5; ++i) {
    c.require_rank(i, 1);
    channels = merge_channels(channels, dim_of(c.shape(i), 0));
  }
  out[layout.channel()] = channels;
  c.set_output(0, std::move(out));
  for (std::size_t i = 1; i < 3; ++i) c.set_output(i, Shape({channels}));
  for (std::size_t i = 3; i < 5; ++i) c.set_output(i, Shape({0}));
}

// Images of four dimensions are taken in either layout of their rank, as TensorFlow does.
void check_rank_of(const Tensor& x) {
  if (x.rank() != 4 && x.rank() != 5) invalid_argument("input must be 4 or 5-dimensional", x.shape().text());
}

void check_vector(const Tensor& v, std::string_view what) {
  if (v.rank() != 1) invalid_argument(what, " must be 1-dimensional", v.shape().text());
}

void check_batch_norm(const KernelContext& c) {
  const Tensor& x = c.input(0);
  const ImageLayout layout = layout_of(c.attr("data_format").s());
  check_rank_of(x);
  constexpr std::string_view names[] = {"scale", "offset", "estimated_mean", "estimated_variance"};
  for (std::size_t i = 1; i < 5; ++i) check_vector(c.input(i), names[i - 1]);
  if (x.rank() != layout.rank()) invalid_argument("input must be ", layout.rank(), "-dimensional", x.shape().text());
  const std::int64_t channels = x.dim(layout.channel());
  auto require = [&](std::size_t i, std::string_view start, std::string_view what) {
    if (c.input(i).num_elements() != channels)
      invalid_argument(start, what, " must have the same number of elements as the channels of x, got ",
                       c.input(i).num_elements(), " and ", channels);
  };
  require(1, "", "scale");
  require(2, "", "offset");
  const bool training = c.attr("is_training").b();
  if (training && c.attr("exponential_avg_factor").f() == 1) return;
  const std::string_view when = training ? "When exponential_avg_factor != 1, " : "When is_training=false, ";
  require(3, when, "mean");
  require(4, when, "variance");
}

void check_batch_norm_gradient(const KernelContext& c) {
  const Tensor &dy = c.input(0), &x = c.input(1);
  const ImageLayout layout = layout_of(c.attr("data_format").s());
  check_rank_of(dy);
  check_rank_of(x);
  check_vector(c.input(2), "scale");
  check_vector(c.input(3), "saved mean");
  check_vector(c.input(4), "saved variance");
  if (x.shape() != dy.shape())
    invalid_argument("x and y_backprop must have same shape, but x has shape ", x.shape().text(),
                     " and y_backprop has shape ", dy.shape().text());
  if (x.rank() != layout.rank()) invalid_argument("input must be ", layout.rank(), "-dimensional", x.shape().text());
  const std::int64_t channels = x.dim(layout.channel());
  constexpr std::string_view names[] = {"scale", "reserve_space_1", "reserve_space_2"};
  for (std::size_t i = 2; i < 5; ++i)
    if (c.input(i).num_elements() != channels)
      invalid_argument(names[i - 2], " must have the same number of elements as the channels of x, got ",
                       c.input(i).num_elements(), " and ", channels);
}

// Sums over the rows of a matrix of pixels by channels, of `Count` functions of the elements: f(sums, row, channels),
// where sums has a vector of doubles for each. The rows are cut into chunks whose number depends on the sizes alone.
template <int Count, typename F>
std::vector<double> sums_over_rows(const KernelContext& c, std::int64_t rows, std::int64_t channels, const F& f) {
  constexpr std::int64_t kChunks = 32, kLeast = 64;
  const std::int64_t chunks = std::clamp<std::int64_t>(rows / kLeast, 1, kChunks), each = (rows + chunks - 1) / chunks;
  const auto length = static_cast<std::size_t>(channels * Count);
  std::vector<double> parts(static_cast<std::size_t>(chunks) * length);
  const double row_cost = kCost * Count * static_cast<double>(channels) + 2;
  c.parallel_for(chunks, row_cost * static_cast<double>(each), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      in_slices(std::min(k * each, rows), std::min((k + 1) * each, rows), row_cost,
                [&](std::int64_t from, std::int64_t to) {
                  double* sums = parts.data() + static_cast<std::size_t>(k) * length;
                  for (std::int64_t row = from; row < to; ++row) f(sums, row);
                });
  });
  std::vector<double> sums(length);
  for (std::int64_t k = 0; k < chunks; ++k)
    for (std::size_t i = 0; i < length; ++i) sums[i] += parts[static_cast<std::size_t>(k) * length + i];
  return sums;
}

// f(row) for all rows, on several threads.
template <typename F>
void for_rows(const KernelContext& c, std::int64_t rows, std::int64_t channels, const F& f) {
  const double cost = kCost * static_cast<double>(channels) + 2;
  c.parallel_for(rows, cost, [&](std::int64_t begin, std::int64_t end) {
    in_slices(begin, end, cost, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t row = from; row < to; ++row) f(row);
    });
  });
}

struct Moments {
  std::vector<double> mean, variance;
};

Moments moments_of(const KernelContext& c, const float* x, std::int64_t rows, std::int64_t channels) {
  Moments m;
  m.mean = sums_over_rows<1>(c, rows, channels, [&](double* sums, std::int64_t row) {
    for (std::int64_t k = 0; k < channels; ++k) sums[k] += static_cast<double>(x[row * channels + k]);
  });
  for (double& mean : m.mean) mean /= static_cast<double>(rows);
  m.variance = sums_over_rows<1>(c, rows, channels, [&](double* sums, std::int64_t row) {
    for (std::int64_t k = 0; k < channels; ++k) {
      const double distance = static_cast<double>(x[row * channels + k]) - m.mean[static_cast<std::size_t>(k)];
      sums[k] += distance * distance;
    }
  });
  for (double& variance : m.variance) variance /= static_cast<double>(rows);
  return m;
}

void batch_norm(KernelContext& c) {
  check_batch_norm(c);
  const ImageLayout layout = layout_of(c.attr("data_format").s());
  const bool training = c.attr("is_training").b();
  const float epsilon = c.attr("epsilon").f(), factor = c.attr("exponential_avg_factor").f();
  const std::int64_t channels = c.input(0).dim(layout.channel());
  const std::int64_t rows = channels ? c.input(0).num_elements() / channels : 0;
  Tensor& out = c.allocate_output(0, c.input(0).dtype(), c.input(0).shape());
  for (std::size_t j = 1; j < 5; ++j) c.allocate_output(j, c.input(1).dtype(), Shape({channels}));
  c.allocate_output(5, c.input(1).dtype(), Shape({0}));
  const Tensor x = as_float(channels_last(c, c.input(0), layout));
  const Tensor scale = as_float(c.input(1)), offset = as_float(c.input(2));
  const Tensor mean = as_float(c.input(3)), variance = as_float(c.input(4));
  std::array<Tensor, 5> vectors;
  for (std::size_t j = 1; j < 5; ++j) {
    vectors[j] = wide_output(c.output(j));
    vectors[j].fill_zeros();
  }
  auto vector = [&](std::size_t j) { return vectors[j].mutable_data<float>(); };
  std::vector<float> factors(static_cast<std::size_t>(channels)), shifts(factors.size());
  Moments m;
  if (training && rows > 0) m = moments_of(c, x.data<float>(), rows, channels);
  for (std::int64_t k = 0; k < channels; ++k) {
    const auto at = static_cast<std::size_t>(k);
    float center, spread;
    if (!training) {
      center = vector(1)[k] = mean.data<float>()[k];
      spread = vector(2)[k] = variance.data<float>()[k];
    } else if (rows == 0) {
      center = vector(1)[k] = vector(2)[k] = std::numeric_limits<float>::quiet_NaN();
      spread = center;
    } else {
      center = vector(3)[k] = static_cast<float>(m.mean[at]);
      spread = vector(4)[k] = static_cast<float>(m.variance[at]);
      // What is averaged over batches is the unbiased estimate.
      const double n = static_cast<double>(rows);
      const auto unbiased = static_cast<float>(m.variance[at] * (n / std::max(n - 1, 1.0)));
      vector(1)[k] = factor == 1 ? center : (1 - factor) * mean.data<float>()[k] + factor * center;
      vector(2)[k] = factor == 1 ? unbiased : (1 - factor) * variance.data<float>()[k] + factor * unbiased;
    }
    factors[at] = scale.data<float>()[k] / std::sqrt(spread + epsilon);
    shifts[at] = center;
  }
  for (std::size_t j = 1; j < 5; ++j) round_output(vectors[j], c.output(j));
  if (out.num_elements() == 0) return;
  Tensor narrow = images_for(out, layout), y = wide_output(narrow);
  float* to = y.mutable_data<float>();
  const float *from = x.data<float>(), *more = offset.data<float>();
  for_rows(c, rows, channels, [&](std::int64_t row) {
    for (std::int64_t k = 0; k < channels; ++k) {
      const auto at = static_cast<std::size_t>(k);
      to[row * channels + k] = (from[row * channels + k] - shifts[at]) * factors[at] + more[k];
    }
  });
  round_output(y, narrow);
  store_channels_last(c, narrow, layout, out);
}

void batch_norm_gradient(KernelContext& c) {
  const ImageLayout layout = layout_of(c.attr("data_format").s());
  const bool training = c.attr("is_training").b();
  const float epsilon = c.attr("epsilon").f();
  Tensor& out = c.output(0);
  const std::int64_t channels = c.input(0).dim(layout.channel());
  const std::int64_t rows = channels ? c.input(0).num_elements() / channels : 0;
  const Tensor dy = as_float(channels_last(c, c.input(0), layout)), x = as_float(channels_last(c, c.input(1), layout));
  const float *scale = c.input(2).data<float>(), *mean = c.input(3).data<float>(), *variance = c.input(4).data<float>();
  float *dscale = c.output(1).mutable_data<float>(), *doffset = c.output(2).mutable_data<float>();
  const float *gradient = dy.data<float>(), *from = x.data<float>();
  // For each channel, the sums of dy and of dy (x - mean).
  const std::vector<double> sums = sums_over_rows<2>(c, rows, channels, [&](double* parts, std::int64_t row) {
    for (std::int64_t k = 0; k < channels; ++k) {
      const double g = static_cast<double>(gradient[row * channels + k]);
      parts[k] += g;
      parts[channels + k] += g * (static_cast<double>(from[row * channels + k]) - static_cast<double>(mean[k]));
    }
  });
  const auto size = static_cast<std::size_t>(channels);
  std::vector<float> factors(size), of_dy(size), of_x(size);
  for (std::size_t k = 0; k < size; ++k) {
    const double n = static_cast<double>(rows), inverse = 1 / std::sqrt(static_cast<double>(variance[k] + epsilon));
    doffset[k] = static_cast<float>(sums[k]);
    dscale[k] = static_cast<float>(sums[size + k] * inverse);
    factors[k] = static_cast<float>(static_cast<double>(scale[k]) * inverse);
    of_dy[k] = training && rows ? static_cast<float>(sums[k] / n) : 0;
    of_x[k] = training && rows ? static_cast<float>(sums[size + k] * inverse * inverse / n) : 0;
  }
  if (out.num_elements() == 0) return;
  Tensor narrow = images_for(out, layout), dx = wide_output(narrow);
  float* to = dx.mutable_data<float>();
  for_rows(c, rows, channels, [&](std::int64_t row) {
    for (std::size_t k = 0; k < size; ++k) {
      const std::int64_t i = row * channels + static_cast<std::int64_t>(k);
      to[i] = factors[k] * (gradient[i] - of_dy[k] - (from[i] - mean[k]) * of_x[k]);
    }
  });
  round_output(dx, narrow);
  store_channels_last(c, narrow, layout, out);
}

void grad_batch_norm(GradContext& c) {
  const bool training = c.attr("is_training").b();
  const Operands results = emit_all(
      "FusedBatchNormGradV3",
      std::vector<Operand>{c.dy(0), c.input(0), c.input(1), training ? c.output(3) : c.input(3),
                           training ? c.output(4) : c.input(4), c.output(5)},
      {{"epsilon", c.attr("epsilon")}, {"data_format", c.attr("data_format")}, {"is_training", c.attr("is_training")}});
  for (std::size_t i = 0; i < 3; ++i) c.to_input(i, results[i]);
}

// The first gradient's own derivatives, composed of simple ops, for images with the channels last.
struct SecondOrder {
  GradContext& c;
  ImageLayout layout = layout_of(c.attr("data_format").s());

  Operand last(const Operand& x) const { return moved(x, true); }
  Operand back(const Operand& x) const { return moved(x, false); }
  Operand moved(const Operand& x, bool to_last) const {
    if (!layout.channels_second) return x;
    std::vector<std::int32_t> order{0};
    const int rank = layout.rank();
    if (to_last)
      for (int i = 2; i < rank; ++i) order.push_back(i);
    order.push_back(to_last ? 1 : rank - 1);
    if (!to_last)
      for (int i = 1; i < rank - 1; ++i) order.push_back(i);
    return emit1("Transpose", {x, build::ints(order)});
  }
  // Over everything but the channels.
  Operand reduce(const char* op, const Operand& x) const {
    std::vector<std::int32_t> axes;
    for (int i = 0; i + 1 < layout.rank(); ++i) axes.push_back(i);
    return emit1(op, {x, build::ints(axes)});
  }
  Operand as_float32(const Operand& x) const { return build::cast(x, DType::kFloat); }
};

// With n = the number of pixels, m = mean over them, r = 1 / sqrt(variance + epsilon), z = x - mean(x):
//   training: dx = scale r (dy - m(dy) - z r^2 m(dy z)), dscale = r sum(dy z), doffset = sum(dy).
void grad_batch_norm_gradient(GradContext& c) {
  const SecondOrder s{c};
  const bool training = c.attr("is_training").b();
  const DType dtype = c.input(0).dtype();
  const Operand dy = s.as_float32(s.last(c.input(0))), x = s.as_float32(s.last(c.input(1))), scale = c.input(2);
  const Operand ddx = s.as_float32(s.last(c.dy(0))), ddscale = c.dy(1), ddoffset = c.dy(2);
  const Operand epsilon = build::scalar(DType::kFloat, static_cast<double>(c.attr("epsilon").f()));
  auto mean = [&](const Operand& t) { return s.reduce("Mean", t); };
  auto sum = [&](const Operand& t) { return s.reduce("Sum", t); };
  const Operand center = training ? mean(x) : c.input(3);
  const Operand z = x - center;
  const Operand r = emit1("Rsqrt", {(training ? mean(z * z) : c.input(4)) + epsilon});
  if (!training) {
    // dx = scale r dy, dscale = r sum(dy z), doffset = sum(dy).
    c.to_input(0, s.back(build::cast(ddx * scale * r + ddscale * r * z + ddoffset, dtype)));
    c.to_input(1, s.back(build::cast(ddscale * r * dy, dtype)));
    c.to_input(2, r * sum(ddx * dy));
    c.to_input(3, -(ddscale * r * sum(dy)));
    const Operand of_r = scale * sum(ddx * dy) + ddscale * sum(dy * z);
    c.to_input(4, build::scale(of_r * r * r * r, -0.5));
    return;
  }
  // q = m(dy z), p = m(ddx z), and what dx is scaled by.
  const Operand q = mean(dy * z), p = mean(ddx * z), r2 = r * r;
  const Operand centered = ddx - mean(ddx);
  const Operand of_dy = scale * r * (centered - z * r2 * p) + ddscale * r * z + ddoffset;
  // The derivatives with respect to z, for fixed r, and with respect to r; both depend on x.
  const Operand w = scale * r * r2;
  const Operand of_z = -(w * (ddx * q + dy * p)) + ddscale * r * dy;
  const Operand inner = sum(ddx * (dy - mean(dy)));
  const Operand of_r = scale * (inner - build::scale(r2 * q * sum(ddx * z), 3)) + ddscale * sum(dy * z);
  // r depends on z by -r^3 z / n; z on x by subtracting the mean.
  const Operand count = sum(build::ones_like(z));
  const Operand through = of_z - of_r * r * r2 * z / count;
  c.to_input(0, s.back(build::cast(of_dy, dtype)));
  c.to_input(1, s.back(build::cast(through - mean(through), dtype)));
  c.to_input(2, r * (inner - r2 * q * sum(ddx * z)));
}

}  // namespace

void register_batch_norm(Registry& r) {
  constexpr std::string_view epsilon = "epsilon: float = 0.0001", training = "is_training: bool = true",
                             format = "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'";
  r.add({.name = "FusedBatchNormV3",
         .inputs = {"x: T", "scale: U", "offset: U", "mean: U", "variance: U"},
         .outputs = {"y: T", "batch_mean: U", "batch_variance: U", "reserve_space_1: U", "reserve_space_2: U",
                     "reserve_space_3: U"},
         .attrs = {"T: {half, bfloat16, float}", "U: {bfloat16, float}", epsilon, "exponential_avg_factor: float = 1.0",
                   format, training},
         .doc = "scale * (x - mean) / sqrt(variance + epsilon) + offset for each channel of images.\n\n"
                "While training, mean and variance are those of the batch; batch_mean and batch_variance (unbiased) "
                "are averaged with the given ones by exponential_avg_factor. Otherwise they are the given ones. The "
                "reserved spaces are for the gradient.",
         .infer = infer_batch_norm,
         .kernel = batch_norm,
         .allocation = Allocation::kByValues,  // the shape rule does not know the last output
         .grad = grad_batch_norm});
  r.add({.name = "FusedBatchNormGradV3",
         .inputs = {"y_backprop: T", "x: T", "scale: float", "reserve_space_1: U", "reserve_space_2: U",
                    "reserve_space_3: U"},
         .outputs = {"x_backprop: T", "scale_backprop: U", "offset_backprop: U", "reserve_space_4: U",
                     "reserve_space_5: U"},
         .attrs = {"T: {half, bfloat16, float}", "U: {float}", epsilon, format, training},
         .doc = "The gradients of FusedBatchNormV3 with respect to x, scale and offset.",
         .infer = infer_batch_norm_gradient,
         .check = check_batch_norm_gradient,
         .kernel = batch_norm_gradient,
         .grad = grad_batch_norm_gradient});
}

}  // namespace tracefn
