// How regular expressions read text: characters, and what assertions see around a place.
#pragma once

#include <cstdint>
#include <string_view>

#include "ops/strings/regex/char_class.h"
#include "ops/strings/regex/syntax.h"
#include "ops/strings/utf8.h"

namespace tracefn {

// The character at `at`; of other bytes that look like one, which RE2 takes for one, kLooksLikeCharacter. A size of one
// or more and `valid` false if nothing matches the bytes.
DecodedCharacter character_at(std::string_view text, std::size_t at);

// What is before or after a place: the end of the text on that side, or a byte.
enum class Beside : std::uint8_t { kEnd, kNewline, kWord, kOther };

inline Beside beside(char32_t c) {
  const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  return c == '\n' ? Beside::kNewline : word ? Beside::kWord : Beside::kOther;
}
inline Beside before_place(std::string_view text, std::size_t at) {
  return at == 0 ? Beside::kEnd : beside(static_cast<unsigned char>(text[at - 1]));
}
inline Beside after_place(std::string_view text, std::size_t at) {
  return at == text.size() ? Beside::kEnd : beside(static_cast<unsigned char>(text[at]));
}

inline bool holds(RegexNode::Assertion assertion, Beside before, Beside after) {
  using Assertion = RegexNode::Assertion;
  auto line = [](Beside side) { return side == Beside::kEnd || side == Beside::kNewline; };
  switch (assertion) {
    case Assertion::kTextBegin:
      return before == Beside::kEnd;
    case Assertion::kTextEnd:
      return after == Beside::kEnd;
    case Assertion::kLineBegin:
      return line(before);
    case Assertion::kLineEnd:
      return line(after);
    default:
      return ((before == Beside::kWord) != (after == Beside::kWord)) == (assertion == Assertion::kWordBoundary);
  }
}

}  // namespace tracefn
