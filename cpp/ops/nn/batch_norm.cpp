// FusedBatchNorm in its versions, and gradients: channels normalized by their moments over a batch of images, or by
// given ones.
#include <cmath>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/conv/window.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/kernel_table.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

void infer_batch_norm(InferContext& c) {
  const ImageLayout layout = layout_of(c.attr("data_format").s());
  const bool training = c.attr("is_training").b();
  c.require_rank(0, layout.rank());
  Shape out = c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(layout.rank());
  std::int64_t channels = out[layout.channel()];
  const std::size_t vectors = training && c.attr("exponential_avg_factor").f() == 1 ? 2 : 4;
  for (std::size_t i = 1; i <= vectors; ++i) {
    c.require_rank(i, 1);
    channels = merge_dims(channels, dim_of(c.shape(i), 0));
  }
  out[layout.channel()] = channels;
  c.set_output(0, std::move(out));
  for (std::size_t i = 1; i < 5; ++i) c.set_output(i, Shape({channels}));
  if (c.num_outputs() > 5)
    c.set_output(5, Shape::unknown());  // TensorFlow's shape function leaves it to devices: empty on CPUs
}

void infer_batch_norm_gradient(InferContext& c) {
  const ImageLayout layout = layout_of(c.attr("data_format").s());
  c.require_rank(0, layout.rank());
  c.require_rank(1, layout.rank());
  Shape out = c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(layout.rank());
  std::int64_t channels = merge_dims(out[layout.channel()], dim_of(c.shape(1), layout.channel()));
  for (std::size_t i = 2; i < 5; ++i) {
    c.require_rank(i, 1);
    channels = merge_dims(channels, dim_of(c.shape(i), 0));
  }
  out[layout.channel()] = channels;
  c.set_output(0, std::move(out));
  for (std::size_t i = 1; i < 3; ++i) c.set_output(i, Shape({channels}));
  for (std::size_t i = 3; i < 5; ++i) c.set_output(i, Shape({0}));
}

// The first versions know no volumes.
void check_rank_of(const Tensor& x, bool third_version) {
  if (third_version && x.rank() != 4 && x.rank() != 5)
    invalid_argument("input must be 4 or 5-dimensional", x.shape().text());
  if (!third_version && x.rank() != 4) invalid_argument("input must be 4-dimensional", x.shape().text());
}

void check_vector(const Tensor& v, std::string_view what) {
  if (v.rank() != 1) invalid_argument(what, " must be 1-dimensional", v.shape().text());
}

void check_batch_norm(const KernelContext& c) {
  const Tensor& x = c.input(0);
  const ImageLayout layout = layout_of(c.attr("data_format").s());
  check_rank_of(x, c.num_outputs() == 6);
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
  const bool third_version = c.num_inputs() == 6;
  check_rank_of(dy, third_version);
  check_rank_of(x, third_version);
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

// Pixels by channels. Few channels leave vectors half empty, so some pixels, side by side, are a row; those that are
// left are rows of their own. Vectors for the channels are repeated along a row.
struct Pixels {
  std::int64_t count, channels;
  std::int64_t in_row = std::max<std::int64_t>(std::min(kLeastWidth / std::max<std::int64_t>(channels, 1), count), 1);

  static constexpr std::int64_t kLeastWidth = 64;

  std::int64_t width() const { return in_row * channels; }
  std::vector<float> repeated(const float* of_channels) const {
    std::vector<float> row(static_cast<std::size_t>(width()));
    for (std::int64_t i = 0; i < in_row; ++i) std::copy_n(of_channels, channels, row.data() + i * channels);
    return row;
  }
  // f(element, rows, width) for blocks of rows of pixels [from, to), in order. Polls between them.
  template <typename F>
  void in_blocks(std::int64_t from, std::int64_t to, const F& f) const {
    constexpr std::int64_t kElements = std::int64_t{1} << 15, kLeastRows = 8;
    const std::int64_t most = std::max(kElements / std::max<std::int64_t>(width(), 1), kLeastRows);
    auto blocks = [&](std::int64_t rows, std::int64_t pixels) {
      for (std::int64_t row = 0; row < rows; row += most, poll()) {
        const std::int64_t now = std::min(most, rows - row);
        f((from + row * pixels) * channels, now, pixels * channels);
      }
      from += rows * pixels;
    };
    blocks((to - from) / in_row, in_row);
    blocks(to - from, 1);
  }
};

// Nanoseconds for an element of a pass.
constexpr double kBatchNormCost = 0.05;

// f(chunk, from, to) for chunks of pixels, on several threads. Their number depends on the sizes alone.
template <typename F>
void in_chunks(const KernelContext& c, const Pixels& p, std::int64_t chunks, const F& f) {
  const std::int64_t in_chunk = chunks * p.in_row, each = (p.count + in_chunk - 1) / in_chunk * p.in_row;
  c.parallel_for(chunks, kBatchNormCost * static_cast<double>(each * p.channels),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t k = begin; k < end; ++k)
                     f(k, std::min(k * each, p.count), std::min((k + 1) * each, p.count));
                 });
}
std::int64_t chunks_of(const Pixels& p) {
  constexpr std::int64_t kChunks = 32, kLeastElements = 1 << 14;
  return std::clamp<std::int64_t>(p.count * p.channels / kLeastElements, 1, kChunks);
}

// Adds the parts of a row to those of the channels.
void fold(const float* row, std::int64_t width, std::int64_t channels, double* sums) {
  for (std::int64_t i = 0; i < width; i += channels)
    for (std::int64_t k = 0; k < channels; ++k) sums[k] += static_cast<double>(row[i + k]);
}

// The number of elements, and for each channel their sum and the sum of the squares of their distances from the mean.
struct Moments {
  double count = 0;
  std::vector<double> sums, squares;

  explicit Moments(std::int64_t channels)
      : sums(static_cast<std::size_t>(channels)), squares(static_cast<std::size_t>(channels)) {}
  double mean(std::size_t k) const { return sums[k] / count; }
  double variance(std::size_t k) const { return squares[k] / count; }
  // The moments of both (T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise algorithm for
  // computing sample variances", 1979).
  void add(const Moments& other) {
    if (other.count == 0) return;
    if (count == 0) return static_cast<void>(*this = other);
    const double all = count + other.count;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const double distance = other.mean(k) - mean(k);
      squares[k] += other.squares[k] + distance * distance * count * other.count / all;
      sums[k] += other.sums[k];
    }
    count = all;
  }
};

// Block by block, each about the mean of those before: the sums of a block are exact enough then.
Moments moments_of_chunk(const Pixels& p, const float* x, std::int64_t from, std::int64_t to) {
  const auto moments = kernel_table().normalization.moments;
  Moments all(p.channels);
  const auto width = static_cast<std::size_t>(p.width());
  std::vector<float> sums(width), squares(width), near(static_cast<std::size_t>(p.channels));
  auto block = [&](std::int64_t at, std::int64_t rows, std::int64_t row_width) {
    const std::vector<float> center = p.repeated(near.data());
    moments(x + at, center.data(), rows, row_width, sums.data(), squares.data());
    Moments now(p.channels);
    fold(sums.data(), row_width, p.channels, now.sums.data());
    fold(squares.data(), row_width, p.channels, now.squares.data());
    now.count = static_cast<double>(rows * row_width / p.channels);
    for (std::size_t k = 0; k < near.size(); ++k) {
      now.squares[k] = std::max(now.squares[k] - now.sums[k] * now.sums[k] / now.count, 0.0);
      now.sums[k] += static_cast<double>(near[k]) * now.count;
    }
    return now;
  };
  auto move_near = [&](const Moments& m) {
    for (std::size_t k = 0; k < near.size(); ++k) {
      const auto mean = static_cast<float>(m.mean(k));
      near[k] = std::isfinite(mean) ? mean : 0;
    }
  };
  // The first block has no mean before it.
  bool first = true;
  p.in_blocks(from, to, [&](std::int64_t at, std::int64_t rows, std::int64_t row_width) {
    if (std::exchange(first, false)) move_near(block(at, rows, row_width));
    all.add(block(at, rows, row_width));
    move_near(all);
  });
  return all;
}

Moments moments_of(const KernelContext& c, const Pixels& p, const float* x) {
  const std::int64_t chunks = chunks_of(p);
  std::vector<Moments> parts(static_cast<std::size_t>(chunks), Moments(p.channels));
  in_chunks(c, p, chunks, [&](std::int64_t chunk, std::int64_t from, std::int64_t to) {
    parts[static_cast<std::size_t>(chunk)] = moments_of_chunk(p, x, from, to);
  });
  Moments all(p.channels);
  for (const Moments& part : parts) all.add(part);
  return all;
}

// The sums of dy for each channel, and then those of dy (x - center).
std::vector<double> gradient_sums(const KernelContext& c, const Pixels& p, const float* dy, const float* x,
                                  const std::vector<float>& center) {
  const std::int64_t chunks = chunks_of(p);
  const auto length = static_cast<std::size_t>(2 * p.channels);
  std::vector<double> parts(static_cast<std::size_t>(chunks) * length), all(length);
  in_chunks(c, p, chunks, [&](std::int64_t chunk, std::int64_t from, std::int64_t to) {
    std::vector<float> sums(center.size()), products(center.size());
    double* part = parts.data() + static_cast<std::size_t>(chunk) * length;
    p.in_blocks(from, to, [&](std::int64_t at, std::int64_t rows, std::int64_t width) {
      kernel_table().normalization.gradient_sums(dy + at, x + at, center.data(), rows, width, sums.data(),
                                                 products.data());
      fold(sums.data(), width, p.channels, part);
      fold(products.data(), width, p.channels, part + p.channels);
    });
  });
  for (std::size_t i = 0; i < parts.size(); ++i) all[i % length] += parts[i];
  return all;
}

// f(element, rows, width) for blocks of rows, on several threads.
template <typename F>
void for_blocks(const KernelContext& c, const Pixels& p, const F& f) {
  in_chunks(c, p, chunks_of(p), [&](std::int64_t, std::int64_t from, std::int64_t to) { p.in_blocks(from, to, f); });
}

void batch_norm(KernelContext& c) {
  const ImageLayout layout = layout_of(c.attr("data_format").s());
  const bool training = c.attr("is_training").b();
  const float epsilon = c.attr("epsilon").f(), factor = c.attr("exponential_avg_factor").f();
  const std::int64_t channels = c.input(0).dim(layout.channel());
  const std::int64_t rows = channels ? c.input(0).num_elements() / channels : 0;
  Tensor& out = c.output(0);
  const Tensor x = as_float(channels_last(c, c.input(0), layout));
  const Tensor scale = as_float(c.input(1)), offset = as_float(c.input(2));
  const Tensor mean = as_float(c.input(3)), variance = as_float(c.input(4));
  std::array<Tensor, 5> vectors;
  for (std::size_t j = 1; j < 5; ++j) {
    vectors[j] = wide_output(c.output(j));
    vectors[j].fill_zeros();
  }
  auto vector = [&](std::size_t j) { return vectors[j].mutable_data<float>(); };
  const Pixels pixels{rows, channels};
  std::vector<float> factors(static_cast<std::size_t>(channels)), centers(factors.size());
  Moments m(channels);
  if (training && rows > 0) m = moments_of(c, pixels, x.data<float>());
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
      center = vector(3)[k] = static_cast<float>(m.mean(at));
      spread = vector(4)[k] = static_cast<float>(m.variance(at));
      // What is averaged over batches is the unbiased estimate.
      const double n = static_cast<double>(rows);
      const auto unbiased = static_cast<float>(m.variance(at) * (n / std::max(n - 1, 1.0)));
      vector(1)[k] = factor == 1 ? center : (1 - factor) * mean.data<float>()[k] + factor * center;
      vector(2)[k] = factor == 1 ? unbiased : (1 - factor) * variance.data<float>()[k] + factor * unbiased;
    }
    factors[at] = scale.data<float>()[k] / std::sqrt(spread + epsilon);
    centers[at] = center;
  }
  for (std::size_t j = 1; j < 5; ++j) round_output(vectors[j], c.output(j));
  if (out.num_elements() == 0) return;
  Tensor narrow = images_for(out, layout), y = wide_output(narrow);
  const std::vector<float> center = pixels.repeated(centers.data()), factor_row = pixels.repeated(factors.data()),
                           offset_row = pixels.repeated(offset.data<float>());
  const float* from = x.data<float>();
  float* to = y.mutable_data<float>();
  for_blocks(c, pixels, [&](std::int64_t at, std::int64_t block_rows, std::int64_t width) {
    kernel_table().normalization.normalize(from + at, center.data(), factor_row.data(), offset_row.data(), block_rows,
                                           width, to + at);
  });
  round_output(y, narrow);
  store_channels_last(c, narrow, layout, out);
}

void third_batch_norm(KernelContext& c) {
  check_batch_norm(c);
  const std::int64_t channels = c.input(0).dim(layout_of(c.attr("data_format").s()).channel());
  c.allocate_output(0, c.input(0).dtype(), c.input(0).shape());
  for (std::size_t j = 1; j < 5; ++j) c.allocate_output(j, c.input(1).dtype(), Shape({channels}));
  // Nothing is kept here for the gradient; TensorFlow's kernel gives a zero in its place.
  c.allocate_output(5, c.input(1).dtype(), Shape()).fill_zeros();
  batch_norm(c);
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
  const Pixels pixels{rows, channels};
  const std::vector<float> center = pixels.repeated(mean);
  // For each channel, the sums of dy and of dy (x - mean).
  const std::vector<double> sums = gradient_sums(c, pixels, gradient, from, center);
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
  const std::vector<float> factor = pixels.repeated(factors.data()), dy_row = pixels.repeated(of_dy.data()),
                           x_row = pixels.repeated(of_x.data());
  for_blocks(c, pixels, [&](std::int64_t at, std::int64_t block_rows, std::int64_t width) {
    kernel_table().normalization.gradient(gradient + at, from + at, center.data(), factor.data(), dy_row.data(),
                                          x_row.data(), block_rows, width, to + at);
  });
  round_output(dx, narrow);
  store_channels_last(c, narrow, layout, out);
}

template <const std::string_view& op>
void grad_batch_norm(GradContext& c) {
  const bool training = c.attr("is_training").b();
  std::vector<Operand> inputs{c.dy(0), c.input(0), c.input(1), training ? c.output(3) : c.input(3),
                              training ? c.output(4) : c.input(4)};
  if (c.num_outputs() == 6) inputs.push_back(c.output(5));
  const Operands results = emit_all(
      op, inputs,
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

constexpr std::string_view kGradient1 = "FusedBatchNormGrad", kGradient2 = "FusedBatchNormGradV2",
                           kGradient3 = "FusedBatchNormGradV3";

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
         .kernel = third_batch_norm,
         .allocation = Allocation::kByValues,  // the shape rule does not know the last output
         .grad = grad_batch_norm<kGradient3>});
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
  // The versions before differ in types, and know no volumes.
  constexpr std::string_view images = "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                             factor = "exponential_avg_factor: float = 1.0";
  const std::string_view floats = "T: {half, bfloat16, float}";
  r.add({.name = "FusedBatchNorm",
         .inputs = {"x: T", "scale: T", "offset: T", "mean: T", "variance: T"},
         .outputs = {"y: T", "batch_mean: T", "batch_variance: T", "reserve_space_1: T", "reserve_space_2: T"},
         .attrs = {"T: {float}", epsilon, factor, images, training},
         .doc = "FusedBatchNormV3 of float32 images.",
         .infer = infer_batch_norm,
         .check = check_batch_norm,
         .kernel = batch_norm,
         .grad = grad_batch_norm<kGradient1>});
  r.add({.name = "FusedBatchNormV2",
         .inputs = {"x: T", "scale: U", "offset: U", "mean: U", "variance: U"},
         .outputs = {"y: T", "batch_mean: U", "batch_variance: U", "reserve_space_1: U", "reserve_space_2: U"},
         .attrs = {floats, "U: {float}", epsilon, factor, images, training},
         .doc = "FusedBatchNormV3 of images with float32 statistics.",
         .infer = infer_batch_norm,
         .check = check_batch_norm,
         .kernel = batch_norm,
         .grad = grad_batch_norm<kGradient2>});
  r.add({.name = kGradient1,
         .inputs = {"y_backprop: T", "x: T", "scale: T", "reserve_space_1: T", "reserve_space_2: T"},
         .outputs = {"x_backprop: T", "scale_backprop: T", "offset_backprop: T", "reserve_space_3: T",
                     "reserve_space_4: T"},
         .attrs = {"T: {float}", epsilon, images, training},
         .doc = "The gradients of FusedBatchNorm with respect to x, scale and offset.",
         .infer = infer_batch_norm_gradient,
         .check = check_batch_norm_gradient,
         .kernel = batch_norm_gradient,
         .grad = grad_batch_norm_gradient});
  r.add({.name = kGradient2,
         .inputs = {"y_backprop: T", "x: T", "scale: float", "reserve_space_1: U", "reserve_space_2: U"},
         .outputs = {"x_backprop: T", "scale_backprop: U", "offset_backprop: U", "reserve_space_3: U",
                     "reserve_space_4: U"},
         .attrs = {floats, "U: {float}", epsilon, images, training},
         .doc = "The gradients of FusedBatchNormV2 with respect to x, scale and offset.",
         .infer = infer_batch_norm_gradient,
         .check = check_batch_norm_gradient,
         .kernel = batch_norm_gradient,
         .grad = grad_batch_norm_gradient});
}

}  // namespace tracefn
