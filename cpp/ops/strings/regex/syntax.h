// The syntax of regular expressions, which is RE2's: a pattern as a tree.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ops/strings/regex/char_class.h"

namespace tracefn {

struct RegexNode {
  enum class Kind : std::uint8_t { kEmpty, kChar, kClass, kAssert, kGroup, kConcat, kAlternate, kRepeat };
  enum class Assertion : std::uint8_t { kTextBegin, kTextEnd, kLineBegin, kLineEnd, kWordBoundary, kNoWordBoundary };

  Kind kind = Kind::kEmpty;
  Assertion assertion = Assertion::kTextBegin;
  bool greedy = true;
  char32_t character = 0;
  int group = 0;            // kGroup: its number, from 1
  int least = 0, most = 0;  // kRepeat; -1: no limit
  int copies = 1;           // how often the innermost part is copied by nested repetitions
  int depth = 1;            // of the tree
  std::shared_ptr<const CharClass> set;
  std::vector<std::unique_ptr<RegexNode>> parts;
};

// What is wrong with a pattern, in RE2's words: "missing ]: [a".
struct RegexError {
  std::string text;
};

struct RegexSyntax {
  std::unique_ptr<RegexNode> root;
  int groups = 0;
};
// Throws RegexError.
RegexSyntax parse_regex(std::string_view pattern);

}  // namespace tracefn
