// CRC-32C (Castagnoli), as RFC 3720 defines it, and the form of it that TensorFlow's files hold.
#pragma once

#include <cstdint>
#include <string_view>

namespace tracefn {

// The checksum of bytes with checksum `crc` and of `more` after them.
std::uint32_t extend_crc32c(std::uint32_t crc, std::string_view more);
inline std::uint32_t crc32c(std::string_view bytes) { return extend_crc32c(0, bytes); }

// A checksum that may be stored beside the data without being mistaken for data that need one.
inline std::uint32_t masked(std::uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8u; }
inline std::uint32_t masked_crc32c(std::string_view bytes) { return masked(crc32c(bytes)); }

}  // namespace tracefn
