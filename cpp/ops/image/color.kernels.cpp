// Colors between RGB and HSV. The formulas are those of Smith, "Color gamut transform pairs", 1978; hue is in [0, 1).
#include <algorithm>

#include "math/vector_bits.h"
#include "ops/image/image.kernels.h"

namespace tracefn {
namespace {

template <typename T>
struct Color {
  T first, second, third;
};

template <typename T>
[[gnu::always_inline]] inline Color<T> to_hsv(T r, T g, T b) {
  const T larger = choose(b > g, b, g), smaller = choose(b < g, b, g);
  const T value = choose(larger > r, larger, r), range = value - choose(smaller < r, smaller, r);
  const T norm = (T(1) / range) * (T(1) / T(6));
  T hue = choose(g == value, norm * (b - r) + T(2) / T(6), norm * (r - g) + T(4) / T(6));
  hue = choose(r == value, norm * (g - b), hue);
  hue = choose(range > T(0), hue, T(0));
  hue = choose(hue < T(0), hue + T(1), hue);
  const T saturation = range / value;
  return {hue, choose(value > T(0), saturation, T(0)), value};
}

template <typename T>
[[gnu::always_inline]] inline T unit(T x) {
  const T positive = choose(x < T(0), T(0), x);
  return choose(positive > T(1), T(1), positive);
}
template <typename T>
[[gnu::always_inline]] inline T size_of_number(T x) {
  return choose(x < T(0), -x, x);
}
template <typename T>
[[gnu::always_inline]] inline Color<T> to_rgb(T hue, T s, T v) {
  const T at = hue * T(6), rest = T(1) - s;
  const T r = unit(size_of_number(at - T(3)) - T(1)), g = unit(T(2) - size_of_number(at - T(2))),
          b = unit(T(2) - size_of_number(at - T(4)));
  return {(rest + s * r) * v, (rest + s * g) * v, (rest + s * b) * v};
}

// The color that was (r, g, b), with its saturation times `scale`.
[[gnu::always_inline]] inline Color<float> with_saturation(float r, float g, float b, float scale) {
  const float larger = choose(g < b, b, g), smaller = choose(b < g, b, g);
  const float value = choose(r < larger, larger, r), range = value - choose(smaller < r, smaller, r);
  const float norm = 1.0f / (6.0f * range);
  float hue = choose(g == value, norm * (b - r) + 2.0f / 6.0f, norm * (r - g) + 4.0f / 6.0f);
  hue = choose(r == value, norm * (g - b), hue);
  hue = choose(hue < 0.0f, hue + 1.0f, hue);
  hue = choose(range > 0.0f, hue, 0.0f);
  const float saturation = range / value;
  const float scaled = choose(value > 0.0f, saturation, 0.0f) * scale, positive = choose(0.0f < scaled, scaled, 0.0f);
  const float chroma = choose(positive < 1.0f, positive, 1.0f) * value, rest = value - chroma, at = hue * 6.0f;
  // How far the middle component is from the ends of its sixth of the circle.
  const float place = at - choose(at >= 2.0f, 2.0f, 0.0f) - choose(at >= 4.0f, 2.0f, 0.0f);
  const float middle = chroma * (1.0f - size_of_number(place - 1.0f));
  // Sixth by sixth of the circle, in which another component is the greatest, or the middle one. NaN is in none.
  auto from = [at](float first, float yes, float no) { return choose(at >= first, yes, no); };
  auto inside = [&](float x) { return from(6.0f, 0.0f, from(0.0f, x, 0.0f)); };
  const float red = from(5.0f, chroma, from(4.0f, middle, from(2.0f, 0.0f, from(1.0f, middle, chroma))));
  const float green = from(4.0f, 0.0f, from(3.0f, middle, from(1.0f, chroma, middle)));
  const float blue = from(5.0f, middle, from(3.0f, chroma, from(2.0f, middle, 0.0f)));
  return {inside(red) + rest, inside(green) + rest, inside(blue) + rest};
}

// Some pixels at a time, each component by itself, so that the formulas run in vectors.
template <typename T, typename F>
[[gnu::always_inline]] inline void convert_pixels(const T* x, std::int64_t n, T* y, const F& converted) {
  constexpr std::int64_t kPixels = 64;
  alignas(64) T a[kPixels] = {}, b[kPixels] = {}, c[kPixels] = {};
  for (std::int64_t done = 0; done < n; done += kPixels) {
    const std::int64_t count = std::min(kPixels, n - done);
    for (std::int64_t i = 0; i < count; ++i) {
      a[i] = x[3 * (done + i)];
      b[i] = x[3 * (done + i) + 1];
      c[i] = x[3 * (done + i) + 2];
    }
#pragma omp simd
    for (std::int64_t i = 0; i < kPixels; ++i) {
      const Color<T> color = converted(a[i], b[i], c[i]);
      a[i] = color.first;
      b[i] = color.second;
      c[i] = color.third;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      y[3 * (done + i)] = a[i];
      y[3 * (done + i) + 1] = b[i];
      y[3 * (done + i) + 2] = c[i];
    }
  }
}

template <typename T, Color<T> (*kConvert)(T, T, T)>
void convert(const void* from, std::int64_t n, void* to) {
  convert_pixels(static_cast<const T*>(from), n, static_cast<T*>(to), kConvert);
}

void saturate(const float* from, std::int64_t n, float scale, float* to) {
  convert_pixels(
      from, n, to, [scale](float r, float g, float b) __attribute__((always_inline)) {
        return with_saturation(r, g, b, scale);
      });
}

}  // namespace

void fill_colors(ImageKernels& kernels) {
  kernels.to_hsv = {convert<float, to_hsv<float>>, convert<double, to_hsv<double>>};
  kernels.to_rgb = {convert<float, to_rgb<float>>, convert<double, to_rgb<double>>};
  kernels.saturate = saturate;
}

}  // namespace tracefn
