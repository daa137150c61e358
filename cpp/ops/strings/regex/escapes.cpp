// Escapes and the items of character classes.
#include "ops/strings/regex/escapes.h"

#include "base/concat.h"
#include "ops/strings/regex/syntax.h"
#include "ops/strings/utf8.h"

namespace tracefn {
namespace {

bool is_octal(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '7'; }

// -1 if it is none.
int hex_digit(char32_t c) {
  if (c >= '0' && c <= '9') return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A' + 10);
  return -1;
}

[[noreturn]] void bad_escape(std::string_view from, std::string_view rest) {
  throw RegexError{concat("invalid escape sequence: ", from.substr(0, from.size() - rest.size()))};
}

char32_t octal(char32_t first, std::string_view& text) {
  char32_t value = first - '0';
  for (int more = 0; more < 2 && is_octal(text); ++more, text.remove_prefix(1))
    value = value * 8 + static_cast<char32_t>(text[0] - '0');
  return value;
}

// After "\x": two digits, or any number of them in braces.
char32_t hexadecimal(std::string_view from, std::string_view& text) {
  auto next = [&] {
    if (text.empty()) bad_escape(from, text);
    return take_character(text);
  };
  char32_t c = next();
  if (c != '{') {
    const char32_t second = next();
    if (hex_digit(c) < 0 || hex_digit(second) < 0) bad_escape(from, text);
    return static_cast<char32_t>(hex_digit(c) * 16 + hex_digit(second));
  }
  char32_t value = 0;
  bool any = false;
  for (c = next(); hex_digit(c) >= 0; c = next()) {
    value = value * 16 + static_cast<char32_t>(hex_digit(c));
    if (value > kLastCodePoint) bad_escape(from, text);
    any = true;
  }
  if (c != '}' || !any) bad_escape(from, text);
  return value;
}

void add_folded(CharClass& set, CharClass added, bool fold_case, bool negated) {
  if (fold_case) added.fold_case();
  if (negated) added.negate();
  set.add(added);
}

// "\pL", "\p{Greek}", "\P{^Greek}".
void add_unicode_class(CharClass& set, std::string_view& text, bool fold_case) {
  const std::string_view from = text;
  bool negated = text[1] == 'P';
  text.remove_prefix(2);
  auto written = [&] { return from.substr(0, from.size() - text.size()); };
  auto bad = [&] { throw RegexError{concat("invalid character class range: ", written())}; };
  if (text.empty()) bad();
  std::string_view name = text;
  if (take_character(text) != '{') {
    name = name.substr(0, name.size() - text.size());
  } else {
    const std::size_t end = text.find('}');
    if (end == std::string_view::npos) throw RegexError{concat("invalid character class range: ", from)};
    name = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  if (name.starts_with('^')) {
    negated = !negated;
    name.remove_prefix(1);
  }
  std::optional<CharClass> found = CharClass::unicode(name);
  if (!found) bad();
  add_folded(set, std::move(*found), fold_case, negated);
}

char32_t take_bracketed_character(std::string_view& text, std::string_view whole) {
  if (text.empty()) throw RegexError{concat("missing ]: ", whole)};
  return text[0] == '\\' ? take_escape(text) : take_character(text);
}

}  // namespace

char32_t take_character(std::string_view& text) {
  const DecodedCharacter c = decode_utf8(text);
  if (!c.valid) throw RegexError{"invalid UTF-8"};
  text.remove_prefix(c.size);
  return c.value;
}

char32_t take_escape(std::string_view& text) {
  const std::string_view from = text;
  text.remove_prefix(1);
  if (text.empty()) throw RegexError{"trailing \\"};
  const char32_t c = take_character(text);
  switch (c) {
    case 'x':
      return hexadecimal(from, text);
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'a':
      return '\a';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    default:
      break;
  }
  // One digit other than 0 would refer back to a group.
  if (c == '0' || (c >= '1' && c <= '7' && is_octal(text))) return octal(c, text);
  const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  if (c >= 128 || word) bad_escape(from, text);
  return c;
}

bool add_escaped_class(CharClass& set, std::string_view& text, bool fold_case) {
  if (text.size() < 2 || text[0] != '\\') return false;
  if (text[1] == 'p' || text[1] == 'P') {
    add_unicode_class(set, text, fold_case);
    return true;
  }
  const bool negated = text[1] >= 'A' && text[1] <= 'Z';
  std::optional<CharClass> found = CharClass::perl(negated ? static_cast<char>(text[1] + 32) : text[1]);
  if (!found) return false;
  text.remove_prefix(2);
  add_folded(set, std::move(*found), fold_case, negated);
  return true;
}

void add_bracketed_item(CharClass& set, std::string_view& text, std::string_view whole, bool fold_case) {
  if (text.starts_with("[:")) {
    const std::size_t end = text.find(":]", 2);
    if (end != std::string_view::npos) {
      const std::string_view name = text.substr(0, end + 2);
      const bool negated = name.starts_with("[:^");
      std::optional<CharClass> found = CharClass::posix(name.substr(negated ? 3 : 2, end - (negated ? 3 : 2)));
      if (!found) throw RegexError{concat("invalid character class range: ", name)};
      text.remove_prefix(name.size());
      return add_folded(set, std::move(*found), fold_case, negated);
    }
  }
  if (add_escaped_class(set, text, fold_case)) return;
  const std::string_view from = text;
  const char32_t first = take_bracketed_character(text, whole);
  char32_t last = first;
  if (text.size() >= 2 && text[0] == '-' && text[1] != ']') {
    text.remove_prefix(1);
    last = take_bracketed_character(text, whole);
    if (last < first)
      throw RegexError{concat("invalid character class range: ", from.substr(0, from.size() - text.size()))};
  }
  CharClass range;
  range.add(first, last);
  add_folded(set, std::move(range), fold_case, false);
}

std::optional<int> take_count(std::string_view& text) {
  auto digit = [](std::string_view t) { return !t.empty() && t[0] >= '0' && t[0] <= '9'; };
  if (!digit(text) || (text[0] == '0' && digit(text.substr(1)))) return std::nullopt;
  int value = 0;
  for (; digit(text); text.remove_prefix(1))
    if (value < 100'000'000) value = value * 10 + (text[0] - '0');
  return value;
}

}  // namespace tracefn
