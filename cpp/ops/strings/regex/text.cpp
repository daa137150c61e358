// Characters as RE2 takes them from bytes.
#include "ops/strings/regex/text.h"

namespace tracefn {

DecodedCharacter character_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const DecodedCharacter c = decode_utf8(rest);
  if (c.valid) return c;
  const auto first = static_cast<unsigned char>(rest[0]);
  const std::size_t size = first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (size == 0 || rest.size() < size) return {kReplacementCharacter, 1, false};
  char32_t value = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(rest[i]) & 0xc0) != 0x80) return {kReplacementCharacter, 1, false};
    value = value << 6 | (static_cast<unsigned char>(rest[i]) & 0x3f);
  }
  return {is_surrogate(value) ? value : kLooksLikeCharacter, size, true};
}

}  // namespace tracefn
