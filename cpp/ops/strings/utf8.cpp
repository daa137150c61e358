// Decodes and encodes UTF-8.
#include "ops/strings/utf8.h"

namespace tracefn {

DecodedCharacter decode_utf8(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1, true};
  const std::size_t size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (size == 0) return {kReplacementCharacter, 1, false};
  char32_t value = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const unsigned byte = i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    // The second byte decides whether the sequence is overlong, a surrogate or above the last code point.
    const unsigned low = i > 1 ? 0x80 : first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = i > 1 ? 0xbf : first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (byte < low || byte > high) return {kReplacementCharacter, i, false};
    value = value << 6 | (byte & 0x3f);
  }
  return {value, size, true};
}

void append_utf8(std::string& out, char32_t c) {
  auto byte = [&](char32_t bits) { out += static_cast<char>(bits); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      byte(0xe0 | c >> 12);
    } else {
      byte(0xf0 | c >> 18);
      byte(0x80 | (c >> 12 & 0x3f));
    }
    byte(0x80 | (c >> 6 & 0x3f));
  }
  byte(0x80 | (c & 0x3f));
}

}  // namespace tracefn
