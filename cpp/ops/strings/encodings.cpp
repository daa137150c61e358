// Decoders and encoders of the Unicode encodings and of single-byte ones.
#include "ops/strings/encodings.h"

namespace tracefn {
namespace {

struct NamedEncoding {
  std::string_view name;  // letters in lower case and digits only
  Encoding encoding;
};
constexpr NamedEncoding kNames[] = {
    {"utf8", Encoding::kUtf8},
    {"cp65001", Encoding::kUtf8},
    {"utf16", Encoding::kUtf16BigEndian},  // TensorFlow starts at once, without a look at the byte order mark
    {"iso10646ucs2", Encoding::kUtf16BigEndian},
    {"utf16be", Encoding::kUtf16BigEndian},
    {"utf16le", Encoding::kUtf16LittleEndian},
    {"utf32", Encoding::kUtf32},
    {"utf32be", Encoding::kUtf32BigEndian},
    {"utf32le", Encoding::kUtf32LittleEndian},
    {"usascii", Encoding::kAscii},
    {"ascii", Encoding::kAscii},
    {"iso646us", Encoding::kAscii},
    {"us", Encoding::kAscii},
    {"iso88591", Encoding::kLatin1},
    {"latin1", Encoding::kLatin1},
    {"l1", Encoding::kLatin1},
    {"88591", Encoding::kLatin1},
    {"windows1252", Encoding::kWindows1252},
    {"cp1252", Encoding::kWindows1252},
};

// Bytes 0x80 to 0x9f of Windows-1252; the five without a character are control characters.
constexpr char16_t kWindows1252[] = {
    0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
    0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178,
};

constexpr std::string_view kMark32Little("\xff\xfe\0\0", 4), kMark32Big("\0\0\xfe\xff", 4);

}  // namespace

std::optional<Encoding> encoding_named(std::string_view name) {
  std::string plain;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      plain += c;
    } else if (c != '-' && c != '_' && c != ' ') {
      return std::nullopt;
    }
  }
  for (const NamedEncoding& known : kNames)
    if (known.name == plain) return known.encoding;
  return std::nullopt;
}

TextDecoder::TextDecoder(Encoding encoding, std::string_view text) : encoding_(encoding), text_(text) {
  if (encoding != Encoding::kUtf32) return;
  encoding_ = text.starts_with(kMark32Little) ? Encoding::kUtf32LittleEndian : Encoding::kUtf32BigEndian;
  // A mark counts as part of the first character.
  if (text.starts_with(kMark32Little) || text.starts_with(kMark32Big)) mark_ = 4;
}

std::uint32_t TextDecoder::unit(std::size_t at, int bytes, bool big) const {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    const std::uint32_t byte = static_cast<unsigned char>(text_[at + static_cast<std::size_t>(i)]);
    value = big ? value << 8 | byte : value | byte << (8 * i);
  }
  return value;
}

DecodedCharacter TextDecoder::wide16(bool big) const {
  const std::size_t left = text_.size() - at_;
  if (left < 2) return {kReplacementCharacter, left, false};
  const std::uint32_t first = unit(at_, 2, big);
  if (!is_surrogate(first)) return {first, 2, true};
  if (first >= 0xdc00) return {kReplacementCharacter, 2, false};
  if (left < 4) return {kReplacementCharacter, left, false};
  const std::uint32_t second = unit(at_ + 2, 2, big);
  if (second < 0xdc00 || second > 0xdfff) return {kReplacementCharacter, 2, false};
  return {0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff), 4, true};
}

DecodedCharacter TextDecoder::wide32(bool big) const {
  const std::size_t mark = at_ == 0 ? mark_ : 0, left = text_.size() - at_ - mark;
  if (left < 4) return {kReplacementCharacter, mark + left, false};
  const std::uint32_t value = unit(at_ + mark, 4, big);
  if (!is_code_point(value)) return {kReplacementCharacter, mark + 4, false};
  return {value, mark + 4, true};
}

DecodedCharacter TextDecoder::next() {
  const auto byte = static_cast<unsigned char>(text_[at_]);
  DecodedCharacter c{byte, 1, true};
  switch (encoding_) {
    case Encoding::kUtf8:
      c = decode_utf8(text_.substr(at_));
      break;
    case Encoding::kUtf16BigEndian:
    case Encoding::kUtf16LittleEndian:
      c = wide16(encoding_ == Encoding::kUtf16BigEndian);
      break;
    case Encoding::kUtf32:
    case Encoding::kUtf32BigEndian:
    case Encoding::kUtf32LittleEndian:
      c = wide32(encoding_ != Encoding::kUtf32LittleEndian);
      break;
    case Encoding::kAscii:
      if (byte >= 0x80) c = {kReplacementCharacter, 1, false};
      break;
    case Encoding::kLatin1:
      break;
    case Encoding::kWindows1252:
      if (byte >= 0x80 && byte < 0xa0) c.value = kWindows1252[byte - 0x80];
      break;
  }
  at_ += c.size;
  return c;
}

void append_encoded(Encoding encoding, std::string& out, char32_t c) {
  auto unit16 = [&](char32_t bits) {
    out += static_cast<char>(bits >> 8);
    out += static_cast<char>(bits);
  };
  switch (encoding) {
    case Encoding::kUtf16BigEndian:
      if (c < 0x10000) return unit16(c);
      unit16(0xd800 + ((c - 0x10000) >> 10));
      unit16(0xdc00 + ((c - 0x10000) & 0x3ff));
      return;
    case Encoding::kUtf32BigEndian:
      unit16(c >> 16);
      unit16(c);
      return;
    default:
      append_utf8(out, c);
  }
}

}  // namespace tracefn
