// Loops over rows of pixels. Three channels, the common case, are read and written as four: the fourth number belongs
// to the next pixel, which is written later.
#include "ops/image/image.kernels.h"

#include <algorithm>

namespace tracefn {
namespace {

typedef float Four __attribute__((vector_size(16)));

Four load4(const float* x) {
  Four v;
  __builtin_memcpy(&v, x, sizeof v);
  return v;
}
void store4(Four v, float* y) { __builtin_memcpy(y, &v, sizeof v); }

// How many of the first pixels may be read and written as four channels: their last tap is not the last pixel of its
// row, and they are not the last pixel themselves.
std::int64_t count_wide(const PixelTaps& taps) {
  std::int64_t n = taps.count - 1;
  while (n > 0 && taps.first[n] > 0 && taps.pixels[taps.first[n] - 1] + 1 >= taps.in_width) --n;
  return std::max<std::int64_t>(n, 0);
}

// Sums of `channels` channels; a constant number of them stays in registers.
template <std::int64_t kChannels>
void gather_few(const float* row, const PixelTaps& taps, std::int64_t from, float* to) {
  for (std::int64_t x = from; x < taps.count; ++x) {
    float sum[kChannels] = {};
    for (std::int64_t t = taps.first[x]; t < taps.first[x + 1]; ++t) {
      const float* pixel = row + taps.pixels[t] * kChannels;
      for (std::int64_t c = 0; c < kChannels; ++c) sum[c] += pixel[c] * taps.weights[t];
    }
    for (std::int64_t c = 0; c < kChannels; ++c) to[x * kChannels + c] = sum[c];
  }
}

void gather_vectors(const float* row, const PixelTaps& taps, std::int64_t channels, std::int64_t end, float* to) {
  for (std::int64_t x = 0; x < end; ++x) {
    Four sum = {};
    for (std::int64_t t = taps.first[x]; t < taps.first[x + 1]; ++t)
      sum += load4(row + taps.pixels[t] * channels) * taps.weights[t];
    store4(sum, to + x * channels);
  }
}

void gather_many(const float* row, const PixelTaps& taps, std::int64_t channels, float* to) {
  for (std::int64_t x = 0; x < taps.count; ++x, to += channels) {
    std::fill_n(to, channels, 0.0f);
    for (std::int64_t t = taps.first[x]; t < taps.first[x + 1]; ++t) {
      const float *pixel = row + taps.pixels[t] * channels, weight = taps.weights[t];
#pragma omp simd
      for (std::int64_t c = 0; c < channels; ++c) to[c] += pixel[c] * weight;
    }
  }
}

void gather_pixels(const float* row, const PixelTaps& taps, std::int64_t channels, float* to) {
  if (channels == 1) return gather_few<1>(row, taps, 0, to);
  if (channels == 2) return gather_few<2>(row, taps, 0, to);
  if (channels == 4) return gather_vectors(row, taps, channels, taps.count, to);
  if (channels != 3) return gather_many(row, taps, channels, to);
  const std::int64_t wide = count_wide(taps);
  gather_vectors(row, taps, channels, wide, to);
  gather_few<3>(row, taps, wide, to);
}

void mix_some(const float* row, const PixelTaps& taps, std::int64_t channels, std::int64_t from, float* to) {
  for (std::int64_t x = from; x < taps.count; ++x) {
    const float *a = row + taps.pixels[2 * x] * channels, *b = row + taps.pixels[2 * x + 1] * channels,
                part = taps.weights[2 * x + 1];
    float* pixel = to + x * channels;
#pragma omp simd
    for (std::int64_t c = 0; c < channels; ++c) pixel[c] = a[c] + (b[c] - a[c]) * part;
  }
}

void mix_pixels(const float* row, const PixelTaps& taps, std::int64_t channels, float* to) {
  if (channels == 1) {
    for (std::int64_t x = 0; x < taps.count; ++x) {
      const float a = row[taps.pixels[2 * x]], b = row[taps.pixels[2 * x + 1]];
      to[x] = a + (b - a) * taps.weights[2 * x + 1];
    }
    return;
  }
  const std::int64_t wide = channels == 4 ? taps.count : channels == 3 ? count_wide(taps) : 0;
  for (std::int64_t x = 0; x < wide; ++x) {
    const Four a = load4(row + taps.pixels[2 * x] * channels), b = load4(row + taps.pixels[2 * x + 1] * channels);
    store4(a + (b - a) * taps.weights[2 * x + 1], to + x * channels);
  }
  mix_some(row, taps, channels, wide, to);
}

void mix_rows(const float* a, const float* b, float part, std::int64_t n, float* to) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) to[i] = a[i] + (b[i] - a[i]) * part;
}

void sum_rows(const float* const* rows, const float* weights, std::int64_t count, float scale, std::int64_t n,
              float* to) {
  // Short pieces of a row stay in the cache while all rows are added to them.
  constexpr std::int64_t kPiece = 1024;
  for (std::int64_t from = 0; from < n; from += kPiece) {
    const std::int64_t size = std::min(kPiece, n - from);
    float* sum = to + from;
    if (count == 4) {
      const float *a = rows[0] + from, *b = rows[1] + from, *c = rows[2] + from, *d = rows[3] + from;
      const float wa = weights[0], wb = weights[1], wc = weights[2], wd = weights[3];
#pragma omp simd
      for (std::int64_t i = 0; i < size; ++i) sum[i] = (a[i] * wa + b[i] * wb + c[i] * wc + d[i] * wd) * scale;
      continue;
    }
    std::fill_n(sum, size, 0.0f);
    for (std::int64_t r = 0; r < count; ++r) {
      const float *row = rows[r] + from, weight = weights[r];
#pragma omp simd
      for (std::int64_t i = 0; i < size; ++i) sum[i] += row[i] * weight;
    }
    if (scale == 1) continue;
#pragma omp simd
    for (std::int64_t i = 0; i < size; ++i) sum[i] *= scale;
  }
}

template <typename T>
void to_float(const void* x, std::int64_t n, float* y) {
  const T* from = static_cast<const T*>(x);
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(from[i]);
}

void add_columns(const float* x, std::int64_t rows, std::int64_t width, float* sums) {
  for (std::int64_t i = 0; i < rows; ++i, x += width)
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j) sums[j] += x[j];
}

void scale_about(const float* x, std::int64_t rows, std::int64_t width, const float* centers, float factor, float* to) {
  for (std::int64_t i = 0; i < rows; ++i, x += width, to += width)
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j) to[j] = centers[j] + (x[j] - centers[j]) * factor;
}

}  // namespace

void fill_image(ImageKernels& k) {
  k = {};
  k.gather_pixels = gather_pixels;
  k.mix_pixels = mix_pixels;
  k.mix_rows = mix_rows;
  k.sum_rows = sum_rows;
  k.add_columns = add_columns;
  k.scale_about = scale_about;
  fill_colors(k);
  k.to_float[slot(DType::kDouble)] = to_float<double>;
  k.to_float[slot(DType::kInt8)] = to_float<std::int8_t>;
  k.to_float[slot(DType::kUInt8)] = to_float<std::uint8_t>;
  k.to_float[slot(DType::kInt16)] = to_float<std::int16_t>;
  k.to_float[slot(DType::kUInt16)] = to_float<std::uint16_t>;
  k.to_float[slot(DType::kInt32)] = to_float<std::int32_t>;
  k.to_float[slot(DType::kInt64)] = to_float<std::int64_t>;
}

}  // namespace tracefn
