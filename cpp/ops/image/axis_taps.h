// Which pixels of a row a resized row is made of, and with which weights: one axis of a resized image. The same taps
// serve rows and columns.
#pragma once

#include <string_view>
#include <vector>

#include "ops/image/image.kernels.h"

namespace tracefn {

// How the pixels of two sizes correspond.
struct ResizeScale {
  std::int64_t in, out;
  float scale;  // pixels of the input for a pixel of the output
  bool half_pixel_centers;

  ResizeScale(std::int64_t in_size, std::int64_t out_size, bool align_corners, bool half_pixels);
  // Where the center of pixel x of the output lies in the input.
  float place(std::int64_t x) const {
    const float at = static_cast<float>(static_cast<std::int32_t>(x));
    return half_pixel_centers ? (at + 0.5f) * scale - 0.5f : at * scale;
  }
};

struct AxisTaps {
  std::int64_t in = 0;  // pixels of the input
  std::vector<std::int64_t> first{0};
  std::vector<std::int32_t> pixels;
  std::vector<float> weights;

  std::int64_t count() const { return static_cast<std::int64_t>(first.size()) - 1; }
  std::int64_t taps_of(std::int64_t x) const { return first[at(x) + 1] - first[at(x)]; }
  std::int64_t most() const;
  const std::int32_t* pixels_of(std::int64_t x) const { return pixels.data() + first[at(x)]; }
  const float* weights_of(std::int64_t x) const { return weights.data() + first[at(x)]; }
  PixelTaps view() const { return {count(), first.data(), pixels.data(), weights.data(), in}; }

  void add(std::int64_t pixel, float weight) {
    pixels.push_back(static_cast<std::int32_t>(pixel));
    weights.push_back(weight);
  }
  void close() { first.push_back(static_cast<std::int64_t>(pixels.size())); }

 private:
  static std::size_t at(std::int64_t x) { return static_cast<std::size_t>(x); }
};

// Two taps for each pixel; their weights sum to 1.
AxisTaps bilinear_taps(const ResizeScale& s);
// Four taps: Keys, "Cubic convolution interpolation for digital image processing", 1981; with his a = -0.5 for half
// pixel centers, and a = -0.75 without. TensorFlow reads the weights from a table of 1024 places between two pixels.
AxisTaps bicubic_taps(const ResizeScale& s);
// As many taps as pixels of the input that a pixel of the output covers; the weights are the parts of them that it
// covers.
AxisTaps area_taps(const ResizeScale& s);

// Whether TensorFlow's ScaleAndTranslate knows the kernel.
bool is_sampling_kernel(std::string_view kernel);
// The taps of ScaleAndTranslate: a pixel of the output has its center at (x + 0.5 - translation) / scale of the input.
// With `antialias` the kernel is as wide as a pixel of the output.
AxisTaps sampling_taps(std::string_view kernel, std::int64_t in, std::int64_t out, float scale, float translation,
                       bool antialias);

// Which pixels of the output have a tap at each pixel of the input: the other direction.
AxisTaps transposed_taps(const AxisTaps& taps);

}  // namespace tracefn
