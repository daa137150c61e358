// Files of sound: RIFF WAVE with 16-bit PCM samples (IBM and Microsoft, Multimedia programming interface and data
// specifications 1.0, 1991).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tracefn {

// What a file holds; the samples of all channels one after the other, two bytes each.
struct WavFile {
  std::uint16_t channels = 0;
  std::uint32_t sample_rate = 0;
  std::string_view samples = {};  // of the file; whole ones only

  std::int64_t length() const { return static_cast<std::int64_t>(samples.size()) / (2 * channels); }
  // Between -1 and 1.
  float at(std::int64_t sample, std::int64_t channel) const;
};

// Error(kInvalidArgument) if `contents` is not such a file.
WavFile read_wav(std::string_view contents);

// A file of `length` samples for each channel, clipped to [-1, 1].
std::string write_wav(const float* samples, std::int64_t length, std::int64_t channels, std::uint32_t sample_rate);

}  // namespace tracefn
