// PNG files (ISO/IEC 15948), read as libpng reads them for TensorFlow, and written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tracefn {

enum class PngColor : std::uint8_t { kGray = 0, kRgb = 2, kPalette = 3, kGrayAlpha = 4, kRgba = 6 };

// What the chunks before the pixels say.
struct PngHeader {
  std::int64_t width = 0, height = 0;
  int depth = 0;  // bits of a sample
  PngColor color = PngColor::kGray;
  bool interlaced = false;
  std::string palette;       // three bytes for each color
  std::string transparency;  // as in the file; empty: none
  std::size_t data = 0;      // where the first chunk of pixels begins

  // What a pixel has in the file, and in a tensor if nothing else is asked for.
  int samples() const;
  int channels() const;
};

// Nothing if the file is damaged.
std::optional<PngHeader> read_png_header(std::string_view file);
// The pixels, with 1 to 4 channels of 8 or 16 bits; 8 bits are in the low byte. Nothing if the file is damaged.
std::optional<std::vector<std::uint16_t>> read_png(std::string_view file, const PngHeader& header, int channels,
                                                   bool sixteen_bits);

// A file with pixels of 1 to 4 channels of 8 or 16 bits (in the order of this machine). `level` is that of zlib.
std::string write_png(const char* pixels, std::int64_t height, std::int64_t width, int channels, int bits,
                      std::int64_t level);

}  // namespace tracefn
