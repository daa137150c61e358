// Depthwise convolutions, vectorized over channels.
#include "ops/conv/depthwise.kernels.h"

#include <algorithm>

#include "math/lanes.h"

namespace tracefn {
namespace {

// Four vectors of 32 bytes.
template <typename T>
inline constexpr std::int64_t kBlock = 128 / static_cast<std::int64_t>(sizeof(T));

// Calls f.operator()<n>(channel) for blocks of channels, n of them, and for single ones.
template <typename T, typename F>
[[gnu::always_inline]] inline void in_blocks(std::int64_t channels, const F& f) {
  std::int64_t c = 0;
  for (; c + kBlock<T> <= channels; c += kBlock<T>) f.template operator()<kBlock<T>>(c);
  for (; c + kBlock<T> / 4 <= channels; c += kBlock<T> / 4) f.template operator()<kBlock<T> / 4>(c);
  for (; c < channels; ++c) f.template operator()<1>(c);
}

template <typename T>
void lines(const DepthwiseImage& image, const void* from, const void* weights, void* to, std::int64_t first,
           std::int64_t last) {
  auto* x = static_cast<const T*>(from);
  auto* filter = static_cast<const T*>(weights);
  auto* y = static_cast<T*>(to);
  const auto& [height, width, channels] = image;
  for (std::int64_t line = first; line < last; ++line)
    for (std::int64_t place = 0; place < width.count; ++place) {
      T* out =
          y + ((height.first + line * height.stride) * width.stored + width.first + place * width.stride) * channels;
      in_blocks<T>(channels, [&]<std::int64_t n>(std::int64_t c) {
        T sum[n];
        for (std::int64_t i = 0; i < n; ++i) sum[i] = T(0);
        for (std::int64_t h = 0; h < height.taps; ++h) {
          const std::int64_t row = line * height.step + height.offsets[h];
          if (row < 0 || row >= height.size) continue;
          for (std::int64_t w = 0; w < width.taps; ++w) {
            const std::int64_t column = place * width.step + width.offsets[w];
            if (column < 0 || column >= width.size) continue;
            const T* in = x + (row * width.size + column) * channels + c;
            const T* factors = filter + (h * width.taps + w) * channels + c;
#pragma omp simd
            for (std::int64_t i = 0; i < n; ++i) sum[i] = madd(in[i], factors[i], sum[i]);
          }
        }
        for (std::int64_t i = 0; i < n; ++i) out[c + i] = sum[i];
      });
    }
}

template <typename T>
void filter(const DepthwiseImage& image, const void* from, const void* gradient, void* to, std::int64_t first,
            std::int64_t last) {
  auto* x = static_cast<const T*>(from);
  auto* dy = static_cast<const T*>(gradient);
  auto* result = static_cast<T*>(to);
  const auto& [height, width, channels] = image;
  for (std::int64_t line = first; line < last; ++line)
    for (std::int64_t h = 0; h < height.taps; ++h) {
      const std::int64_t row = line * height.step + height.offsets[h];
      if (row < 0 || row >= height.size) continue;
      for (std::int64_t w = 0; w < width.taps; ++w) {
        T* out = result + (h * width.taps + w) * channels;
        in_blocks<T>(channels, [&]<std::int64_t n>(std::int64_t c) {
          T sum[n];
          for (std::int64_t i = 0; i < n; ++i) sum[i] = out[c + i];
          for (std::int64_t place = 0; place < width.count; ++place) {
            const std::int64_t column = place * width.step + width.offsets[w];
            if (column < 0 || column >= width.size) continue;
            const T* in = x + (row * width.size + column) * channels + c;
            const T* factors = dy + (line * width.count + place) * channels + c;
#pragma omp simd
            for (std::int64_t i = 0; i < n; ++i) sum[i] = madd(in[i], factors[i], sum[i]);
          }
          for (std::int64_t i = 0; i < n; ++i) out[c + i] = sum[i];
        });
      }
    }
}

}  // namespace

void fill_depthwise(DepthwiseKernels& kernels) {
  kernels.lines[slot(DType::kFloat)] = lines<float>;
  kernels.lines[slot(DType::kDouble)] = lines<double>;
  kernels.filter[slot(DType::kFloat)] = filter<float>;
  kernels.filter[slot(DType::kDouble)] = filter<double>;
}

}  // namespace tracefn
