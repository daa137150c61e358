// The size of a JPEG image, from the header of its file (ISO/IEC 10918-1).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tracefn {

struct JpegSize {
  std::int64_t height, width, channels;
};

// Nothing if the file ends before its frame begins, or is no JPEG file.
std::optional<JpegSize> read_jpeg_size(std::string_view file);

}  // namespace tracefn
