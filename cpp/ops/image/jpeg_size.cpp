// Walks over the segments up to the frame's header.
#include "ops/image/jpeg_size.h"

#include "ops/image/file_bytes.h"

namespace tracefn {
namespace {

// Of a frame: all of 0xc0 to 0xcf but tables of Huffman codes, extensions and arithmetic codes.
bool starts_frame(std::int64_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}
bool has_no_length(std::int64_t marker) { return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd7); }

}  // namespace

std::optional<JpegSize> read_jpeg_size(std::string_view file) {
  if (!file.starts_with("\xff\xd8")) return std::nullopt;
  std::size_t at = 2;
  for (;;) {
    while (at < file.size() && byte_at(file, at) != 0xff) ++at;
    while (at < file.size() && byte_at(file, at) == 0xff) ++at;
    if (at >= file.size()) return std::nullopt;
    const std::int64_t marker = byte_at(file, at++);
    if (marker == 0 || has_no_length(marker)) continue;
    // The pixels, or the end, before any frame.
    if (marker == 0xd9 || marker == 0xda || marker == 0xd8) return std::nullopt;
    if (file.size() - at < 2) return std::nullopt;
    const auto length = static_cast<std::size_t>(short_at(file, at));
    if (length < 2 || file.size() - at < length) return std::nullopt;
    if (starts_frame(marker)) {
      if (length < 8) return std::nullopt;
      const JpegSize size{short_at(file, at + 3), short_at(file, at + 5), byte_at(file, at + 7)};
      if (size.height == 0 || size.width == 0 || size.channels == 0) return std::nullopt;
      return size;
    }
    at += length;
  }
}

}  // namespace tracefn
