// Reading and writing of WAV files.
#include "ops/signal/wav.h"

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/poll.h"

namespace tracefn {
namespace {

constexpr std::int64_t kBytesOfSample = 2;
constexpr std::uint32_t kFormatSize = 16, kLongFormatSize = 18;

// Takes a file apart from its start.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}

  bool at_end() const { return rest_.empty(); }
  std::string_view take(std::size_t bytes) {
    if (rest_.size() < bytes) invalid_argument("Data too short when trying to read string");
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  // A chunk may end beyond the file, if nothing in it is wanted.
  void skip(std::size_t bytes) { rest_.remove_prefix(std::min(bytes, rest_.size())); }
  void expect(std::string_view header) {
    if (const std::string_view found = take(header.size()); found != header)
      invalid_argument("Header mismatch: Expected ", header, " but found ", found);
  }
  // Little-endian, whatever the machine is.
  std::uint32_t number(std::size_t bytes) {
    const std::string_view taken = take(bytes);
    std::uint32_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(taken[i]);
    return value;
  }
  std::uint16_t short_number() { return static_cast<std::uint16_t>(number(2)); }

 private:
  std::string_view rest_;
};

void read_format(Reader& reader, WavFile& file) {
  const std::uint32_t size = reader.number(4);
  if (size != kFormatSize && size != kLongFormatSize)
    invalid_argument("Bad format chunk size for WAV: Expected 16 or 18, but got", size);
  if (const std::uint16_t format = reader.short_number(); format != 1)
    invalid_argument("Bad audio format for WAV: Expected 1 (PCM), but got", format);
  file.channels = reader.short_number();
  if (file.channels < 1)
    invalid_argument("Bad number of channels for WAV: Expected at least 1, but got ", file.channels);
  file.sample_rate = reader.number(4);
  const std::uint32_t per_second = reader.number(4);
  const std::uint16_t per_sample = reader.short_number(), bits = reader.short_number();
  if (bits != 16) invalid_argument("Can only read 16-bit WAV files, but received ", bits);
  const auto expected = static_cast<std::uint32_t>(file.channels * kBytesOfSample);
  if (per_sample != expected)
    invalid_argument("Bad bytes per sample in WAV header: Expected ", expected, " but got ", per_sample);
  if (const std::uint64_t rate = std::uint64_t{file.sample_rate} * per_sample; per_second != rate)
    invalid_argument("Bad bytes per second in WAV header: Expected ", rate, " but got ", per_second,
                     " (sample_rate=", file.sample_rate, ", bytes_per_sample=", per_sample, ")");
  reader.skip(size - kFormatSize);
}

}  // namespace

float WavFile::at(std::int64_t sample, std::int64_t channel) const {
  const auto i = static_cast<std::size_t>(kBytesOfSample * (sample * channels + channel));
  const auto low = static_cast<unsigned char>(samples[i]), high = static_cast<unsigned char>(samples[i + 1]);
  return static_cast<float>(static_cast<std::int16_t>(high << 8 | low)) / 32768.0f;
}

WavFile read_wav(std::string_view contents) {
  Reader reader(contents);
  WavFile file;
  reader.expect("RIFF");
  reader.number(4);  // the size of the file, which need not be true
  reader.expect("WAVE");
  std::string_view chunk = reader.take(4);
  for (; chunk == "JUNK" || chunk == "bext"; chunk = reader.take(4)) reader.skip(reader.number(4));
  if (chunk != "fmt ") invalid_argument("Unexpected field ", chunk);
  read_format(reader, file);
  bool found = false;
  while (!reader.at_end()) {
    chunk = reader.take(4);
    const std::uint32_t size = reader.number(4);
    constexpr auto kMost = static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
    if (size > kMost)
      invalid_argument("WAV data chunk '", chunk, "' is too large: ", size, " bytes, but the limit is ", kMost);
    if (chunk != "data") {
      reader.skip(size);
      continue;
    }
    if (found) invalid_argument("More than one data chunk found in WAV");
    found = true;
    const auto whole = static_cast<std::uint32_t>(file.channels * kBytesOfSample);
    file.samples = reader.take(size / whole * whole);
  }
  if (!found) invalid_argument("No data chunk found in WAV");
  return file;
}

std::string write_wav(const float* samples, std::int64_t length, std::int64_t channels, std::uint32_t sample_rate) {
  constexpr std::int64_t kHeader = 44, kBeforeSize = 8;
  const std::int64_t bytes = length * channels * kBytesOfSample;
  if (bytes > std::numeric_limits<std::int32_t>::max() - kHeader)
    invalid_argument("The audio has ", bytes, " bytes, which is too large for a WAV file.");
  std::string file;
  file.reserve(static_cast<std::size_t>(kHeader + bytes));
  auto number = [&](std::int64_t value, int size) {
    for (int i = 0; i < size; ++i) file += static_cast<char>(value >> 8 * i & 0xff);
  };
  file += "RIFF";
  number(kHeader - kBeforeSize + bytes, 4);
  file += "WAVEfmt ";
  number(kFormatSize, 4);
  number(1, 2);  // PCM
  number(channels, 2);
  number(sample_rate, 4);
  number(std::int64_t{sample_rate} * channels * kBytesOfSample, 4);
  number(channels * kBytesOfSample, 2);
  number(8 * kBytesOfSample, 2);
  file += "data";
  number(bytes, 4);
  PolledSteps polled(1 << 16);
  for (std::int64_t i = 0; i < length * channels; ++i, polled.step()) {
    const float scaled = std::round(samples[i] * 32768.0f);
    number(std::isnan(scaled) ? 0 : static_cast<std::int64_t>(std::min(32767.0f, std::max(-32768.0f, scaled))), 2);
  }
  return file;
}

}  // namespace tracefn
