// Sharing out the lines and the channels of pooled images.
#include "ops/pool/pooling.h"

#include <algorithm>
#include <limits>

#include "base/poll.h"

namespace tracefn {
namespace {

std::int64_t lines_of(const PoolSizes& s) { return s.out[0] * s.out[1]; }

// Nanoseconds for the places of a line.
double line_cost(const PoolSizes& s, double cost_of_element) {
  double cost = cost_of_element * static_cast<double>(s.channels) * static_cast<double>(s.out[2]) + 5;
  for (std::size_t i = 0; i < 3; ++i) cost *= static_cast<double>(std::min(s.axes[i].window, s.in[i]));
  return cost;
}

// Nanoseconds for a line of the image: as much work as for the lines of the results, and every element is written.
double image_line_cost(const PoolSizes& s, double cost_of_element) {
  const double results = line_cost(s, cost_of_element) * static_cast<double>(lines_of(s));
  return results / static_cast<double>(std::max<std::int64_t>(s.in[0] * s.in[1], 1)) +
         cost_of_element * static_cast<double>(s.channels * s.in[2]);
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
  image.stop = poll_stops;
  return image;
}

void require_countable(const PoolSizes& s) {
  std::int64_t pixels = 0;
  if (__builtin_mul_overflow(s.in[0] * s.in[1], s.in[2], &pixels) || pixels > std::numeric_limits<std::int32_t>::max())
    invalid_argument("An image of ", s.in[0] * s.in[1], " lines of ", s.in[2],
                     " pixels is too large: at most 2**31 - 1 can be told apart.");
}

void for_lines(const KernelContext& c, const PoolSizes& s, double cost_of_element, LinesFunction f) {
  for_lines(c, s.batch, lines_of(s), line_cost(s, cost_of_element), f);
}

void for_image_lines(const KernelContext& c, const PoolSizes& s, double cost_of_element, LinesFunction f) {
  for_lines(c, s.batch, s.in[0] * s.in[1], image_line_cost(s, cost_of_element), f);
}

void in_stripes(const KernelContext& c, const PoolSizes& s, double cost_of_element, LinesFunction f) {
  constexpr std::int64_t kTasks = 16, kWindows = 4;
  const std::int64_t lines = s.in[0] * s.in[1];
  // Several windows, of several planes if there are any.
  const std::int64_t least =
      s.in[0] > 1 ? std::min(s.axes[0].window, s.in[0]) * s.in[1] : std::min(s.axes[1].window, lines);
  const std::int64_t stripes =
      std::clamp<std::int64_t>(lines / (kWindows * least), 1, std::max<std::int64_t>(kTasks / s.batch, 1));
  const std::int64_t length = (lines + stripes - 1) / stripes;
  c.parallel_for(s.batch * stripes, image_line_cost(s, cost_of_element) * static_cast<double>(length),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i) {
                     const std::int64_t first = i % stripes * length, last = std::min(first + length, lines);
                     if (first < last) f(i / stripes, first, last);
                     poll();
                   }
                 });
}

}  // namespace tracefn
