// Weights of interpolation: TensorFlow's formulas, in floats as there.
#include "ops/image/axis_taps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tracefn {
namespace {

std::int64_t inside(std::int64_t pixel, std::int64_t size) { return std::clamp<std::int64_t>(pixel, 0, size - 1); }

constexpr std::int64_t kCubicPlaces = 1024;

// The cubic kernel at distances below 1 and from 1 to 2.
// They are computed as doubles, and then rounded.
float near_weight(double a, double x) { return static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1); }
float far_weight(double a, double x) { return static_cast<float>(((a * x - 5 * a) * x + 8 * a) * x - 4 * a); }

// Sums this small are no weights to divide by.
bool divides(float sum) { return std::abs(sum) >= 1000.0f * std::numeric_limits<float>::min(); }

struct Kernel {
  std::string_view name;
  float radius;
  float (*weight)(float distance);
};

template <int radius>
float lanczos(float x) {
  constexpr float kPi = 3.14159265359f;
  if (x > radius) return 0;
  if (x <= 1e-3f) return 1;
  return radius * std::sin(kPi * x) * std::sin(kPi * x / radius) / (kPi * kPi * x * x);
}
float gaussian(float x) {
  constexpr float kRadius = 1.5f, kSigma = kRadius / 3;
  return x >= kRadius ? 0 : static_cast<float>(std::exp(-x * x / (2.0 * kSigma * kSigma)));
}
float box(float x) { return x < 0.5f ? 1.0f : x == 0.5f ? 0.5f : 0.0f; }
float triangle(float x) { return x < 1 ? 1 - x : 0; }
float keys_cubic(float x) {
  if (x >= 2) return 0;
  return x >= 1 ? ((-0.5f * x + 2.5f) * x - 4.0f) * x + 2.0f : ((1.5f * x - 2.5f) * x) * x + 1.0f;
}
// Mitchell and Netravali, "Reconstruction filters in computer graphics", 1988.
float mitchell_cubic(float x) {
  if (x >= 2) return 0;
  return x >= 1 ? (((-7.0f / 18.0f) * x + 2.0f) * x - 10.0f / 3.0f) * x + 16.0f / 9.0f
                : (((7.0f / 6.0f) * x - 2.0f) * x) * x + 8.0f / 9.0f;
}

constexpr Kernel kKernels[] = {
    {"lanczos1", 1, lanczos<1>},
    {"lanczos3", 3, lanczos<3>},
    {"lanczos5", 5, lanczos<5>},
    {"gaussian", 1.5f, gaussian},
    {"box", 1, box},
    {"triangle", 1, triangle},
    {"keyscubic", 2, keys_cubic},
    {"mitchellcubic", 2, mitchell_cubic},
};

const Kernel* find_kernel(std::string_view name) {
  for (const Kernel& k : kKernels)
    if (k.name == name) return &k;
  return nullptr;
}

}  // namespace

ResizeScale::ResizeScale(std::int64_t in_size, std::int64_t out_size, bool align_corners, bool half_pixels)
    : in(in_size),
      out(out_size),
      scale(align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                     : static_cast<float>(in) / static_cast<float>(out)),
      half_pixel_centers(half_pixels) {}

std::int64_t AxisTaps::most() const {
  std::int64_t most = 1;
  for (std::int64_t x = 0; x < count(); ++x) most = std::max(most, taps_of(x));
  return most;
}

AxisTaps bilinear_taps(const ResizeScale& s) {
  AxisTaps taps{.in = s.in};
  for (std::int64_t x = 0; x < s.out; ++x) {
    const float at = s.place(x), floor = std::floor(at), part = at - floor;
    taps.add(inside(static_cast<std::int64_t>(floor), s.in), 1 - part);
    taps.add(inside(static_cast<std::int64_t>(std::ceil(at)), s.in), part);
    taps.close();
  }
  return taps;
}

AxisTaps bicubic_taps(const ResizeScale& s) {
  const double a = s.half_pixel_centers ? -0.5 : -0.75;
  constexpr float kPlaces = kCubicPlaces;
  AxisTaps taps{.in = s.in};
  for (std::int64_t x = 0; x < s.out; ++x) {
    const float at = s.place(x);
    const auto pixel = static_cast<std::int64_t>(std::floor(at));
    const float part = static_cast<float>(std::lrintf((at - static_cast<float>(pixel)) * kPlaces)) / kPlaces;
    float weights[] = {far_weight(a, part + 1), near_weight(a, part), near_weight(a, 1 - part),
                       far_weight(a, 2 - part)};
    if (s.half_pixel_centers) {
      // Pixels beyond the image do not count.
      float sum = 0;
      for (int k = 0; k < 4; ++k) {
        if (inside(pixel + k - 1, s.in) != pixel + k - 1) weights[k] = 0;
        sum += weights[k];
      }
      const float factor = 1.0f / sum;
      for (float& w : weights)
        if (divides(sum)) w *= factor;
    }
    for (int k = 0; k < 4; ++k) taps.add(inside(pixel + k - 1, s.in), weights[k]);
    taps.close();
  }
  return taps;
}

AxisTaps area_taps(const ResizeScale& s) {
  AxisTaps taps{.in = s.in};
  for (std::int64_t x = 0; x < s.out; ++x) {
    const float begin = static_cast<float>(x) * s.scale, end = static_cast<float>(x + 1) * s.scale;
    // At least one tap: with aligned corners of an image of one pixel, nothing is covered.
    const auto first = static_cast<std::int64_t>(std::floor(begin));
    const auto last = std::max(static_cast<std::int64_t>(std::ceil(end)), first);
    for (std::int64_t pixel = first; pixel < last; ++pixel) {
      const auto left = static_cast<float>(pixel), right = static_cast<float>(pixel + 1);
      float weight = 1;
      if (left < begin) {
        weight = right > end ? s.scale : right - begin;
      } else if (right > end) {
        weight = end - left;
      }
      taps.add(inside(pixel, s.in), weight);
    }
    taps.close();
  }
  return taps;
}

bool is_sampling_kernel(std::string_view kernel) { return find_kernel(kernel); }

AxisTaps sampling_taps(std::string_view kernel, std::int64_t in, std::int64_t out, float scale, float translation,
                       bool antialias) {
  const Kernel& k = *find_kernel(kernel);
  const auto inverse = static_cast<float>(1.0 / scale);
  const float shift = -inverse * translation;
  const float wide = antialias ? std::max(inverse, 1.0f) : 1.0f, narrow = 1.0f / wide;
  AxisTaps taps{.in = in};
  std::vector<float> weights;
  for (std::int64_t x = 0; x < out; ++x) {
    const float at = (static_cast<float>(x) + 0.5f) * inverse + shift;
    // NaN is outside, too.
    if (!(at >= 0 && at <= static_cast<float>(in))) {
      taps.close();
      continue;
    }
    const float reach = k.radius * wide, most = static_cast<float>(in);
    const std::int64_t first =
        inside(static_cast<std::int64_t>(std::ceil(std::clamp(at - reach - 0.5f, -1.0f, most))), in);
    const std::int64_t last =
        inside(static_cast<std::int64_t>(std::floor(std::clamp(at + reach - 0.5f, -1.0f, most))), in);
    float sum = 0;
    weights.clear();
    for (std::int64_t pixel = first; pixel <= last; ++pixel) {
      weights.push_back(k.weight(std::abs((static_cast<float>(pixel) + 0.5f - at) * narrow)));
      sum += weights.back();
    }
    if (divides(sum)) {
      const float factor = 1.0f / sum;
      for (std::size_t i = 0; i < weights.size(); ++i)
        taps.add(first + static_cast<std::int64_t>(i), weights[i] * factor);
    }
    taps.close();
  }
  return taps;
}

AxisTaps transposed_taps(const AxisTaps& taps) {
  struct Tap {
    std::int32_t pixel;
    float weight;
  };
  std::vector<std::vector<Tap>> of(static_cast<std::size_t>(taps.in));
  for (std::int64_t x = 0; x < taps.count(); ++x)
    for (std::int64_t t = 0; t < taps.taps_of(x); ++t)
      of[static_cast<std::size_t>(taps.pixels_of(x)[t])].push_back(
          {static_cast<std::int32_t>(x), taps.weights_of(x)[t]});
  AxisTaps result{.in = taps.count()};
  for (const std::vector<Tap>& pixel : of) {
    for (const Tap& t : pixel) result.add(t.pixel, t.weight);
    result.close();
  }
  return result;
}

}  // namespace tracefn
