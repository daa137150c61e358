// JsonReader: reads JSON (RFC 8259) from front to back, without a tree of values. The text is not trusted: violations
// are an Error(kInvalidArgument) that names the place.
#pragma once

#include <string>
#include <string_view>

namespace tracefn {

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  // Calls f(key) for each member of an object, and f() for each element of an array; f reads the value.
  template <typename F>
  void object(F&& f) {
    open('{');
    for (bool first = true; next('}', first); first = false) {
      const std::string key = string();
      expect(':');
      f(key);
    }
  }
  template <typename F>
  void array(F&& f) {
    open('[');
    for (bool first = true; next(']', first); first = false) f();
  }
  std::string string();
  // The text of a number, or what is in a string.
  std::string number_or_string();
  // Reads null if it is there.
  bool null();
  // Error unless nothing follows.
  void end();

  [[noreturn]] void fail_here(std::string_view what) const;

 private:
  char peek();
  void open(char bracket);
  void expect(char c);
  bool next(char bracket, bool first);
  char32_t escaped_unit();
  char32_t escaped_character();

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace tracefn
