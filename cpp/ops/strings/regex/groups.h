// RegexGroups: the groups of a match whose ends are known, by trying one way after the other; a place that an
// instruction has failed at is not tried again, so that it takes time in proportion to program and match.
#pragma once

#include "ops/strings/regex/regex.h"

namespace tracefn {

class RegexGroups {
 public:
  // `slots`: how many ends of groups are to be found.
  RegexGroups(const Regex& regex, std::string_view text, std::size_t slots, Regex::Scratch& scratch)
      : regex_(regex), text_(text), slots_(slots), s_(scratch) {}

  // Leaves the ends in the scratch. False if that would need too much memory; the caller runs the program instead.
  bool find(std::size_t begin, std::size_t end) const;

 private:
  const Regex& regex_;
  const std::string_view text_;
  const std::size_t slots_;
  Regex::Scratch& s_;
};

}  // namespace tracefn
