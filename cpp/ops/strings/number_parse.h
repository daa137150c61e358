// Numbers from text, as TensorFlow reads them: spaces around a number do not count, and all else must be part of it.
#pragma once

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace tracefn {

inline std::string_view trimmed(std::string_view s) {
  static constexpr std::string_view kSpaces = " \t\n\v\f\r";
  std::size_t begin = s.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(kSpaces) - begin + 1);
}

template <typename T>
std::optional<T> parse_integer(std::string_view s) {
  if (s.starts_with("+") && !s.starts_with("+-")) s.remove_prefix(1);
  T value = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return value;
}

template <typename T>
std::optional<T> parse_real(std::string_view s) {
  bool negative = s.starts_with("-");
  if (negative || s.starts_with("+")) s.remove_prefix(1);
  if (s.starts_with("-") || s.starts_with("+")) return std::nullopt;
  bool hex = s.starts_with("0x") || s.starts_with("0X");
  if (hex) s.remove_prefix(2);
  T value = 0;
  auto [end, error] =
      std::from_chars(s.data(), s.data() + s.size(), value, hex ? std::chars_format::hex : std::chars_format::general);
  if (error == std::errc::invalid_argument || end != s.data() + s.size()) return std::nullopt;
  // from_chars does not say whether an out-of-range number is too large or too small.
  if (error == std::errc::result_out_of_range)
    value = static_cast<T>(std::strtod((hex ? "0x" + std::string(s) : std::string(s)).c_str(), nullptr));
  return negative ? -value : value;
}

// Nothing if the text is no number, or an integer out of range. Reals out of range are infinite or zero.
template <typename T>
std::optional<T> parse_number(std::string_view text) {
  if constexpr (std::is_floating_point_v<T>) {
    return parse_real<T>(trimmed(text));
  } else {
    return parse_integer<T>(trimmed(text));
  }
}

}  // namespace tracefn
