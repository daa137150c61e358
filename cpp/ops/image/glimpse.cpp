// Windows of images around given places. What is beyond the image is noise.
#include <cmath>
#include <random>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/random/sample_stream.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void infer_glimpse(InferContext& c) {
  c.require_rank(0, 4);
  c.require_rank(2, 2);
  const std::int64_t batch = merge_dims(dim_of(c.shape(0), 0), dim_of(c.shape(2), 0));
  require_size(dim_of(c.shape(2), 1), 2);
  const std::string& noise = c.attr("noise").s();
  if (!c.running() && c.attr("uniform_noise").b() && !noise.empty() && noise != "uniform")
    invalid_argument("The uniform_noise and noise should not be specified at the same time");
  set_sized_images(c, batch, 1, dim_of(c.shape(0), 3));
}

enum class Noise : std::uint8_t { kUniform, kGaussian, kZero };

Noise noise_of(const KernelContext& c) {
  const std::string& noise = c.attr("noise").s();
  const bool uniform = c.attr("uniform_noise").b();
  if (uniform && !noise.empty() && noise != "uniform")
    invalid_argument("The uniform_noise and noise could not be specified at the same time");
  if (noise.empty()) return uniform ? Noise::kUniform : Noise::kGaussian;
  if (noise == "uniform") return Noise::kUniform;
  if (noise == "gaussian") return Noise::kGaussian;
  if (noise == "zero") return Noise::kZero;
  invalid_argument("The noise could only be uniform, gaussian, or zero, got", noise);
}

void check_glimpse(const KernelContext& c) {
  noise_of(c);
  const Tensor &x = c.input(0), &size = c.input(1), &offsets = c.input(2);
  if (x.rank() != 4)
    invalid_argument("input must be 4-dimensional (batch_size, height, width, depth)", x.shape().text());
  if (size.rank() != 1 || size.dim(0) != 2)
    invalid_argument("input must be a vector of size 2 (height, width)", size.shape().text());
  for (std::int64_t i : {0, 1})
    if (size.int_at(i) < 0) invalid_argument("Expected a non-negative size, got ", size.int_at(i));
  if (offsets.rank() != 2) invalid_argument("input must be a matrix", offsets.shape().text());
  if (offsets.dim(0) != x.dim(0)) invalid_argument("first dimension should be batch", offsets.shape().text());
  if (offsets.dim(1) != 2) invalid_argument("second dimension should be of size 2 (y,x)", offsets.shape().text());
}

// Along one axis: the part [from, from + count) of the window, which the image has from its pixel `image` on.
struct Overlap {
  std::int64_t from = 0, image = 0, count = 0;
  bool partial = false;

  Overlap(float at, std::int64_t window, std::int64_t size) : count(window) {
    constexpr float kFar = 0x1p40f;  // farther than any window is long
    const auto start = static_cast<std::int64_t>(std::isnan(at) ? -kFar : std::clamp(at, -kFar, kFar));
    image = start;
    if (start < 0) {
      image = 0;
      count = std::max<std::int64_t>(0, window + start);
      from = window - count;
      partial = true;
    } else if (start + window >= size) {
      count = std::max<std::int64_t>(0, size - start);
      partial = true;
    }
    count = std::min(count, size);
  }
};

// Where a window begins.
float start_of(float offset, std::int64_t window, std::int64_t size, bool normalized, bool centered,
               bool first_version) {
  const auto length = static_cast<float>(size), half = length / 2, half_window = static_cast<float>(window) / 2;
  if (first_version) {
    const float at = normalized ? offset * length : offset;
    return (centered ? at / 2 + half : at) - half_window;
  }
  if (!normalized) return centered ? offset + half : offset;
  return centered ? offset * length / 2 + half - half_window : offset * length;
}

// Fills a window with noise of the range, or of the moments, of an image.
void fill_noise(const float* image, std::int64_t pixels, std::int64_t channels, Noise noise, SampleStream& draws,
                float* to, std::int64_t count) {
  if (noise == Noise::kZero || pixels == 0) {
    std::fill_n(to, count * channels, 0.0f);
    return;
  }
  if (noise == Noise::kUniform) {
    const auto [least, most] = std::minmax_element(image, image + pixels * channels);
    for (std::int64_t i = 0; i < count * channels; ++i)
      to[i] = *least + static_cast<float>(draws.uniform()) * (*most - *least);
    return;
  }
  for (std::int64_t k = 0; k < channels; ++k) {
    double sum = 0, squares = 0;
    float least = image[k], most = image[k];
    for (std::int64_t i = 0; i < pixels; ++i) {
      const float v = image[i * channels + k];
      sum += v;
      least = std::min(least, v);
      most = std::max(most, v);
    }
    const double mean = sum / static_cast<double>(pixels);
    for (std::int64_t i = 0; i < pixels; ++i) {
      const double d = image[i * channels + k] - mean;
      squares += d * d;
    }
    const double sigma = std::sqrt(squares / static_cast<double>(pixels));
    for (std::int64_t i = 0; i < count; ++i)
      to[i * channels + k] = std::max(std::min(static_cast<float>(mean + draws.normal() * sigma), most), least);
  }
}

template <bool first_version>
void glimpse(KernelContext& c) {
  const Tensor &x = c.input(0), &offsets = c.input(2);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const bool normalized = c.attr("normalized").b(), centered = c.attr("centered").b();
  const Noise noise = noise_of(c);
  std::random_device entropy;
  SampleStream draws(Philox::of(static_cast<std::uint64_t>(entropy()) << 32 | entropy(), 0, entropy()), 0);
  const std::int64_t height = x.dim(1), width = x.dim(2), channels = x.dim(3), rows = out.dim(1), columns = out.dim(2);
  for (std::int64_t i = 0; i < x.dim(0); ++i) {
    const float* at = offsets.data<float>() + 2 * i;
    const Overlap ys(start_of(at[0], rows, height, normalized, centered, first_version), rows, height),
        xs(start_of(at[1], columns, width, normalized, centered, first_version), columns, width);
    const float* image = x.data<float>() + i * height * width * channels;
    float* to = out.mutable_data<float>() + i * rows * columns * channels;
    if (ys.partial || xs.partial) fill_noise(image, height * width, channels, noise, draws, to, rows * columns);
    for (std::int64_t row = 0; row < ys.count; ++row) {
      const float* from = image + ((ys.image + row) * width + xs.image) * channels;
      std::copy(from, from + xs.count * channels, to + ((ys.from + row) * columns + xs.from) * channels);
    }
    poll();
  }
}

}  // namespace

void register_glimpse(Registry& r) {
  const std::vector<std::string_view> inputs = {"input: float", "size: int32", "offsets: float"},
                                      outputs = {"glimpse: float"},
                                      attrs = {"centered: bool = true", "normalized: bool = true",
                                               "uniform_noise: bool = true", "noise: string = 'uniform'"};
  const std::string_view doc = "Windows of images around given places; what is beyond an image is noise.";
  r.add({.name = "ExtractGlimpse",
         .inputs = inputs,
         .outputs = outputs,
         .attrs = attrs,
         .doc = doc,
         .infer = infer_glimpse,
         .check = check_glimpse,
         .kernel = glimpse<true>,
         .grad = not_differentiable});
  r.add({.name = "ExtractGlimpseV2",
         .inputs = inputs,
         .outputs = outputs,
         .attrs = attrs,
         .doc = doc,
         .infer = infer_glimpse,
         .check = check_glimpse,
         .kernel = glimpse<false>,
         .grad = without_gradient});
}

}  // namespace tracefn
