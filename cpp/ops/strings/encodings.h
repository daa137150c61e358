// Text encodings: bytes to code points and back. Pure functions; any thread may call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ops/strings/utf8.h"

namespace tracefn {

enum class Encoding : std::uint8_t {
  kUtf8,
  kUtf16BigEndian,
  kUtf16LittleEndian,
  kUtf32BigEndian,
  kUtf32LittleEndian,
  kUtf32,  // the byte order mark decides; big-endian without one
  kAscii,
  kLatin1,
  kWindows1252,
};
// By its name, without regard to case and separators, or nothing if it is not known here.
std::optional<Encoding> encoding_named(std::string_view name);

// Decodes the characters of a text, one by one.
class TextDecoder {
 public:
  TextDecoder(Encoding encoding, std::string_view text);
  bool done() const { return at_ == text_.size(); }
  std::size_t at() const { return at_; }  // the first byte of the next character
  // Precondition: !done().
  DecodedCharacter next();

 private:
  DecodedCharacter wide16(bool big) const;
  DecodedCharacter wide32(bool big) const;
  std::uint32_t unit(std::size_t at, int bytes, bool big) const;

  Encoding encoding_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t mark_ = 0;  // bytes of a byte order mark
};

// Precondition: c is a code point; the encoding is UTF-8, UTF-16-BE or UTF-32-BE.
void append_encoded(Encoding encoding, std::string& out, char32_t c);

}  // namespace tracefn
