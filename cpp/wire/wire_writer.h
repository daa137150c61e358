// Appends keys and values in the protocol buffer wire format to a string.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "wire/wire_type.h"

namespace tracefn {

inline void put_varint(std::string& out, std::uint64_t v) {
  while (v >= 0x80) {
    out.push_back(static_cast<char>(v | 0x80));
    v >>= 7;
  }
  out.push_back(static_cast<char>(v));
}

inline void put_key(std::string& out, std::int64_t number, std::uint64_t type) {
  put_varint(out, static_cast<std::uint64_t>(number) << 3 | type);
}

inline void put_delimited(std::string& out, std::int64_t number, std::string_view bytes) {
  put_key(out, number, kDelimited);
  put_varint(out, bytes.size());
  out += bytes;
}

// Little-endian, like all supported machines.
template <typename T>
void put_fixed(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

}  // namespace tracefn
