// Unsigned numbers in the bytes of an image file. Precondition: the file has these bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace tracefn {

inline std::uint32_t byte_at(std::string_view file, std::size_t i) { return static_cast<unsigned char>(file[i]); }
// Two bytes, the higher one first.
inline std::uint32_t short_at(std::string_view file, std::size_t i) {
  return byte_at(file, i) << 8 | byte_at(file, i + 1);
}

}  // namespace tracefn
