// The phases of a convolution's input.
#include "ops/conv/phases.h"

#include <map>

namespace tracefn {

std::vector<PhaseAxis> reached_phases(const ConvSizes& s, std::size_t i) {
  const WindowAxis& axis = s.axes[i];
  std::map<std::int64_t, PhaseAxis> phases;
  // From the last tap to the first, so that they are in the order of the places of the result that they read.
  for (std::int64_t t = s.filter[i]; t-- > 0;) {
    // The place x of the input is under tap t of place (x - distance) / stride of the window.
    const std::int64_t distance = t * axis.dilation - axis.before, remainder = distance % axis.stride;
    const std::int64_t first = remainder < 0 ? remainder + axis.stride : remainder;
    if (first >= s.in[i]) continue;
    PhaseAxis& phase = phases[first];
    if (phase.taps.empty()) {
      const std::int64_t count = (s.in[i] - first - 1) / axis.stride + 1;
      phase.first = first;
      phase.places = {.size = s.out[i], .count = count, .step = 1, .offsets = {}};
    }
    phase.places.offsets.push_back((first - distance) / axis.stride);
    phase.taps.push_back(t);
  }
  std::vector<PhaseAxis> reached;
  for (auto& [first, phase] : phases) reached.push_back(std::move(phase));
  return reached;
}

bool all_reached(const ConvSizes& s) {
  for (std::size_t i = 0; i < 3; ++i)
    if (s.axes[i].stride > 1 && (s.axes[i].dilation > 1 || s.filter[i] < s.axes[i].stride)) return false;
  return true;
}

}  // namespace tracefn
