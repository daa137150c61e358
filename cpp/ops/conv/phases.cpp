// The phases of a convolution's input.
#include "ops/conv/phases.h"

#include <algorithm>

namespace tracefn {

PhaseAxis phase_axis(const ConvSizes& s, std::size_t i, std::int64_t first) {
  const WindowAxis& axis = s.axes[i];
  PhaseAxis result{.first = first, .places = {.size = s.out[i], .count = 0, .step = 1, .offsets = {}}, .taps = {}};
  if (first < s.in[i]) result.places.count = (s.in[i] - first + axis.stride - 1) / axis.stride;
  for (std::int64_t t = 0; t < s.filter[i]; ++t) {
    // The place x of the input is under tap t of place (x + before - t * dilation) / stride of the window.
    const std::int64_t distance = first + axis.before - t * axis.dilation;
    if (distance % axis.stride) continue;
    result.places.offsets.push_back(distance / axis.stride);
    result.taps.push_back(t);
  }
  return result;
}

std::int64_t phases(const ConvSizes& s, std::size_t i) { return std::min(s.axes[i].stride, s.in[i]); }

bool all_reached(const ConvSizes& s) {
  for (std::size_t i = 0; i < 3; ++i)
    if (s.axes[i].stride > 1 && (s.axes[i].dilation > 1 || s.filter[i] < s.axes[i].stride)) return false;
  return true;
}

}  // namespace tracefn
