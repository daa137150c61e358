// CharPartition: characters that no set of a regular expression tells apart form one class, so that an automaton has a
// transition per class instead of one per character. Built once; then any thread may ask it.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/strings/regex/char_class.h"

namespace tracefn {

class CharPartition {
 public:
  static constexpr int kMostClasses = 255;

  // Tells the characters of the ranges, which are sorted and apart from each other, from all others.
  void add(const std::vector<CharClass::Range>& set);
  // After the last set. False, and not to be asked, if the sets are too many or tell too many classes apart.
  bool finish();

  // Preconditions: finished; c is at most kLooksLikeCharacter.
  int class_of(char32_t c) const { return c < 128 ? ascii_[c] : class_beyond_ascii(c); }
  int classes() const { return static_cast<int>(examples_.size()); }
  // A character of the class.
  char32_t example(int number) const { return examples_[static_cast<std::size_t>(number)]; }

 private:
  // Of sets times intervals between their ends: more cost more than they save.
  static constexpr std::size_t kMostWork = 1 << 20;

  int class_beyond_ascii(char32_t c) const;

  std::vector<std::vector<CharClass::Range>> sets_;
  std::vector<char32_t> starts_;       // of intervals; the first is 0
  std::vector<std::uint8_t> numbers_;  // of the class of each interval
  std::vector<char32_t> examples_;
  std::uint8_t ascii_[128] = {};
};

}  // namespace tracefn
