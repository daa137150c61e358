// UTF-8, character by character. Pure functions; any thread may call.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tracefn {

constexpr char32_t kReplacementCharacter = 0xfffd;
constexpr char32_t kLastCodePoint = 0x10ffff;
constexpr bool is_surrogate(char32_t c) { return c >= 0xd800 && c <= 0xdfff; }
constexpr bool is_code_point(char32_t c) { return c <= kLastCodePoint && !is_surrogate(c); }

struct DecodedCharacter {
  char32_t value;    // kReplacementCharacter if the bytes are not valid
  std::size_t size;  // in bytes; of invalid bytes those that begin a valid sequence, at least one
  bool valid;
};
// The character at the beginning of `text`, as the Unicode standard says (3.9, "maximal subparts" of invalid
// sequences). Precondition: `text` is not empty.
DecodedCharacter decode_utf8(std::string_view text);
// Precondition: c is a code point.
void append_utf8(std::string& out, char32_t c);

}  // namespace tracefn
