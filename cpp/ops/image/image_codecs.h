// ImageCodecs: what reading and writing of files takes from the host language: compressed data, and formats of images
// that this library does not know itself. cpp/bind implements it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tracefn {

// Pixels of 8 bits, row by row; several frames follow each other.
struct Picture {
  std::int64_t frames = 1, height = 0, width = 0, channels = 0;
  std::string pixels;
};

// How a JPEG file is to be read.
struct JpegOptions {
  std::int64_t channels = 0;  // 0: those of the file
  std::int64_t ratio = 1;     // by which it is made smaller
  bool recover_truncated = false;
};

// How a JPEG file is to be written.
struct JpegFormat {
  std::int64_t quality = 95;
  bool progressive = false, optimize = false, chroma_downsampling = true, inches = true;
  std::int64_t x_density = 300, y_density = 300;
  std::string_view xmp = {};
};

class ImageCodecs {
 public:
  virtual ~ImageCodecs() = default;
  // Called on any thread. Readers return nothing if the data are not what they should be; a missing library is
  // Error(kImport).
  virtual std::optional<std::string> inflate(std::string_view zlib, std::size_t most) = 0;
  virtual std::string deflate(std::string_view data, std::int64_t level) = 0;
  // All members of "GZIP" data, or the one stream of "ZLIB" data; as much as there is if it is cut off.
  // Error(kDataLoss) if the data are damaged.
  virtual std::string decompress(std::string_view format, std::string_view data) = 0;
  // The data as one "GZIP" member or "ZLIB" stream.
  virtual std::string compress(std::string_view format, std::string_view data) = 0;
  virtual std::optional<Picture> read_jpeg(std::string_view file, const JpegOptions& options) = 0;
  // "GIF" or "WEBP"; the first frame only, or all of them.
  virtual std::optional<Picture> read(std::string_view format, std::string_view file, bool all_frames) = 0;
  virtual std::string write_jpeg(const Picture& picture, const JpegFormat& format) = 0;
};

// Installs `codecs` (null: none) and returns the previous ones. Not owned.
ImageCodecs* set_image_codecs(ImageCodecs* codecs);
// Error(kUnimplemented) if there are none.
ImageCodecs& image_codecs();

}  // namespace tracefn
