// Pooling of lines, vectorized over channels: a block of channels stays in registers while the window is read.
#include "ops/pool/pool.kernels.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "ops/conv/window.kernels.h"
#include "ops/vectors.kernels.h"

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

// The elements of a window inside of an image.
std::int64_t most_elements(const PoolImage& p) {
  std::int64_t elements = 1;
  for (int i = 0; i < 3; ++i) elements *= std::min(p.window[i], p.in[i]);
  return elements;
}

bool has_large_window(const PoolImage& p) { return most_elements(p) > kLargeWindow; }

// Calls f(inside, the place's number, work) for the places of lines [first, last). False if it was stopped: f returns
// false, too.
template <typename F>
bool for_places(const PoolImage& p, std::int64_t first, std::int64_t last, const F& f) {
  const std::int64_t elements = most_elements(p) * p.channels;
  const std::int64_t most = Work::most_between(elements);
  Work work(p.stop);
  Inside inside;
  for (std::int64_t line = first; line < last; ++line) {
    clip(p, 0, line / p.out[1], inside);
    clip(p, 1, line % p.out[1], inside);
    for (std::int64_t from = 0; from < p.out[2]; from += most) {
      const std::int64_t to = std::min(from + most, p.out[2]);
      for (std::int64_t i = from; i < to; ++i) {
        clip(p, 2, i, inside);
        if (!f(inside, line * p.out[2] + i, work)) return false;
      }
      if (work.add((to - from) * elements)) return false;
    }
  }
  return true;
}

// Calls f(pixel) for the pixels inside an image of these sizes, each of which reads `elements`; false if it was
// stopped.
template <typename F>
[[gnu::always_inline]] inline bool for_pixels(const Inside& inside, const std::int64_t (&sizes)[3],
                                              std::int64_t elements, Work* work, const F& f) {
  for (std::int64_t d = inside.from[0]; d < inside.to[0]; ++d)
    for (std::int64_t h = inside.from[1]; h < inside.to[1]; ++h) {
      const std::int64_t line = (d * sizes[1] + h) * sizes[2];
      if (!in_pieces(inside.from[2], inside.to[2], elements, work, [&](std::int64_t w) { f(line + w); })) return false;
    }
  return true;
}

// Some channels: a vector of 32 bytes, or one element.
template <typename T, std::int64_t n>
struct ChannelsOf {
  using type = typename VectorOf<T, n * sizeof(T)>::type;
  using unaligned = typename VectorOf<T, n * sizeof(T)>::unaligned;
};
template <typename T>
struct ChannelsOf<T, 1> {
  using type = T;
  using unaligned = T;
};

// n channels in registers: an array of numbers would be written to memory for each pixel.
template <typename T, std::int64_t n>
struct Channels {
  static constexpr std::int64_t kLanes = n == 1 ? 1 : std::min(32, kVectorBytes) / static_cast<std::int64_t>(sizeof(T));
  static constexpr std::int64_t kParts = n / kLanes;
  using V = typename ChannelsOf<T, kLanes>::type;
  using U = typename ChannelsOf<T, kLanes>::unaligned;
  V parts[kParts];

  explicit Channels(T x) {
    for (V& part : parts) part = static_cast<V>(x - V{});
  }
  // f(part, the channels from `from` on) for each part.
  template <typename F>
  [[gnu::always_inline]] void with(const T* from, const F& f) {
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kParts; ++i)
      f(parts[i], static_cast<V>(*reinterpret_cast<const U*>(from + i * kLanes)));
  }
  [[gnu::always_inline]] void store(T* to) const {
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kParts; ++i) *reinterpret_cast<U*>(to + i * kLanes) = parts[i];
  }
};

// As TensorFlow's: NaN is ignored, and less than the lowest number counts as it.
template <typename T, bool asks>
bool largest(const PoolImage& p, const void* from, void* to, std::int64_t first, std::int64_t last) {
  auto* x = static_cast<const T*>(from);
  auto* y = static_cast<T*>(to);
  return for_places(p, first, last, [&](const Inside& inside, std::int64_t place, [[maybe_unused]] Work& work) {
    return in_blocks<T>(p.channels, [&]<std::int64_t n>(std::int64_t c) {
      Channels<T, n> best(std::numeric_limits<T>::lowest());
      const bool done = for_pixels(
          inside, p.in, n, asks ? &work : nullptr, [&](std::int64_t pixel) __attribute__((always_inline)) {
            best.with(x + pixel * p.pixel + c, [](auto& b, auto in) { b = b < in ? in : b; });
          });
      if (!done) return false;
      best.store(y + place * p.pixel + c);
      return true;
    });
  });
}

template <typename T, bool asks>
bool places(const PoolImage& p, const void* from, void* to, std::int32_t* at, std::int64_t first, std::int64_t last) {
  auto* x = static_cast<const T*>(from);
  auto* y = static_cast<T*>(to);
  return for_places(p, first, last, [&](const Inside& inside, std::int64_t place, [[maybe_unused]] Work& work) {
    return in_blocks<T>(p.channels, [&]<std::int64_t n>(std::int64_t c) {
      T best[n];
      std::int32_t found[n];
      for (std::int64_t i = 0; i < n; ++i) best[i] = std::numeric_limits<T>::lowest(), found[i] = -1;
      const bool done = for_pixels(inside, p.in, n, asks ? &work : nullptr, [&](std::int64_t pixel) {
        const T* in = x + pixel * p.pixel + c;
        const auto number = static_cast<std::int32_t>(pixel);
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) {
          const bool better = (best[i] < in[i]) | (found[i] < 0);
          best[i] = better ? in[i] : best[i];
          found[i] = better ? number : found[i];
        }
      });
      if (!done) return false;
      for (std::int64_t i = 0; i < n; ++i) at[(place - first * p.out[2]) * p.channels + c + i] = found[i];
      if (!y) return true;
      T* out = y + place * p.pixel + c;
      for (std::int64_t i = 0; i < n; ++i) out[i] = best[i];
      return true;
    });
  });
}

template <typename T, bool asks>
bool average(const PoolImage& p, const void* from, void* to, std::int64_t first, std::int64_t last) {
  auto* x = static_cast<const T*>(from);
  auto* y = static_cast<T*>(to);
  return for_places(p, first, last, [&](const Inside& inside, std::int64_t place, [[maybe_unused]] Work& work) {
    const T count = static_cast<T>(inside.count());
    return in_blocks<T>(p.channels, [&]<std::int64_t n>(std::int64_t c) {
      Channels<T, n> sum(T(0));
      const bool done = for_pixels(
          inside, p.in, n, asks ? &work : nullptr, [&](std::int64_t pixel) __attribute__((always_inline)) {
            sum.with(x + pixel * p.pixel + c, [](auto& s, auto in) { s += in; });
          });
      if (!done) return false;
      for (auto& part : sum.parts) part = part / count;
      sum.store(y + place * p.pixel + c);
      return true;
    });
  });
}

template <typename T>
bool shares(const PoolImage& p, const void* from, void* to, std::int64_t first, std::int64_t last) {
  auto* dy = static_cast<const T*>(from);
  auto* parts = static_cast<T*>(to);
  return for_places(p, first, last, [&](const Inside& inside, std::int64_t place, Work&) {
    const T share = T(1) / static_cast<T>(inside.count());
#pragma omp simd
    for (std::int64_t c = 0; c < p.channels; ++c) parts[place * p.pixel + c] = dy[place * p.pixel + c] * share;
    return true;
  });
}

// The image that pools the windows in which each element lies: they are adjacent.
void find_windows(const PoolImage& p, int axis, std::int64_t i, Inside& windows) {
  const std::int64_t end = i + p.before[axis], start = end - p.window[axis] + p.stride[axis];
  windows.to[axis] = std::min(end / p.stride[axis] + 1, p.out[axis]);
  windows.from[axis] = std::min(std::max<std::int64_t>(start, 0) / p.stride[axis], windows.to[axis]);
}

template <typename T, bool asks>
bool sums_of_windows(const PoolImage& p, const void* from, void* to, std::int64_t first, std::int64_t last) {
  auto* parts = static_cast<const T*>(from);
  auto* dx = static_cast<T*>(to);
  Work work(p.stop);
  Inside windows;
  for (std::int64_t line = first; line < last; ++line) {
    find_windows(p, 0, line / p.in[1], windows);
    find_windows(p, 1, line % p.in[1], windows);
    for (std::int64_t w = 0; w < p.in[2]; ++w) {
      find_windows(p, 2, w, windows);
      T* out = dx + (line * p.in[2] + w) * p.pixel;
      const bool done = in_blocks<T>(p.channels, [&]<std::int64_t n>(std::int64_t c) {
        Channels<T, n> sum(T(0));
        const bool going = for_pixels(
            windows, p.out, n, asks ? &work : nullptr, [&](std::int64_t place) __attribute__((always_inline)) {
              sum.with(parts + place * p.pixel + c, [](auto& s, auto in) { s += in; });
            });
        sum.store(out + c);
        return going;
      });
      if (!done || work.add((windows.count() + 1) * p.channels)) return false;
    }
  }
  return true;
}

// Calls f.operator()<V, U>(hit, pixel, channel) for the pixels inside and all channels, as vectors V (U in memory):
// `hit` says for which channels the pixel is the first largest one of its window, as in places().
template <typename T, bool asks, typename F>
[[gnu::always_inline]] inline bool for_largest(const PoolImage& p, const Inside& inside, const T* x, Work& work,
                                               const F& f) {
  // The pixels of a small window are found once for all channels.
  constexpr std::int64_t kListed = 32;
  const std::int64_t count = inside.count();
  const bool listed = !asks && count <= kListed;
  std::int64_t pixels[kListed];
  if (listed) {
    std::int64_t i = 0;
    for_pixels(inside, p.in, 1, nullptr, [&](std::int64_t pixel) { pixels[i++] = pixel; });
  }
  auto each = [&](std::int64_t elements, const auto& g) __attribute__((always_inline)) {
    if (!listed) return for_pixels(inside, p.in, elements, asks ? &work : nullptr, g);
    for (std::int64_t i = 0; i < count; ++i) g(pixels[i]);
    return true;
  };
  const std::int64_t start = (inside.from[0] * p.in[1] + inside.from[1]) * p.in[2] + inside.from[2];
  auto at_channels = [&]<std::int64_t n>(std::int64_t c) __attribute__((always_inline)) {
    using V = typename ChannelsOf<T, n>::type;
    using U = typename ChannelsOf<T, n>::unaligned;
    auto load = [&](std::int64_t pixel) __attribute__((always_inline))->V {
      return *reinterpret_cast<const U*>(x + pixel * p.pixel + c);
    };
    V best = load(start);
    const bool going = each(
        n, [&](std::int64_t pixel) __attribute__((always_inline)) {
          const V in = load(pixel);
          best = best < in ? in : best;
        });
    if (!going) return false;
    // NaN stays if it comes first, and equals nothing: then the first pixel is it.
    const auto unordered = best != best;
    auto open = (best == best) | unordered;
    return each(
        n, [&](std::int64_t pixel) __attribute__((always_inline)) {
          const auto equal = (load(pixel) == best) | unordered;
          f.template operator()<V, U>(equal & open, pixel, c);
          open &= ~equal;
        });
  };
  constexpr std::int64_t kLanes = 32 / static_cast<std::int64_t>(sizeof(T));
  std::int64_t c = 0;
  for (; c + kLanes <= p.channels; c += kLanes)
    if (!at_channels.template operator()<kLanes>(c)) return false;
  for (; c < p.channels; ++c)
    if (!at_channels.template operator()<1>(c)) return false;
  return true;
}

// Integers wrap around; those of vectors do anyway.
template <typename T>
T sum_of(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  } else {
    return a + b;
  }
}

// Whether windows do not overlap, and leave out only what follows the last of them.
bool are_tiles(const PoolImage& p) {
  for (int i = 0; i < 3; ++i)
    if (p.stride[i] != p.window[i] || p.before[i] != 0 || p.out[i] * p.stride[i] > p.in[i]) return false;
  return true;
}

// Zeros for pixels of lines [first, last), those in windows left out if these write all of theirs.
template <typename T>
void clear_lines(const PoolImage& p, T* dx, std::int64_t first, std::int64_t last, bool only_outside) {
  std::int64_t reached[3];
  for (int i = 0; i < 3; ++i) reached[i] = only_outside ? p.out[i] * p.stride[i] : 0;
  for (std::int64_t line = first; line < last; ++line) {
    const bool has_windows = line / p.in[1] < reached[0] && line % p.in[1] < reached[1];
    for (std::int64_t i = has_windows ? reached[2] : 0; i < p.in[2]; ++i)
      std::fill_n(dx + (line * p.in[2] + i) * p.pixel, p.channels, T(0));
  }
}

template <typename T, bool asks>
bool largest_gradient(const PoolImage& p, const void* from, const void* gradient, void* to, std::int64_t first,
                      std::int64_t last) {
  auto* x = static_cast<const T*>(from);
  auto* dy = static_cast<const T*>(gradient);
  auto* dx = static_cast<T*>(to);
  const std::int64_t begin = first * p.in[2], end = last * p.in[2];
  const bool tiles = are_tiles(p);
  clear_lines(p, dx, first, last, tiles);
  // The windows that reach these lines; of several planes, all.
  Inside start, stop;
  find_windows(p, 0, first / p.in[1], start);
  find_windows(p, 0, (last - 1) / p.in[1], stop);
  const bool one_plane = first / p.in[1] == (last - 1) / p.in[1];
  find_windows(p, 1, one_plane ? first % p.in[1] : 0, start);
  find_windows(p, 1, one_plane ? (last - 1) % p.in[1] : p.in[1] - 1, stop);
  auto for_windows = [&](const auto& write) {
    for (std::int64_t depth = start.from[0]; depth < stop.to[0]; ++depth) {
      const std::int64_t line = depth * p.out[1];
      const bool done = for_places(
          p, line + start.from[1], line + stop.to[1], [&](const Inside& inside, std::int64_t place, Work& work) {
            if (inside.count() == 0) return true;
            auto add = [&]<typename V, typename U>(auto hit, std::int64_t pixel, std::int64_t c)
                __attribute__((always_inline)) {
              if (pixel < begin || pixel >= end) return;
              const V in = *reinterpret_cast<const U*>(dy + place * p.pixel + c);
              write(hit, in, *reinterpret_cast<U*>(dx + pixel * p.pixel + c));
            };
            return for_largest<T, asks>(p, inside, x, work, add);
          });
      if (!done) return false;
    }
    return true;
  };
  // Added to zero, so that -0 becomes 0.
  if (tiles)
    return for_windows([]<typename V>(auto hit, V in, auto& out) __attribute__((always_inline)) {
      const V zero{};
      out = hit ? sum_of<V>(zero, in) : zero;
    });
  return for_windows([]<typename V>(auto hit, V in, auto& out) __attribute__((always_inline)) {
    const V before = out;
    out = hit ? sum_of<V>(before, in) : before;
  });
}

template <typename T, bool asks>
bool at_largest(const PoolImage& p, const void* from, const void* values, void* to, std::int64_t first,
                std::int64_t last) {
  auto* x = static_cast<const T*>(from);
  auto* given = static_cast<const T*>(values);
  auto* y = static_cast<T*>(to);
  return for_places(p, first, last, [&](const Inside& inside, std::int64_t place, Work& work) {
    T* out = y + place * p.pixel;
    std::fill_n(out, p.channels, T(0));
    if (inside.count() == 0) return true;
    auto set = [&]<typename V, typename U>(auto hit, std::int64_t pixel, std::int64_t c)
        __attribute__((always_inline)) {
      const V in = *reinterpret_cast<const U*>(given + pixel * p.pixel + c);
      U& value = *reinterpret_cast<U*>(out + c);
      const V before = value;
      value = hit ? in : before;
    };
    return for_largest<T, asks>(p, inside, x, work, set);
  });
}

template <typename T>
void fill_order(PoolKernels& kernels, DType dtype) {
  kernels.largest[slot(dtype)] = by_size<has_large_window, largest<T, false>, largest<T, true>>;
  kernels.places[slot(dtype)] = by_size<has_large_window, places<T, false>, places<T, true>>;
  kernels.largest_gradient[slot(dtype)] =
      by_size<has_large_window, largest_gradient<T, false>, largest_gradient<T, true>>;
  kernels.at_largest[slot(dtype)] = by_size<has_large_window, at_largest<T, false>, at_largest<T, true>>;
}

template <typename T>
void fill_floating(PoolKernels& kernels, DType dtype) {
  fill_order<T>(kernels, dtype);
  kernels.average[slot(dtype)] = by_size<has_large_window, average<T, false>, average<T, true>>;
  kernels.shares[slot(dtype)] = shares<T>;
  kernels.sums_of_windows[slot(dtype)] = by_size<has_large_window, sums_of_windows<T, false>, sums_of_windows<T, true>>;
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
