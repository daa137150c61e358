// Pooling of lines, vectorized over channels: a block of channels stays in registers while the window is read.
#include "ops/pool/pool.kernels.h"

#include <algorithm>
#include <limits>

namespace tracefn {
namespace {

// The part of a window that lies inside the image.
struct Inside {
  std::int64_t from[3], to[3];
  std::int64_t count() const { return (to[0] - from[0]) * (to[1] - from[1]) * (to[2] - from[2]); }
};

void clip(const PoolImage& p, int axis, std::int64_t place, Inside& inside) {
  const std::int64_t start = place * p.stride[axis] - p.before[axis];
  inside.from[axis] = std::clamp<std::int64_t>(start, 0, p.in[axis]);
  inside.to[axis] = std::clamp<std::int64_t>(start + p.window[axis], inside.from[axis], p.in[axis]);
}

// Calls f(inside, the place's number) for the places of lines [first, last).
template <typename F>
void for_places(const PoolImage& p, std::int64_t first, std::int64_t last, const F& f) {
  Inside inside;
  for (std::int64_t line = first; line < last; ++line) {
    clip(p, 0, line / p.out[1], inside);
    clip(p, 1, line % p.out[1], inside);
    for (std::int64_t i = 0; i < p.out[2]; ++i) {
      clip(p, 2, i, inside);
      f(inside, line * p.out[2] + i);
    }
  }
}

// Calls f(pixel) for the pixels inside.
template <typename F>
[[gnu::always_inline]] inline void for_pixels(const PoolImage& p, const Inside& inside, const F& f) {
  for (std::int64_t d = inside.from[0]; d < inside.to[0]; ++d)
    for (std::int64_t h = inside.from[1]; h < inside.to[1]; ++h) {
      const std::int64_t line = (d * p.in[1] + h) * p.in[2];
      for (std::int64_t w = inside.from[2]; w < inside.to[2]; ++w) f(line + w);
    }
}

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

// As TensorFlow's: NaN is ignored, and less than the lowest number counts as it.
template <typename T>
void largest(const PoolImage& p, const void* from, void* to, std::int64_t first, std::int64_t last) {
  auto* x = static_cast<const T*>(from);
  auto* y = static_cast<T*>(to);
  for_places(p, first, last, [&](const Inside& inside, std::int64_t place) {
    in_blocks<T>(p.channels, [&]<std::int64_t n>(std::int64_t c) {
      T best[n];
      for (std::int64_t i = 0; i < n; ++i) best[i] = std::numeric_limits<T>::lowest();
      for_pixels(p, inside, [&](std::int64_t pixel) {
        const T* in = x + pixel * p.pixel + c;
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) best[i] = best[i] < in[i] ? in[i] : best[i];
      });
      T* out = y + place * p.pixel + c;
      for (std::int64_t i = 0; i < n; ++i) out[i] = best[i];
    });
  });
}

template <typename T>
void places(const PoolImage& p, const void* from, void* to, std::int32_t* at, std::int64_t first, std::int64_t last) {
  auto* x = static_cast<const T*>(from);
  auto* y = static_cast<T*>(to);
  for_places(p, first, last, [&](const Inside& inside, std::int64_t place) {
    in_blocks<T>(p.channels, [&]<std::int64_t n>(std::int64_t c) {
      T best[n];
      std::int32_t found[n];
      for (std::int64_t i = 0; i < n; ++i) best[i] = std::numeric_limits<T>::lowest(), found[i] = -1;
      for_pixels(p, inside, [&](std::int64_t pixel) {
        const T* in = x + pixel * p.pixel + c;
        const auto number = static_cast<std::int32_t>(pixel);
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) {
          const bool better = (best[i] < in[i]) | (found[i] < 0);
          best[i] = better ? in[i] : best[i];
          found[i] = better ? number : found[i];
        }
      });
      for (std::int64_t i = 0; i < n; ++i) at[(place - first * p.out[2]) * p.channels + c + i] = found[i];
      if (!y) return;
      T* out = y + place * p.pixel + c;
      for (std::int64_t i = 0; i < n; ++i) out[i] = best[i];
    });
  });
}

template <typename T>
void average(const PoolImage& p, const void* from, void* to, std::int64_t first, std::int64_t last) {
  auto* x = static_cast<const T*>(from);
  auto* y = static_cast<T*>(to);
  for_places(p, first, last, [&](const Inside& inside, std::int64_t place) {
    const T count = static_cast<T>(inside.count());
    in_blocks<T>(p.channels, [&]<std::int64_t n>(std::int64_t c) {
      T sum[n];
      for (std::int64_t i = 0; i < n; ++i) sum[i] = T(0);
      for_pixels(p, inside, [&](std::int64_t pixel) {
        const T* in = x + pixel * p.pixel + c;
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) sum[i] += in[i];
      });
      T* out = y + place * p.pixel + c;
      for (std::int64_t i = 0; i < n; ++i) out[i] = sum[i] / count;
    });
  });
}

template <typename T>
void average_gradient(const PoolImage& p, const void* from, void* to, std::int64_t first, std::int64_t last) {
  auto* dy = static_cast<const T*>(from);
  auto* dx = static_cast<T*>(to);
  for_places(p, first, last, [&](const Inside& inside, std::int64_t place) {
    const T share = T(1) / static_cast<T>(inside.count());
    in_blocks<T>(p.channels, [&]<std::int64_t n>(std::int64_t c) {
      T part[n];
      const T* in = dy + place * p.pixel + c;
      for (std::int64_t i = 0; i < n; ++i) part[i] = in[i] * share;
      for_pixels(p, inside, [&](std::int64_t pixel) {
        T* out = dx + pixel * p.pixel + c;
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) out[i] += part[i];
      });
    });
  });
}

template <typename T>
void fill_order(PoolKernels& kernels, DType dtype) {
  kernels.largest[slot(dtype)] = largest<T>;
  kernels.places[slot(dtype)] = places<T>;
}

template <typename T>
void fill_floating(PoolKernels& kernels, DType dtype) {
  fill_order<T>(kernels, dtype);
  kernels.average[slot(dtype)] = average<T>;
  kernels.average_gradient[slot(dtype)] = average_gradient<T>;
}

}  // namespace

void fill_pool(PoolKernels& kernels) {
  fill_floating<float>(kernels, DType::kFloat);
  fill_floating<double>(kernels, DType::kDouble);
  fill_order<std::int8_t>(kernels, DType::kInt8);
  fill_order<std::int16_t>(kernels, DType::kInt16);
  fill_order<std::int32_t>(kernels, DType::kInt32);
  fill_order<std::int64_t>(kernels, DType::kInt64);
  fill_order<std::uint8_t>(kernels, DType::kUInt8);
  fill_order<std::uint16_t>(kernels, DType::kUInt16);
  fill_order<std::uint32_t>(kernels, DType::kUInt32);
  fill_order<std::uint64_t>(kernels, DType::kUInt64);
}

}  // namespace tracefn
