// CharClass: a set of characters of a regular expression. Built once; then any thread may ask it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tracefn {

// Stands for bytes that look like a character but are none: overlong, or above the last code point. RE2 takes them for
// characters where every character above ASCII is in the set.
constexpr char32_t kLooksLikeCharacter = 0x110000;

class CharClass {
 public:
  struct Range {
    char32_t first, last;
  };

  void add(char32_t first, char32_t last) { ranges_.push_back({first, last}); }
  void add(const CharClass& other) { ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end()); }
  // Adds the letters that differ in case only.
  void fold_case();
  void negate();
  // Sorts and merges the ranges. Must be the last change.
  void finish();

  // Precondition: finished.
  bool contains(char32_t c) const {
    if (c < 128) return ascii_[c >> 6] >> (c & 63) & 1;
    return contains_beyond_ascii(c);
  }

  // Sorted and apart from each other. Precondition: finished.
  const std::vector<Range>& ranges() const { return ranges_; }

  // "alpha".
  static std::optional<CharClass> posix(std::string_view name);
  // 'd', 's' or 'w'.
  static std::optional<CharClass> perl(char letter);
  // "L", "Lu", "Greek", "Any".
  static std::optional<CharClass> unicode(std::string_view name);

 private:
  bool contains_beyond_ascii(char32_t c) const;
  void merge();

  std::vector<Range> ranges_;
  std::uint64_t ascii_[2] = {0, 0};
};

}  // namespace tracefn
