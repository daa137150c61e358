// The text format of protocol buffers.
#include "wire/proto_text.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/error.h"

namespace tracefn {
namespace {

constexpr int kMostTextDepth = 100;  // as protobuf

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// UTF-8.
void put_character(std::string& out, std::uint32_t c) {
  auto rest = [&](int shift) { out.push_back(static_cast<char>(0x80 | (c >> shift & 0x3f))); };
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xc0 | c >> 6));
    rest(0);
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | c >> 12));
    rest(6);
    rest(0);
  } else {
    out.push_back(static_cast<char>(0xf0 | c >> 18));
    rest(12);
    rest(6);
    rest(0);
  }
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { advance(); }

  void parse(ProtoTree& message) {
    while (!token_.empty()) parse_field(message, 0);
  }

 private:
  [[noreturn]] void wrong(std::string_view what) const {
    const std::string_view before = text_.substr(0, static_cast<std::size_t>(token_.data() - text_.data()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t start = before.rfind('\n');
    const std::size_t column = start == std::string_view::npos ? before.size() : before.size() - start - 1;
    fail(ErrorKind::kValue, line, ":", column + 1, ": ", what);
  }

  // Moves to the next token: a name, a number, a quoted text, or one character; empty at the end.
  void advance() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f') {
        ++at_;
      } else {
        break;
      }
    }
    const std::size_t start = at_;
    auto take = [&](auto belongs) {
      while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    };
    token_ = text_.substr(start, 0);
    if (start == text_.size()) return;
    const char c = text_[start];
    const bool fraction = c == '.' && start + 1 < text_.size() && is_digit(text_[start + 1]);
    if (is_letter(c)) {
      take([](char x) { return is_letter(x) || is_digit(x); });
    } else if (is_digit(c) || fraction) {
      take([&](char x) {
        const char last = at_ > start ? text_[at_ - 1] : '\0';
        const bool exponent =
            (x == '+' || x == '-') && (last == 'e' || last == 'E') && !text_.substr(start).starts_with("0x");
        return is_letter(x) || is_digit(x) || x == '.' || exponent;
      });
    } else if (c == '"' || c == '\'') {
      ++at_;
      while (at_ < text_.size() && text_[at_] != c && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
      if (at_ >= text_.size() || text_[at_] != c) wrong("A text is not closed.");
      ++at_;
    } else {
      ++at_;
    }
    token_ = text_.substr(start, at_ - start);
  }

  bool skip(std::string_view token) {
    if (token_ != token) return false;
    advance();
    return true;
  }
  void expect(std::string_view token) {
    if (!skip(token)) wrong(concat("Expected \"", token, "\", found \"", token_, "\"."));
  }

  const ProtoField& parse_name(const ProtoMessage& type) {
    std::string name;
    if (skip("[")) {
      for (; !token_.empty() && token_ != "]"; advance()) name += token_;
      expect("]");
    } else {
      if (token_.empty() || !is_letter(token_[0])) wrong(concat("Expected identifier, got: ", token_));
      name = token_;
      advance();
    }
    const ProtoField* field = type.field(name);
    if (!field) wrong(concat("Message type \"", type.full_name, "\" has no field named \"", name, "\"."));
    return *field;
  }

  void parse_field(ProtoTree& message, int depth) {
    const ProtoField& field = parse_name(message.type());
    if (!field.repeated && message.has(field))
      wrong(concat("Non-repeated field \"", field.name, "\" is specified multiple times."));
    const bool colon = skip(":");
    if (!field.message && !colon) wrong(concat("Expected \":\", found \"", token_, "\"."));
    if (field.repeated && skip("[")) {
      if (!skip("]")) {
        do {
          parse_value(message, field, depth);
        } while (skip(","));
        expect("]");
      }
    } else {
      parse_value(message, field, depth);
    }
    if (!skip(";")) skip(",");
  }

  void parse_value(ProtoTree& message, const ProtoField& field, int depth) {
    if (field.message) {
      if (depth >= kMostTextDepth) wrong("Message is too deep, the parser exceeded the configured recursion limit.");
      const std::string_view close = token_ == "<" ? ">" : "}";
      if (!skip("<")) expect("{");
      ProtoTree& inside = *message.add(field).message;
      while (token_ != close) {
        if (token_.empty()) wrong(concat("Expected \"", close, "\", found \"\"."));
        parse_field(inside, depth + 1);
      }
      advance();
    } else if (is_packable(field.type)) {
      const std::uint64_t bits = parse_number(field);
      message.add(field).bits = bits;
    } else {
      std::string bytes = parse_string();
      message.add(field).bytes = std::move(bytes);
    }
  }

  std::string parse_string() {
    if (token_.empty() || (token_[0] != '"' && token_[0] != '\'')) wrong(concat("Expected string, got: ", token_));
    std::string bytes;
    for (; !token_.empty() && (token_[0] == '"' || token_[0] == '\''); advance())
      bytes += unescaped(token_.substr(1, token_.size() - 2));
    return bytes;
  }

  std::uint64_t parse_number(const ProtoField& field) {
    switch (field.type) {
      case ProtoType::kDouble:
        return std::bit_cast<std::uint64_t>(parse_real());
      case ProtoType::kFloat:
        return std::bit_cast<std::uint32_t>(static_cast<float>(parse_real()));
      case ProtoType::kBool:
        return parse_bool();
      case ProtoType::kEnum:
        return parse_enum(*field.enumeration);
      case ProtoType::kUint32:
      case ProtoType::kFixed32:
        return parse_unsigned(std::numeric_limits<std::uint32_t>::max());
      case ProtoType::kUint64:
      case ProtoType::kFixed64:
        return parse_unsigned(std::numeric_limits<std::uint64_t>::max());
      case ProtoType::kInt64:
      case ProtoType::kSint64:
      case ProtoType::kSfixed64:
        return parse_signed(std::numeric_limits<std::int64_t>::max());
      default:
        return parse_signed(std::numeric_limits<std::int32_t>::max());
    }
  }

  // Decimal, octal after 0, hexadecimal after 0x.
  std::uint64_t parse_unsigned(std::uint64_t most) {
    const std::string digits(token_);
    if (digits.empty() || !is_digit(digits[0])) wrong(concat("Expected integer, got: ", token_));
    char* end = nullptr;
    errno = 0;
    const unsigned long long value = std::strtoull(digits.c_str(), &end, 0);
    if (*end != '\0') wrong(concat("Expected integer, got: ", token_));
    if (errno == ERANGE || value > most) wrong(concat("Integer out of range (", token_, ")"));
    advance();
    return value;
  }

  std::uint64_t parse_signed(std::int64_t most) {
    const bool negative = skip("-");
    const std::uint64_t size = parse_unsigned(static_cast<std::uint64_t>(most) + (negative ? 1 : 0));
    return negative ? ~size + 1 : size;
  }

  double parse_real() {
    const double sign = skip("-") ? -1.0 : 1.0;
    std::string text = lower(token_);
    double value = 0.0;
    if (text == "inf" || text == "infinity") {
      value = std::numeric_limits<double>::infinity();
    } else if (text == "nan") {
      value = std::numeric_limits<double>::quiet_NaN();
    } else {
      if (text.empty() || (!is_digit(text[0]) && text[0] != '.')) wrong(concat("Expected double, got: ", token_));
      if (text.ends_with('f') && !text.starts_with("0x")) text.pop_back();
      char* end = nullptr;
      value = std::strtod(text.c_str(), &end);
      if (*end != '\0') wrong(concat("Expected double, got: ", token_));
    }
    advance();
    return sign * value;
  }

  std::uint64_t parse_bool() {
    if (!token_.empty() && is_digit(token_[0])) return parse_unsigned(1);
    const bool truth = token_ == "true" || token_ == "True" || token_ == "t";
    if (!truth && token_ != "false" && token_ != "False" && token_ != "f")
      wrong(concat("Invalid value for boolean field. Value: \"", token_, "\"."));
    advance();
    return truth;
  }

  std::uint64_t parse_enum(const ProtoEnum& type) {
    if (token_ == "-" || (!token_.empty() && is_digit(token_[0]))) {
      const std::uint64_t bits = parse_signed(std::numeric_limits<std::int32_t>::max());
      if (type.closed && !type.has(static_cast<std::int32_t>(bits)))
        wrong(concat("Unknown enumeration value of ", static_cast<std::int32_t>(bits), " for ", type.full_name, "."));
      return bits;
    }
    const std::int32_t* number = type.number(token_);
    if (!number) wrong(concat("Unknown enumeration value of \"", token_, "\" for ", type.full_name, "."));
    advance();
    return static_cast<std::uint64_t>(std::int64_t{*number});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view token_;
};

}  // namespace

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out.push_back(text[i]);
      continue;
    }
    if (++i == text.size()) fail(ErrorKind::kValue, "A text ends in a backslash.");
    static constexpr std::string_view kLetters = "abfnrtv\\'\"?", kMeanings = "\a\b\f\n\r\t\v\\'\"?";
    if (const std::size_t known = kLetters.find(text[i]); known != std::string_view::npos) {
      out.push_back(kMeanings[known]);
      continue;
    }
    // Up to `most` digits of a base, from place `i + 1` on; leaves i at the last one.
    auto digits = [&](std::size_t most, int base) {
      std::uint32_t value = 0;
      std::size_t n = 0;
      for (; n < most && i + 1 < text.size(); ++n, ++i) {
        const int digit = hex_digit(text[i + 1]);
        if (digit < 0 || digit >= base) break;
        value = value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit);
      }
      if (n == 0) fail(ErrorKind::kValue, "An escape has no digits.");
      return value;
    };
    if (text[i] == 'x' || text[i] == 'X') {
      out.push_back(static_cast<char>(digits(2, 16)));
    } else if (text[i] == 'u' || text[i] == 'U') {
      put_character(out, digits(text[i] == 'u' ? 4 : 8, 16));
    } else if (text[i] >= '0' && text[i] <= '7') {
      --i;
      out.push_back(static_cast<char>(digits(3, 8)));
    } else {
      fail(ErrorKind::kValue, "Invalid escape sequence \\", std::string_view(text).substr(i, 1), " in a text.");
    }
  }
  return out;
}

void merge_text(ProtoTree& message, std::string_view text) { Parser(text).parse(message); }

}  // namespace tracefn
