// The header's numbers are little-endian; rows are padded to four bytes, and the last one comes first.
#include "ops/image/bmp.h"

#include <cstdlib>
#include <limits>

#include "base/error.h"
#include "ops/image/file_bytes.h"

namespace tracefn {
namespace {

std::int32_t number_at(std::string_view file, std::size_t i) {
  return static_cast<std::int32_t>(byte_at(file, i) | byte_at(file, i + 1) << 8 | byte_at(file, i + 2) << 16 |
                                   byte_at(file, i + 3) << 24);
}

}  // namespace

Picture read_bmp(std::string_view file, std::int64_t channels) {
  if (file.size() < 32)
    invalid_argument(
        "Incomplete bmp content, requires at least 32 bytes to find the header size, width, height, and bpp, "
        "got ",
        file.size(), " bytes");
  const std::int64_t header = number_at(file, 10), width = number_at(file, 18), signed_height = number_at(file, 22);
  const std::int64_t samples = static_cast<std::int16_t>(byte_at(file, 28) | byte_at(file, 29) << 8) / 8;
  if (samples != 1 && samples != 3 && samples != 4)
    invalid_argument("Number of channels inherent in the image must be 1, 3 or 4, was ", samples);
  if (width <= 0) invalid_argument("Width must be positive");
  if (signed_height == 0) invalid_argument("Height must be nonzero");
  if (header < 0) invalid_argument("header size must be nonnegative");
  const std::int64_t height = std::abs(signed_height);
  if (width * height >= std::numeric_limits<std::int32_t>::max() / 8)
    invalid_argument("Total possible pixel bytes must be less than 2^30");
  const std::int64_t row = (samples * width + 3) / 4 * 4;
  const std::int64_t difference = static_cast<std::int64_t>(file.size()) - header - row * height;
  if (difference != 0)
    invalid_argument("Input size should match (header_size + row_size * abs_height) but they differ by ",
                     static_cast<std::int32_t>(difference));

  Picture picture{.height = height, .width = width, .channels = channels ? channels : samples};
  picture.pixels.reserve(static_cast<std::size_t>(height * width * picture.channels));
  for (std::int64_t y = 0; y < height; ++y) {
    const std::int64_t line = signed_height < 0 ? y : height - 1 - y;
    const char* pixel = file.data() + header + line * row;
    for (std::int64_t x = 0; x < width; ++x, pixel += samples) {
      if (samples == 1) {
        picture.pixels.append(static_cast<std::size_t>(picture.channels == 1 ? 1 : 3), pixel[0]);
      } else {
        for (int k : {2, 1, 0}) picture.pixels.push_back(pixel[k]);
      }
      if (picture.channels == 4) picture.pixels.push_back(samples == 4 ? pixel[3] : '\xff');
    }
  }
  return picture;
}

}  // namespace tracefn
