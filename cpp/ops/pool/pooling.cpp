// Sharing out the lines and the channels of pooled images.
#include "ops/pool/pooling.h"

#include <algorithm>
#include <limits>

#include "base/poll.h"

namespace tracefn {
namespace {

std::int64_t lines_of(const PoolSizes& s) { return s.out[0] * s.out[1]; }

// Nanoseconds for the places of a line, with `channels` channels.
double line_cost(const PoolSizes& s, std::int64_t channels, double cost_of_element) {
  double cost = cost_of_element * static_cast<double>(channels) * static_cast<double>(s.out[2]) + 5;
  for (std::size_t i = 0; i < 3; ++i) cost *= static_cast<double>(std::min(s.axes[i].window, s.in[i]));
  return cost;
}

}  // namespace

PoolImage image_of(const PoolSizes& s) {
  PoolImage image{};
  for (std::size_t i = 0; i < 3; ++i) {
    image.in[i] = s.in[i];
    image.out[i] = s.out[i];
    image.window[i] = s.axes[i].window;
    image.stride[i] = s.axes[i].stride;
    image.before[i] = s.axes[i].before;
  }
  image.pixel = image.channels = s.channels;
  return image;
}

void require_countable(const PoolSizes& s) {
  std::int64_t pixels = 0;
  if (__builtin_mul_overflow(s.in[0] * s.in[1], s.in[2], &pixels) || pixels > std::numeric_limits<std::int32_t>::max())
    invalid_argument("An image of ", s.in[0] * s.in[1], " lines of ", s.in[2],
                     " pixels is too large: at most 2**31 - 1 can be told apart.");
}

void for_lines(const KernelContext& c, const PoolSizes& s, double cost_of_element, const LinesFunction& f) {
  const std::int64_t lines = lines_of(s);
  const double cost = line_cost(s, s.channels, cost_of_element);
  if (lines == 0) return;
  c.parallel_for(s.batch * lines, cost, [&](std::int64_t begin, std::int64_t end) {
    in_slices(begin, end, cost, [&](std::int64_t from, std::int64_t to) {
      while (from < to) {
        const std::int64_t image = from / lines, first = from % lines, last = std::min(lines, first + to - from);
        f(image, first, last);
        from += last - first;
      }
    });
  });
}

void for_channels(const KernelContext& c, const PoolSizes& s, double cost_of_element, const ChannelsFunction& f) {
  constexpr std::int64_t kManyImages = 16, kBlock = 32;
  const std::int64_t block = s.batch >= kManyImages ? std::max<std::int64_t>(s.channels, 1) : kBlock;
  const std::int64_t blocks = (s.channels + block - 1) / block;
  const double cost = line_cost(s, block, cost_of_element) * static_cast<double>(lines_of(s));
  c.parallel_for(s.batch * blocks, cost, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i % blocks * block;
      f(i / blocks, first, std::min(block, s.channels - first));
      poll();
    }
  });
}

void in_parts(const PoolSizes& s, std::int64_t channels, double cost_of_element,
              const std::function<void(std::int64_t, std::int64_t)>& f) {
  in_slices(lines_of(s), line_cost(s, channels, cost_of_element), f);
}

}  // namespace tracefn
