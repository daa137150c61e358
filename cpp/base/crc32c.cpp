// CRC-32C, eight bytes at a time: by the instruction for it where the processor has one, else by eight tables.
#include "base/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace tracefn {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

// Table t advances a byte that is followed by t others.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t t = 1; t < tables.size(); ++t)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[t][byte] = tables[t - 1][byte] >> 8 ^ tables[0][tables[t - 1][byte] & 0xff];
  return tables;
}
constexpr Tables kTables = make_tables();

std::uint32_t extend_by_tables(std::uint32_t crc, std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    word ^= crc;
    crc = 0;
    for (std::size_t t = 0; t < 8; ++t) crc ^= kTables[7 - t][word >> (8 * t) & 0xff];
  }
  for (char byte : bytes) crc = crc >> 8 ^ kTables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) std::uint32_t extend_by_instruction(std::uint32_t crc, std::string_view bytes) {
  std::uint64_t wide = crc;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = static_cast<std::uint32_t>(wide);
  for (char byte : bytes) crc = __builtin_ia32_crc32qi(crc, static_cast<unsigned char>(byte));
  return crc;
}

bool has_instruction() {
  static const bool found = __builtin_cpu_supports("sse4.2");
  return found;
}
#endif

}  // namespace

std::uint32_t extend_crc32c(std::uint32_t crc, std::string_view bytes) {
#ifdef __x86_64__
  if (has_instruction()) return ~extend_by_instruction(~crc, bytes);
#endif
  return ~extend_by_tables(~crc, bytes);
}

}  // namespace tracefn
