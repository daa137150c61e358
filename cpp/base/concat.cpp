#include "base/concat.h"

#include <charconv>
#include <cstdio>

namespace tracefn {
namespace {

template <typename T>
void append_number(std::string& out, T value) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

void TextPart::append_to(std::string& out) const {
  switch (kind_) {
    case Kind::kText:
      out += text_;
      return;
    case Kind::kCharacter:
      out += static_cast<char>(bits_);
      return;
    case Kind::kSigned:
      append_number(out, static_cast<std::int64_t>(bits_));
      return;
    case Kind::kUnsigned:
      append_number(out, bits_);
      return;
    case Kind::kFloating: {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%g", number_);
      out += digits;
      return;
    }
    case Kind::kObject:
      out += object_.text(object_.value);
      return;
  }
}

std::string concat_parts(std::initializer_list<TextPart> parts) {
  std::string out;
  for (const TextPart& part : parts) part.append_to(out);
  return out;
}

}  // namespace tracefn
