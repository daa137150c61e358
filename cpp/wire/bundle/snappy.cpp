#include "wire/bundle/snappy.h"

#include <cstdint>

#include "base/error.h"
#include "wire/wire_reader.h"

namespace tracefn {
namespace {

[[noreturn]] void damaged() { fail(ErrorKind::kDataLoss, "corrupted compressed block contents"); }

// The next `count` bytes as a number, the lowest first.
std::size_t take_number(std::string_view& bytes, std::size_t count) {
  if (bytes.size() < count) damaged();
  std::size_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value |= std::size_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
  bytes.remove_prefix(count);
  return value;
}

}  // namespace

std::string decompress_snappy(std::string_view bytes) {
  constexpr std::size_t kMostPerByte = 32;  // three bytes copy 64 at most
  std::uint64_t length = 0;
  if (!take_varint(bytes, length)) damaged();
  if (length > kMostPerByte * bytes.size()) damaged();
  std::string out;
  out.reserve(length);
  while (!bytes.empty()) {
    const std::size_t tag = take_number(bytes, 1);
    const std::size_t kind = tag & 3;
    std::size_t count = (tag >> 2) + 1;
    if (kind == 0) {
      if (count > 60) count = take_number(bytes, count - 60) + 1;
      if (count > bytes.size() || count > length - out.size()) damaged();
      out += bytes.substr(0, count);
      bytes.remove_prefix(count);
      continue;
    }
    std::size_t offset = 0;
    if (kind == 1) {
      count = (tag >> 2 & 7) + 4;
      offset = tag >> 5 << 8 | take_number(bytes, 1);
    } else {
      offset = take_number(bytes, kind == 2 ? 2 : 4);
    }
    if (offset == 0 || offset > out.size() || count > length - out.size()) damaged();
    // Byte by byte: the copy may overlap what it writes.
    for (std::size_t i = 0; i < count; ++i) out += out[out.size() - offset];
  }
  if (out.size() != length) damaged();
  return out;
}

}  // namespace tracefn
