// Contrast, hue and saturation of images.
#include <algorithm>
#include <cmath>

#include "base/poll.h"
#include "ops/elementwise/as_float.h"
#include "ops/image/image.kernels.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/kernel_table.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void infer_adjusted(InferContext& c) {
  c.require_rank_at_least(0, 3);
  c.set_output(0, c.shape(0));
}
void infer_contrast(InferContext& c) {
  c.require_rank(1, 0);
  infer_adjusted(c);
}

void require_images(const Tensor& x) {
  if (x.rank() < 3) invalid_argument("input must be at least 3-D, got shape", x.shape().text());
}
void require_scalar(std::string_view name, const Tensor& t) {
  if (t.rank() != 0) invalid_argument(name, " must be scalar: ", t.shape().text());
}
void require_colors(const Tensor& x) {
  const std::int64_t channels = x.dim(x.rank() - 1);
  if (channels != 3) invalid_argument("input must have 3 channels but instead has ", channels, " channels.");
}

void check_contrast(const KernelContext& c) {
  require_images(c.input(0));
  require_scalar("contrast_factor", c.input(1));
}
void check_hue(const KernelContext& c) {
  require_images(c.input(0));
  require_scalar("delta", c.input(1));
  require_colors(c.input(0));
}
void check_saturation(const KernelContext& c) {
  require_images(c.input(0));
  require_scalar("scale", c.input(1));
  require_colors(c.input(0));
}

// How many pixels of so many channels kernels take at once, as one row of numbers.
std::int64_t pixels_at_once(std::int64_t channels) { return std::max<std::int64_t>(96 / channels, 1); }

// The mean of each channel of an image of `pixels` pixels; sums are those of rows of some pixels.
std::vector<float> channel_means(const float* x, std::int64_t pixels, std::int64_t channels) {
  constexpr std::int64_t kRows = 64;
  const std::int64_t together = pixels_at_once(channels);
  std::vector<double> sums(static_cast<std::size_t>(channels));
  std::vector<float> some(static_cast<std::size_t>(channels * together));
  for (std::int64_t first = 0; first < pixels;) {
    const std::int64_t rows = std::min(kRows, (pixels - first) / together),
                       count = rows > 0 ? together : pixels - first;
    std::fill(some.begin(), some.end(), 0.0f);
    kernel_table().image.add_columns(x + first * channels, std::max<std::int64_t>(rows, 1), count * channels,
                                     some.data());
    for (std::size_t k = 0; k < some.size(); ++k) sums[k % sums.size()] += some[k];
    first += std::max<std::int64_t>(rows, 1) * count;
    poll();
  }
  std::vector<float> means;
  for (double sum : sums) means.push_back(static_cast<float>(sum / static_cast<double>(pixels)));
  return means;
}

void contrast(KernelContext& c) {
  const Tensor x = as_float(c.input(0));
  Tensor out = wide_output(c.output(0));
  if (x.num_elements() == 0) return;
  const float factor = c.input(1).item<float>();
  const int rank = x.rank();
  const std::int64_t channels = x.dim(rank - 1), pixels = x.dim(rank - 3) * x.dim(rank - 2),
                     images = x.num_elements() / (pixels * channels);
  const float* from = x.data<float>();
  float* to = out.mutable_data<float>();
  c.parallel_for(images, 2.0 * static_cast<double>(pixels * channels), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t image = begin; image < end; ++image) {
      const float* source = from + image * pixels * channels;
      float* target = to + image * pixels * channels;
      const std::vector<float> means = channel_means(source, pixels, channels);
      const std::int64_t together = pixels_at_once(channels), width = together * channels;
      std::vector<float> centers;
      for (std::int64_t i = 0; i < together; ++i) centers.insert(centers.end(), means.begin(), means.end());
      auto scale = kernel_table().image.scale_about;
      in_slices(pixels / together, static_cast<double>(width), [&](std::int64_t first, std::int64_t last) {
        scale(source + first * width, last - first, width, centers.data(), factor, target + first * width);
      });
      const std::int64_t done = pixels / together * width;
      scale(source + done, 1, pixels * channels - done, centers.data(), factor, target + done);
    }
  });
  round_output(out, c.output(0));
}

// A color as its least and greatest component and its hue in [0, 6): a whole number for each of the six orders of the
// components, and how far the middle one is between the others.
struct HueRange {
  float hue, least, greatest;

  HueRange(float r, float g, float b) {
    float middle;
    int order;
    if (r < g) {
      if (b < r) {
        greatest = g, middle = r, least = b, order = 1;
      } else if (b > g) {
        greatest = b, middle = g, least = r, order = 3;
      } else {
        greatest = g, middle = b, least = r, order = 2;
      }
    } else {
      if (b < g) {
        greatest = r, middle = g, least = b, order = 0;
      } else if (b > r) {
        greatest = b, middle = r, least = g, order = 4;
      } else {
        greatest = r, middle = b, least = g, order = 5;
      }
    }
    if (greatest == least) {
      hue = 0;
      return;
    }
    const float part = (middle - least) / (greatest - least);
    hue = static_cast<float>(order) + (order % 2 == 0 ? part : 1 - part);
  }

  void rgb(float* to) const {
    const int order = hue >= 0 && hue < 6 ? static_cast<int>(hue) : 5;
    const float part = hue - static_cast<float>(order);
    const float middle = least + (order % 2 == 0 ? part : 1 - part) * (greatest - least);
    static constexpr int kPlaces[6][3] = {{2, 1, 0}, {1, 2, 0}, {0, 2, 1}, {0, 1, 2}, {1, 0, 2}, {2, 0, 1}};
    const float values[] = {least, middle, greatest};
    for (int i = 0; i < 3; ++i) to[i] = values[kPlaces[order][i]];
  }
};

// x in [0, size), as for angles.
float wrapped(float x, float size) {
  x = std::fmod(x, size);
  return x < 0 ? (x + size >= size ? 0 : x + size) : x;
}

// f(from, pixels, to) for runs of pixels of three floats.
template <typename F>
void for_colors(KernelContext& c, double cost, const F& f) {
  const Tensor x = as_float(c.input(0));
  Tensor out = wide_output(c.output(0));
  const float* from = x.data<float>();
  float* to = out.mutable_data<float>();
  c.parallel_for(x.num_elements() / 3, cost, [&](std::int64_t begin, std::int64_t end) {
    in_slices(begin, end, cost,
              [&](std::int64_t first, std::int64_t last) { f(from + 3 * first, last - first, to + 3 * first); });
  });
  round_output(out, c.output(0));
}

void hue(KernelContext& c) {
  const float delta = c.input(1).item<float>() * 6;
  for_colors(c, 10, [delta](const float* x, std::int64_t pixels, float* y) {
    for (std::int64_t i = 0; i < 3 * pixels; i += 3) {
      HueRange color(x[i], x[i + 1], x[i + 2]);
      color.hue = wrapped(color.hue + delta, 6);
      color.rgb(y + i);
    }
  });
}

void saturation(KernelContext& c) {
  const float scale = c.input(1).item<float>();
  for_colors(c, 3, [scale](const float* x, std::int64_t pixels, float* y) {
    kernel_table().image.saturate(x, pixels, scale, y);
  });
}

}  // namespace

void register_adjust(Registry& r) {
  constexpr std::string_view kFloats = "T: {half, float} = DT_FLOAT";
  r.add({.name = "AdjustContrastv2",
         .inputs = {"images: T", "contrast_factor: float"},
         .outputs = {"output: T"},
         .attrs = {kFloats},
         .doc = "(x - mean) * contrast_factor + mean, for the mean of each channel of each image.",
         .infer = infer_contrast,
         .check = check_contrast,
         .kernel = contrast,
         .grad = without_gradient});
  r.add({.name = "AdjustHue",
         .inputs = {"images: T", "delta: float"},
         .outputs = {"output: T"},
         .attrs = {kFloats},
         .doc = "RGB images whose hue, a number in [0, 1), is turned by delta.",
         .infer = infer_adjusted,
         .check = check_hue,
         .kernel = hue,
         .grad = without_gradient});
  r.add({.name = "AdjustSaturation",
         .inputs = {"images: T", "scale: float"},
         .outputs = {"output: T"},
         .attrs = {kFloats},
         .doc = "RGB images whose saturation is multiplied by scale and kept in [0, 1].",
         .infer = infer_adjusted,
         .check = check_saturation,
         .kernel = saturation,
         .grad = without_gradient});
}

}  // namespace tracefn
