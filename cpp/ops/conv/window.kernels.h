// What the kernels of depthwise convolutions and of pooling share: blocks of channels, and asking whether to stop.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/elementwise/block.h"

namespace tracefn {

// Four vectors of 32 bytes.
template <typename T>
inline constexpr std::int64_t kBlock = 128 / static_cast<std::int64_t>(sizeof(T));

// Calls f.operator()<n>(channel) for blocks of channels, n of them, and for single ones; until it returns false.
template <typename T, typename F>
[[gnu::always_inline]] inline bool in_blocks(std::int64_t channels, const F& f) {
  std::int64_t c = 0;
  for (; c + kBlock<T> <= channels; c += kBlock<T>)
    if (!f.template operator()<kBlock<T>>(c)) return false;
  for (; c + kBlock<T> / 4 <= channels; c += kBlock<T> / 4)
    if (!f.template operator()<kBlock<T> / 4>(c)) return false;
  for (; c < channels; ++c)
    if (!f.template operator()<1>(c)) return false;
  return true;
}

// Counts the elements that a kernel reads, and asks whether to stop every millisecond at most.
class Work {
 public:
  explicit Work(StopCheck stop) : stop_(stop) {}
  // How many steps that read `elements` each may be counted together.
  static std::int64_t most_between(std::int64_t elements) {
    return std::max<std::int64_t>(kElements / std::max<std::int64_t>(elements, 1), 1);
  }
  // Whether to return early.
  bool add(std::int64_t elements) {
    left_ -= elements;
    if (left_ > 0) [[likely]]
      return false;
    left_ = kElements;
    return stop_();
  }

 private:
  static constexpr std::int64_t kElements = 1 << 20;
  std::int64_t left_ = kElements;
  StopCheck stop_;
};

// Kernels are compiled twice: windows with more elements for each channel ask in between, others from window to window
// only, and keep their sums in registers.
inline constexpr std::int64_t kLargeWindow = 1 << 18;

template <auto is_large, auto plain, auto asking, typename Image, typename... Args>
bool by_size(const Image& image, Args... args) {
  return is_large(image) ? asking(image, args...) : plain(image, args...);
}

// Calls f(i) for i in [from, to), each of which reads `elements`. With `work` it asks in between: false if it was
// stopped.
template <typename F>
[[gnu::always_inline]] inline bool in_pieces(std::int64_t from, std::int64_t to, std::int64_t elements, Work* work,
                                             const F& f) {
  constexpr std::int64_t kPiece = 1 << 14;
  if (!work) {
    for (std::int64_t i = from; i < to; ++i) f(i);
    return true;
  }
  while (from < to) {
    const std::int64_t end = std::min(from + kPiece, to), count = end - from;
    for (; from < end; ++from) f(from);
    if (work->add(count * elements)) return false;
  }
  return true;
}

}  // namespace tracefn
