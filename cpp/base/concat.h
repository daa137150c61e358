// concat(a, b, …): concatenates its arguments as text, in one function that is compiled once: messages are many, and
// must be cheap to build. Thread-safe: values only.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace tracefn {

// A type opts in by a function `std::string printed(const T&)` beside it.
template <typename T>
concept HasText = requires(const T& value) {
  { printed(value) } -> std::convertible_to<std::string>;
};

// One argument of concat, by reference: it must not outlive the call. Numbers are written as an ostream writes them.
class TextPart {
 public:
  TextPart(std::string_view text) : kind_(Kind::kText), text_(text) {}     // NOLINT(google-explicit-constructor)
  TextPart(const std::string& text) : TextPart(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  TextPart(const char* text) : TextPart(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)
  template <std::integral T>
  TextPart(T value)  // NOLINT(google-explicit-constructor)
      : kind_(sizeof(T) == 1 && !std::is_same_v<T, bool> ? Kind::kCharacter
              : std::is_signed_v<T>                      ? Kind::kSigned
                                                         : Kind::kUnsigned),
        bits_(static_cast<std::uint64_t>(value)) {}
  template <std::floating_point T>
  TextPart(T value)
      : kind_(Kind::kFloating), number_(static_cast<double>(value)) {}  // NOLINT(google-explicit-constructor)
  template <HasText T>
  TextPart(const T& value)  // NOLINT(google-explicit-constructor)
      : kind_(Kind::kObject), object_{&value, [](const void* object) {
                                        return printed(*static_cast<const T*>(object));
                                      }} {}

  void append_to(std::string& out) const;

 private:
  struct Object {
    const void* value;
    std::string (*text)(const void*);
  };
  enum class Kind : std::uint8_t { kText, kCharacter, kSigned, kUnsigned, kFloating, kObject };

  Kind kind_;
  union {
    std::string_view text_;
    std::uint64_t bits_;
    double number_;
    Object object_;
  };
};

std::string concat_parts(std::initializer_list<TextPart> parts);

template <typename... Args>
std::string concat(const Args&... args) {
  return concat_parts({TextPart(args)...});
}

}  // namespace tracefn
