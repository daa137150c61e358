// Reads JSON.
#include "ops/files/json_reader.h"

#include "base/error.h"
#include "ops/strings/utf8.h"

namespace tracefn {

void JsonReader::fail_here(std::string_view what) const {
  invalid_argument("Error while parsing JSON: ", at_ < text_.size() ? what : "unexpected EOF", " at byte ", at_);
}

char JsonReader::peek() {
  while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) ++at_;
  if (at_ == text_.size()) fail_here("");
  return text_[at_];
}

void JsonReader::expect(char c) {
  if (peek() != c) fail_here(concat("expected '", std::string_view(&c, 1), "'"));
  ++at_;
}
void JsonReader::open(char bracket) { expect(bracket); }

bool JsonReader::next(char bracket, bool first) {
  if (peek() == bracket) {
    ++at_;
    return false;
  }
  if (!first) expect(',');
  return true;
}

bool JsonReader::null() {
  if (peek() != 'n') return false;
  if (text_.substr(at_, 4) != "null") fail_here("expected a value");
  at_ += 4;
  return true;
}

void JsonReader::end() {
  while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) ++at_;
  if (at_ != text_.size()) fail_here("expected the end");
}

// Four hexadecimal digits.
char32_t JsonReader::escaped_unit() {
  char32_t value = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    if (at_ == text_.size()) fail_here("");
    const char c = text_[at_];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) fail_here("expected a hexadecimal digit");
    value = value << 4 | static_cast<char32_t>(digit);
  }
  return value;
}

// What follows \u, with the second half of a pair.
char32_t JsonReader::escaped_character() {
  const char32_t first = escaped_unit();
  if (first < 0xd800 || first > 0xdfff) return first;
  if (first > 0xdbff || text_.substr(at_, 2) != "\\u") fail_here("half of a surrogate pair");
  at_ += 2;
  const char32_t second = escaped_unit();
  if (second < 0xdc00 || second > 0xdfff) fail_here("half of a surrogate pair");
  return 0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff);
}

std::string JsonReader::string() {
  constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  expect('"');
  std::string out;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      return out;
    }
    if (static_cast<unsigned char>(c) < 0x20) fail_here("a control character in a string");
    if (c != '\\') {
      out += c;
      continue;
    }
    if (++at_ == text_.size()) break;
    if (text_[at_] == 'u') {
      ++at_;
      append_utf8(out, escaped_character());
      --at_;
    } else {
      const std::size_t escape = kEscapes.find(text_[at_]);
      if (escape == std::string_view::npos) fail_here("an unknown escape");
      out += kMeanings[escape];
    }
  }
  fail_here("");
}

std::string JsonReader::number_or_string() {
  if (peek() == '"') return string();
  const std::size_t start = at_;
  while (at_ < text_.size() && std::string_view("+-.eE0123456789").find(text_[at_]) != std::string_view::npos) ++at_;
  if (at_ == start) fail_here("expected a number");
  return std::string(text_.substr(start, at_ - start));
}

}  // namespace tracefn
