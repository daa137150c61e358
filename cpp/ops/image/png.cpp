// Chunks, filters and interlacing are here; zlib is the host's.
#include "ops/image/png.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/poll.h"
#include "ops/image/file_bytes.h"
#include "ops/image/image_codecs.h"

namespace tracefn {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t n = 0; n < 256; ++n) {
    std::uint32_t c = n;
    for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[n] = c;
  }
  return table;
}();

std::uint32_t crc_of(std::string_view data) {
  std::uint32_t c = ~std::uint32_t{0};
  for (char byte : data) c = kCrcTable[(c ^ static_cast<unsigned char>(byte)) & 0xff] ^ (c >> 8);
  return ~c;
}

std::uint32_t word_at(std::string_view data, std::size_t i) { return short_at(data, i) << 16 | short_at(data, i + 2); }

struct Chunk {
  std::string_view type, data;
  bool intact = false;
};

// Reads the chunk at `at` and moves on; nothing if the file ends in it.
std::optional<Chunk> next_chunk(std::string_view file, std::size_t& at) {
  if (file.size() - at < 12) return std::nullopt;
  const std::size_t length = word_at(file, at);
  if (length > 0x7fffffffu || file.size() - at - 12 < length) return std::nullopt;
  Chunk chunk{.type = file.substr(at + 4, 4), .data = file.substr(at + 8, length)};
  chunk.intact = crc_of(file.substr(at + 4, length + 4)) == word_at(file, at + 8 + length);
  at += 12 + length;
  return chunk;
}
bool is_critical(const Chunk& chunk) { return (byte_at(chunk.type, 0) & 0x20) == 0; }

bool is_depth(PngColor color, int depth) {
  const bool bytes = depth == 8 || depth == 16;
  switch (color) {
    case PngColor::kGray:
      return bytes || depth == 1 || depth == 2 || depth == 4;
    case PngColor::kPalette:
      return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case PngColor::kRgb:
    case PngColor::kGrayAlpha:
    case PngColor::kRgba:
      return bytes;
  }
  return false;
}

bool read_ihdr(const Chunk& chunk, PngHeader& h) {
  constexpr std::int64_t kMostSide = 1'000'000;  // libpng's limit
  if (chunk.type != "IHDR" || chunk.data.size() != 13 || !chunk.intact) return false;
  h.width = word_at(chunk.data, 0);
  h.height = word_at(chunk.data, 4);
  h.depth = byte_at(chunk.data, 8);
  h.color = static_cast<PngColor>(byte_at(chunk.data, 9));
  h.interlaced = byte_at(chunk.data, 12) == 1;
  return h.width > 0 && h.height > 0 && h.width <= kMostSide && h.height <= kMostSide && is_depth(h.color, h.depth) &&
         chunk.data[10] == 0 && chunk.data[11] == 0 && byte_at(chunk.data, 12) <= 1;
}

bool has_color(PngColor color) { return color != PngColor::kGray && color != PngColor::kGrayAlpha; }
bool has_alpha(PngColor color) { return color == PngColor::kGrayAlpha || color == PngColor::kRgba; }

// A part of the pixels that is filtered and compressed as an image of its own: every `dx`-th pixel of every `dy`-th
// row.
struct Pass {
  std::int64_t x, y, dx, dy, width, height;
};

std::vector<Pass> passes_of(const PngHeader& h) {
  if (!h.interlaced) return {{0, 0, 1, 1, h.width, h.height}};
  static constexpr std::int64_t kAdam7[][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                               {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
  std::vector<Pass> passes;
  for (const auto& [x, y, dx, dy] : kAdam7) {
    const Pass pass{x, y, dx, dy, (h.width - x + dx - 1) / dx, (h.height - y + dy - 1) / dy};
    if (pass.width > 0 && pass.height > 0) passes.push_back(pass);
  }
  return passes;
}

std::size_t row_bytes(const PngHeader& h, std::int64_t width) {
  return static_cast<std::size_t>((width * h.samples() * h.depth + 7) / 8);
}

// Undoes the filter of a row, given the row before it.
bool unfilter(std::uint8_t filter, std::size_t step, const std::uint8_t* above, std::uint8_t* row, std::size_t n) {
  auto left = [&](std::size_t i) { return i >= step ? int{row[i - step]} : 0; };
  auto corner = [&](std::size_t i) { return i >= step ? int{above[i - step]} : 0; };
  auto add = [&](std::size_t i, int v) { row[i] = static_cast<std::uint8_t>(row[i] + v); };
  switch (filter) {
    case 0:
      return true;
    case 1:
      for (std::size_t i = 0; i < n; ++i) add(i, left(i));
      return true;
    case 2:
      for (std::size_t i = 0; i < n; ++i) add(i, above[i]);
      return true;
    case 3:
      for (std::size_t i = 0; i < n; ++i) add(i, (left(i) + above[i]) / 2);
      return true;
    case 4:
      for (std::size_t i = 0; i < n; ++i) {
        const int a = left(i), b = above[i], c = corner(i), p = a + b - c;
        const int da = std::abs(p - a), db = std::abs(p - b), dc = std::abs(p - c);
        add(i, da <= db && da <= dc ? a : db <= dc ? b : c);
      }
      return true;
    default:
      return false;
  }
}

// Makes pixels of a tensor from those of the file.
class PixelMaker {
 public:
  PixelMaker(const PngHeader& h, int channels, bool sixteen) : h_(h), channels_(channels), sixteen_(sixteen) {}

  void make(const std::uint8_t* row, std::int64_t i, std::uint16_t* to) const {
    Color color = read(row, i);
    const bool wants_alpha = channels_ % 2 == 0;
    if (h_.depth == 16 && channels_ < 3 && has_color(h_.color)) make_gray(color, true);
    // What has 16 bits loses the low ones for a tensor of bytes.
    if (h_.depth == 16 && !sixteen_) {
      for (std::uint32_t& v : color.rgb) v >>= 8;
      color.alpha >>= 8;
    }
    if (h_.depth != 16 && channels_ < 3 && has_color(h_.color)) make_gray(color, false);
    const int colors = channels_ < 3 ? 1 : 3;
    for (int k = 0; k < colors; ++k) to[k] = final_value(color.rgb[k]);
    if (wants_alpha) to[colors] = final_value(color.alpha);
  }

 private:
  struct Color {
    std::uint32_t rgb[3], alpha;
  };

  // Sample k of pixel i, as in the file.
  std::uint32_t sample(const std::uint8_t* row, std::int64_t i, int k) const {
    const std::int64_t at = i * h_.samples() + k;
    if (h_.depth == 16) return static_cast<std::uint32_t>(row[2 * at] << 8 | row[2 * at + 1]);
    if (h_.depth == 8) return row[at];
    const std::int64_t bit = at * h_.depth;
    return static_cast<std::uint32_t>(row[bit / 8] >> (8 - h_.depth - bit % 8)) & ((1u << h_.depth) - 1);
  }

  Color read(const std::uint8_t* row, std::int64_t i) const {
    const std::uint32_t most = (1u << h_.depth) - 1, full = h_.depth == 16 ? 0xffff : 0xff;
    // Without transparency in the file, TensorFlow's alpha is the greatest sample of the file's depth.
    Color color{{0, 0, 0}, h_.transparency.empty() ? most : full};
    if (h_.color == PngColor::kPalette) {
      const std::size_t index = sample(row, i, 0);
      for (std::size_t k = 0; k < 3; ++k)
        if (3 * index + k < h_.palette.size()) color.rgb[k] = byte_at(h_.palette, 3 * index + k);
      if (index < h_.transparency.size()) color.alpha = byte_at(h_.transparency, index);
      return color;
    }
    const int colors = has_color(h_.color) ? 3 : 1;
    bool transparent = h_.transparency.size() >= static_cast<std::size_t>(2 * colors);
    for (int k = 0; k < colors; ++k) {
      color.rgb[k] = sample(row, i, k);
      transparent = transparent && color.rgb[k] == (short_at(h_.transparency, static_cast<std::size_t>(2 * k)) & most);
    }
    if (colors == 1) {
      if (h_.depth < 8) color.rgb[0] = color.rgb[0] * 255 / most;
      color.rgb[1] = color.rgb[2] = color.rgb[0];
    }
    if (has_alpha(h_.color)) {
      color.alpha = sample(row, i, colors);
    } else if (transparent) {
      color.alpha = 0;
    }
    return color;
  }

  // ITU-R BT.601, in the integers of libpng.
  static void make_gray(Color& color, bool rounded) {
    constexpr std::uint32_t kRed = 29900 * 32768ull / 100000, kGreen = 58700 * 32768ull / 100000,
                            kBlue = 32768 - kRed - kGreen;
    const auto& [r, g, b] = color.rgb;
    if (r == g && r == b) return;
    color.rgb[0] = (kRed * r + kGreen * g + kBlue * b + (rounded ? 16384 : 0)) >> 15;
  }

  std::uint16_t final_value(std::uint32_t v) const {
    return static_cast<std::uint16_t>(sixteen_ && h_.depth != 16 ? v << 8 | v : v);
  }

  const PngHeader& h_;
  int channels_;
  bool sixteen_;
};

// The compressed pixels, from all chunks that have them; nothing if the file does not go on to its end.
std::optional<std::string> compressed_pixels(std::string_view file, const PngHeader& header) {
  std::string pixels;
  std::size_t at = header.data;
  for (;;) {
    const std::optional<Chunk> chunk = next_chunk(file, at);
    if (!chunk || (is_critical(*chunk) && !chunk->intact)) return std::nullopt;
    if (chunk->type == "IEND") return pixels;
    if (chunk->type == "IDAT") {
      pixels.append(chunk->data);
    } else if (is_critical(*chunk) && chunk->type != "PLTE") {
      return std::nullopt;
    }
  }
}

void append_word(std::string& to, std::uint32_t v) {
  for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<char>(v >> shift));
}
void append_chunk(std::string& to, std::string_view type, std::string_view data) {
  append_word(to, static_cast<std::uint32_t>(data.size()));
  const std::size_t from = to.size();
  to.append(type).append(data);
  append_word(to, crc_of(std::string_view(to).substr(from)));
}

}  // namespace

int PngHeader::samples() const {
  switch (color) {
    case PngColor::kGrayAlpha:
      return 2;
    case PngColor::kRgb:
      return 3;
    case PngColor::kRgba:
      return 4;
    default:
      return 1;
  }
}

int PngHeader::channels() const {
  if (color == PngColor::kPalette) return transparency.empty() ? 3 : 4;
  return samples();
}

std::optional<PngHeader> read_png_header(std::string_view file) {
  if (!file.starts_with(kSignature)) return std::nullopt;
  std::size_t at = kSignature.size();
  PngHeader header;
  std::optional<Chunk> chunk = next_chunk(file, at);
  if (!chunk || !read_ihdr(*chunk, header)) return std::nullopt;
  for (;;) {
    header.data = at;
    chunk = next_chunk(file, at);
    if (!chunk) {
      // The chunk of the pixels may be cut off: only reading them fails then.
      if (file.size() - at >= 8 && file.substr(at + 4, 4) == "IDAT") break;
      return std::nullopt;
    }
    if (chunk->type == "IDAT") break;
    if (!chunk->intact) {
      if (is_critical(*chunk)) return std::nullopt;
      continue;
    }
    if (chunk->type == "PLTE") {
      if (chunk->data.empty() || chunk->data.size() % 3 || chunk->data.size() > 768) return std::nullopt;
      header.palette = chunk->data;
    } else if (chunk->type == "tRNS" && !has_alpha(header.color)) {
      header.transparency = chunk->data;
    } else if (is_critical(*chunk)) {
      return std::nullopt;
    }
  }
  if (header.color == PngColor::kPalette && header.palette.empty()) return std::nullopt;
  return header;
}

std::optional<std::vector<std::uint16_t>> read_png(std::string_view file, const PngHeader& header, int channels,
                                                   bool sixteen_bits) {
  const std::optional<std::string> compressed = compressed_pixels(file, header);
  if (!compressed) return std::nullopt;
  const std::vector<Pass> passes = passes_of(header);
  std::size_t size = 0;
  for (const Pass& pass : passes) size += static_cast<std::size_t>(pass.height) * (row_bytes(header, pass.width) + 1);
  std::optional<std::string> data = image_codecs().inflate(*compressed, size);
  if (!data || data->size() < size) return std::nullopt;

  std::vector<std::uint16_t> pixels(static_cast<std::size_t>(header.height * header.width * channels));
  const PixelMaker maker(header, channels, sixteen_bits);
  const auto step = static_cast<std::size_t>(std::max(1, header.samples() * header.depth / 8));
  auto* at = reinterpret_cast<std::uint8_t*>(data->data());
  for (const Pass& pass : passes) {
    const std::size_t length = row_bytes(header, pass.width);
    const std::vector<std::uint8_t> zeros(length);
    const std::uint8_t* above = zeros.data();
    for (std::int64_t row = 0; row < pass.height; ++row) {
      const std::uint8_t filter = *at++;
      if (!unfilter(filter, step, above, at, length)) return std::nullopt;
      std::uint16_t* line = pixels.data() + ((pass.y + row * pass.dy) * header.width + pass.x) * channels;
      for (std::int64_t i = 0; i < pass.width; ++i) maker.make(at, i, line + i * pass.dx * channels);
      above = at;
      at += length;
      poll();
    }
  }
  return pixels;
}

std::string write_png(const char* pixels, std::int64_t height, std::int64_t width, int channels, int bits,
                      std::int64_t level) {
  constexpr PngColor kColors[] = {PngColor::kGray, PngColor::kGrayAlpha, PngColor::kRgb, PngColor::kRgba};
  const auto bytes = static_cast<std::size_t>(bits / 8);
  const std::size_t length = static_cast<std::size_t>(width * channels) * bytes;
  const std::size_t step = static_cast<std::size_t>(channels) * bytes;
  std::string rows;
  rows.reserve(static_cast<std::size_t>(height) * (length + 1));
  std::string row(length, '\0');
  for (std::int64_t y = 0; y < height; ++y) {
    std::memcpy(row.data(), pixels + static_cast<std::size_t>(y) * length, length);
    if (bytes == 2)
      for (std::size_t i = 0; i < length; i += 2) std::swap(row[i], row[i + 1]);
    // Differences to the pixel on the left compress better than the pixels themselves.
    rows.push_back(1);
    const std::size_t from = rows.size();
    rows.append(row);
    for (std::size_t i = length; i-- > step;)
      rows[from + i] = static_cast<char>(static_cast<std::uint8_t>(row[i]) - static_cast<std::uint8_t>(row[i - step]));
    poll();
  }
  std::string header;
  append_word(header, static_cast<std::uint32_t>(width));
  append_word(header, static_cast<std::uint32_t>(height));
  header.push_back(static_cast<char>(bits));
  header.push_back(static_cast<char>(kColors[channels - 1]));
  header.append(3, '\0');
  std::string file(kSignature);
  append_chunk(file, "IHDR", header);
  append_chunk(file, "IDAT", image_codecs().deflate(rows, level));
  append_chunk(file, "IEND", {});
  return file;
}

}  // namespace tracefn
