// What an assembler emits, as hexadecimal digits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tracefn::test {

inline std::string hex(const std::vector<std::uint8_t>& code) {
  std::string text;
  for (std::uint8_t byte : code) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// Of what write(assembler) emits.
template <typename Assembler, typename Write>
std::string code_of(Write write) {
  Assembler a;
  write(a);
  std::string text = hex(a.finish());
  while (text.ends_with("cc")) text.resize(text.size() - 2);  // up to a multiple of 16
  return text;
}

}  // namespace tracefn::test
