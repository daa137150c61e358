// Depthwise convolutions, vectorized over channels.
#include "ops/conv/depthwise.kernels.h"

#include <algorithm>

#include "ops/conv/window.kernels.h"
#include "ops/vectors.kernels.h"

namespace tracefn {
namespace {

bool has_many_taps(const DepthwiseImage& image) { return image.height.taps * image.width.taps > kLargeWindow; }

// The places [first, last) along one dimension at which taps [from, to) all lie inside.
struct Range {
  std::int64_t first, last;
};
Range places_inside(const DepthwiseAxis& axis, std::int64_t from, std::int64_t to) {
  if (from == to) return {0, axis.count};
  const auto [least, most] = std::minmax_element(axis.offsets + from, axis.offsets + to);
  // place * step + least >= 0 and place * step + most < size
  const std::int64_t first = *least >= 0 ? 0 : (-*least + axis.step - 1) / axis.step;
  const std::int64_t last = *most >= axis.size ? 0 : (axis.size - 1 - *most) / axis.step + 1;
  const std::int64_t end = std::min(last, axis.count);
  return {std::min(first, end), end};
}

// Channels of an image, in kVectors vectors; the last may have fewer.
template <typename T, int kVectors, bool kMasked>
struct Channels {
  Vector<T> of[kVectors];

  [[gnu::always_inline]] static Channels loaded(const T* from, [[maybe_unused]] int last) {
    Channels x;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const T* at = from + v * kVectorLanes<T>;
      x.of[v] = kMasked ? load_first(at, last) : load(at);
    }
    return x;
  }
  [[gnu::always_inline]] void store_to(T* to, [[maybe_unused]] int last) const {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      T* at = to + v * kVectorLanes<T>;
      kMasked ? store_first(at, of[v], last) : store(at, of[v]);
    }
  }
  [[gnu::always_inline]] void add_product(const Channels& a, const Channels& b) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) of[v] = multiply_add(a.of[v], b.of[v], of[v]);
  }
};

// Calls f.operator()<kVectors, kMasked>(channel, the number in the last vector) for all channels, until it returns
// false.
template <typename T, typename F>
[[gnu::always_inline]] inline bool in_vectors(std::int64_t channels, const F& f) {
  constexpr int kLanes = kVectorLanes<T>;
  std::int64_t c = 0;
  for (; c + 2 * kLanes <= channels; c += 2 * kLanes)
    if (!f.template operator()<2, false>(c, kLanes)) return false;
  for (; c + kLanes <= channels; c += kLanes)
    if (!f.template operator()<1, false>(c, kLanes)) return false;
  return c == channels || f.template operator()<1, true>(c, static_cast<int>(channels - c));
}

template <typename T>
struct Line {
  const DepthwiseImage& image;
  const T *x, *filter;
  T* y;  // of place 0
  std::int64_t line;
};

// kPlaces adjacent places: they share what is read of the filter. With kInside no tap is beyond the line's ends.
template <typename T, int kPlaces, bool kInside, bool asks>
bool at_places(const Line<T>& l, std::int64_t place, Work& work) {
  const auto& [height, width, channels, stop] = l.image;
  const std::int64_t apart = width.step * channels;
  return in_vectors<T>(channels, [&]<int kVectors, bool kMasked>(std::int64_t c, int last) {
    using Vectors = Channels<T, kVectors, kMasked>;
    Vectors sum[kPlaces] = {};
    for (std::int64_t h = 0; h < height.taps; ++h) {
      const std::int64_t row = l.line * height.step + height.offsets[h];
      if (row < 0 || row >= height.size) continue;
      const T* factors = l.filter + h * width.taps * channels + c;
      const T* in = l.x + (row * width.size + place * width.step) * channels + c;
      const bool going =
          in_pieces(0, width.taps, kPlaces * kVectors * kVectorLanes<T>, asks ? &work : nullptr, [&](std::int64_t w) {
            const std::int64_t offset = width.offsets[w];
            if (!kInside && (place * width.step + offset < 0 || place * width.step + offset >= width.size)) return;
            const auto factor = Vectors::loaded(factors + w * channels, last);
#pragma GCC unroll 8
            for (int p = 0; p < kPlaces; ++p)
              sum[p].add_product(Vectors::loaded(in + offset * channels + p * apart, last), factor);
          });
      if (!going) return false;
    }
#pragma GCC unroll 8
    for (int p = 0; p < kPlaces; ++p) sum[p].store_to(l.y + (place + p) * width.stride * channels + c, last);
    return true;
  });
}

// Where channels do not fill a vector and places are adjacent: a vector holds the channels of several places, and a
// factor is repeated in it. kBlocks blocks of as many places as a vector has lanes share what is read of the filter.
template <typename T, int kBlocks, bool asks>
bool at_packed_places(const Line<T>& l, std::int64_t place, Work& work) {
  constexpr int kLanes = kVectorLanes<T>;
  const auto& [height, width, channels, stop] = l.image;
  const auto factors_per_tap = static_cast<int>(channels);
  for (int v = 0; v < factors_per_tap; ++v) {
    const LaneOrder<T> channel_of([&](int lane) { return (v * kLanes + lane) % factors_per_tap; });
    Vector<T> sum[kBlocks] = {};
    for (std::int64_t h = 0; h < height.taps; ++h) {
      const std::int64_t row = l.line * height.step + height.offsets[h];
      if (row < 0 || row >= height.size) continue;
      const T* factors = l.filter + h * width.taps * channels;
      const T* in = l.x + (row * width.size + place) * channels + v * kLanes;
      const bool going = in_pieces(0, width.taps, kBlocks * kLanes, asks ? &work : nullptr, [&](std::int64_t w) {
        const Vector<T> factor = channel_of.of(load_first(factors + w * channels, factors_per_tap));
#pragma GCC unroll 8
        for (int b = 0; b < kBlocks; ++b)
          sum[b] = multiply_add(load(in + (width.offsets[w] + b * kLanes) * channels), factor, sum[b]);
      });
      if (!going) return false;
    }
#pragma GCC unroll 8
    for (int b = 0; b < kBlocks; ++b) store(l.y + (place + b * kLanes) * channels + v * kLanes, sum[b]);
  }
  return true;
}

template <typename T, bool asks>
bool lines(const DepthwiseImage& image, const void* x, const void* filter, void* y, std::int64_t first,
           std::int64_t last) {
  constexpr int kPlaces = 4, kLanes = kVectorLanes<T>, kBlocks = 4;
  const auto& [height, width, channels, stop] = image;
  const std::int64_t elements = height.taps * width.taps * channels;
  const bool packed = channels < kLanes && width.step == 1 && width.stride == 1;
  const Range inside = places_inside(width, 0, width.taps);
  Work work(stop);
  for (std::int64_t i = first; i < last; ++i) {
    const Line<T> line{
        image, static_cast<const T*>(x), static_cast<const T*>(filter),
        static_cast<T*>(y) + ((height.first + i * height.stride) * width.stored + width.first) * channels, i};
    for (std::int64_t place = 0; place < width.count;) {
      if (packed && place >= inside.first && place + kBlocks * kLanes <= inside.last) {
        if (!at_packed_places<T, kBlocks, asks>(line, place, work) || work.add(kBlocks * kLanes * elements))
          return false;
        place += kBlocks * kLanes;
      } else if (packed && place >= inside.first && place + kLanes <= inside.last) {
        if (!at_packed_places<T, 1, asks>(line, place, work) || work.add(kLanes * elements)) return false;
        place += kLanes;
      } else if (place >= inside.first && place + kPlaces <= inside.last) {
        if (!at_places<T, kPlaces, true, asks>(line, place, work) || work.add(kPlaces * elements)) return false;
        place += kPlaces;
      } else {
        if (!at_places<T, 1, false, asks>(line, place, work) || work.add(elements)) return false;
        ++place;
      }
    }
  }
  return true;
}

bool has_long_lines(const DepthwiseImage& image) { return image.width.count > kLargeWindow; }

// Taps [tap, tap + kTaps) of a row of the filter: they share what is read of dy. Adds what one line of the image, x,
// and one of dy give.
template <typename T, int kTaps, bool asks>
bool at_taps(const DepthwiseImage& image, const T* x, const T* dy, T* filter, std::int64_t tap, Work& work) {
  const DepthwiseAxis& width = image.width;
  const std::int64_t channels = image.channels;
  const Range inside = places_inside(width, tap, tap + kTaps);
  return in_vectors<T>(channels, [&]<int kVectors, bool kMasked>(std::int64_t c, int last) {
    using Vectors = Channels<T, kVectors, kMasked>;
    Vectors sum[kTaps];
    T* out = filter + tap * channels + c;
#pragma GCC unroll 4
    for (int t = 0; t < kTaps; ++t) sum[t] = Vectors::loaded(out + t * channels, last);
    std::int64_t offsets[kTaps];
    for (int t = 0; t < kTaps; ++t) offsets[t] = width.offsets[tap + t];
    auto add = [&]<bool kInside>(std::int64_t from, std::int64_t to) __attribute__((always_inline)) {
      return in_pieces(from, to, kTaps * kVectors * kVectorLanes<T>, asks ? &work : nullptr, [&](std::int64_t place) {
        const auto factor = Vectors::loaded(dy + place * channels + c, last);
#pragma GCC unroll 4
        for (int t = 0; t < kTaps; ++t) {
          const std::int64_t column = place * width.step + offsets[t];
          if (!kInside && (column < 0 || column >= width.size)) continue;
          sum[t].add_product(Vectors::loaded(x + column * channels + c, last), factor);
        }
      });
    };
    if (!add.template operator()<false>(0, inside.first) || !add.template operator()<true>(inside.first, inside.last) ||
        !add.template operator()<false>(inside.last, width.count))
      return false;
#pragma GCC unroll 4
    for (int t = 0; t < kTaps; ++t) sum[t].store_to(out + t * channels, last);
    return true;
  });
}

template <typename T, bool asks>
bool filter(const DepthwiseImage& image, const void* from, const void* gradient, void* to, std::int64_t first,
            std::int64_t last) {
  constexpr int kTaps = 4;
  const auto& [height, width, channels, stop] = image;
  Work work(stop);
  for (std::int64_t line = first; line < last; ++line)
    for (std::int64_t h = 0; h < height.taps; ++h) {
      const std::int64_t row = line * height.step + height.offsets[h];
      if (row < 0 || row >= height.size) continue;
      auto* x = static_cast<const T*>(from) + row * width.size * channels;
      auto* dy = static_cast<const T*>(gradient) + line * width.count * channels;
      T* result = static_cast<T*>(to) + h * width.taps * channels;
      for (std::int64_t w = 0; w < width.taps; w += kTaps) {
        const std::int64_t taps = std::min<std::int64_t>(kTaps, width.taps - w);
        auto at = [&]<int kCount>() { return at_taps<T, kCount, asks>(image, x, dy, result, w, work); };
        const bool done = taps == 4   ? at.template operator()<4>()
                          : taps == 3 ? at.template operator()<3>()
                          : taps == 2 ? at.template operator()<2>()
                                      : at.template operator()<1>();
        if (!done || work.add(taps * width.count * channels)) return false;
      }
    }
  return true;
}

template <typename T>
void fill(DepthwiseKernels& kernels, DType dtype) {
  kernels.lines[slot(dtype)] = by_size<has_many_taps, lines<T, false>, lines<T, true>>;
  kernels.filter[slot(dtype)] = by_size<has_long_lines, filter<T, false>, filter<T, true>>;
}

}  // namespace

void fill_depthwise(DepthwiseKernels& kernels) {
  fill<float>(kernels, DType::kFloat);
  fill<double>(kernels, DType::kDouble);
}

}  // namespace tracefn
