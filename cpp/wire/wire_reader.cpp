// Reads the protocol buffer wire format.
#include "wire/wire_reader.h"

#include <cstring>

#include "base/error.h"
#include "wire/wire_type.h"

namespace tracefn {
namespace {

// Nesting limit of groups: as in protobuf.
constexpr int kMostGroups = 100;

// Little-endian, like all supported machines.
template <typename T>
T plain(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
    const unsigned first = byte(i);
    if (first < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    // Rejects overlong forms, surrogates, and values past the last character.
    const unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (first < 0xc2 || first > 0xf4 || byte(i + 1) < low || byte(i + 1) > high) return false;
    for (std::size_t k = 2; k < length; ++k)
      if (byte(i + k) < 0x80 || byte(i + k) > 0xbf) return false;
    i += length;
  }
  return true;
}

}  // namespace

void WireReader::corrupt(std::string_view what) const {
  fail(ErrorKind::kValue, "The bytes are no serialized message: ", what, " at byte ", place(), " of ", file_.size(),
       ".");
}

std::uint64_t WireReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (bytes_.empty()) corrupt("a number is cut off");
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  corrupt("a number has more than 10 bytes");
}

std::string_view WireReader::take(std::uint64_t n) {
  if (n > bytes_.size()) corrupt(concat("a field has ", n, " bytes where ", bytes_.size(), " are left"));
  std::string_view taken = bytes_.substr(0, static_cast<std::size_t>(n));
  bytes_.remove_prefix(static_cast<std::size_t>(n));
  return taken;
}

bool WireReader::next() {
  for (;;) {
    start_ = bytes_.data();
    if (bytes_.empty()) return false;
    const std::uint64_t key = varint();
    if (key >> 3 == 0 || key >> 32 != 0) corrupt("a field has an impossible number");
    key_ = static_cast<std::uint32_t>(key);
    switch (key & 7) {
      case kVarint:
        number_ = varint();
        return true;
      case kFixed64:
        field_ = take(8);
        return true;
      case kDelimited:
        field_ = take(varint());
        return true;
      case kFixed32:
        field_ = take(4);
        return true;
      case kStartGroup:
        skip_group(key >> 3);
        break;
      default:
        corrupt("a field of no known type");
    }
  }
}

// Supported messages have no groups.
void WireReader::skip_group(std::uint64_t number) {
  std::uint64_t open[kMostGroups] = {number};
  int depth = 1;
  while (depth > 0) {
    if (bytes_.empty()) corrupt("a group is not closed");
    const std::uint64_t key = varint();
    switch (key & 7) {
      case kVarint:
        varint();
        break;
      case kFixed64:
        take(8);
        break;
      case kDelimited:
        take(varint());
        break;
      case kFixed32:
        take(4);
        break;
      case kStartGroup:
        if (depth == kMostGroups) corrupt("groups are nested too deep");
        open[depth++] = key >> 3;
        break;
      case kEndGroup:
        if (open[--depth] != key >> 3) corrupt("another group is closed than was opened");
        break;
      default:
        corrupt("a field of no known type");
    }
  }
}

std::uint64_t WireReader::plain_number() const {
  switch (key_ & 7) {
    case kFixed64:
      return plain<std::uint64_t>(field_.data());
    case kFixed32:
      return plain<std::uint32_t>(field_.data());
    default:
      return number_;
  }
}
float WireReader::real32() const { return plain<float>(field_.data()); }
double WireReader::real64() const { return plain<double>(field_.data()); }

std::string WireReader::text() const {
  if (!is_utf8(field_)) corrupt("a text is not UTF-8");
  return std::string(field_);
}

bool WireReader::next_varint(std::uint64_t& value) {
  start_ = bytes_.data();
  if (bytes_.empty()) return false;
  value = varint();
  return true;
}

template <typename T>
bool WireReader::next_plain(T& value) {
  start_ = bytes_.data();
  if (bytes_.empty()) return false;
  value = plain<T>(take(sizeof(T)).data());
  return true;
}
bool WireReader::next_fixed(float& value) { return next_plain(value); }
bool WireReader::next_fixed(double& value) { return next_plain(value); }

bool WireReader::next_number(int wire_type, std::uint64_t& value) {
  if (wire_type == kVarint) return next_varint(value);
  if (wire_type == kFixed64) return next_plain(value);
  std::uint32_t narrow = 0;
  if (!next_plain(narrow)) return false;
  value = narrow;
  return true;
}

bool take_varint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace tracefn
