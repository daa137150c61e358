// CRC-32C (Castagnoli), as RFC 3720 defines it, and the form of it that TensorFlow's files hold.
#pragma once

#include <cstdint>
#include <string_view>

namespace tracefn {

std::uint32_t crc32c(std::string_view bytes);

// A checksum that may be stored beside the data without being mistaken for data that need one.
inline std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

}  // namespace tracefn
