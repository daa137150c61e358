// Backtracking with a record of what was tried.
#include "ops/strings/regex/groups.h"

#include "ops/strings/regex/text.h"

namespace tracefn {

bool RegexGroups::find(std::size_t begin, std::size_t end) const {
  using Kind = Regex::Instruction::Kind;
  constexpr std::size_t kMostPlaces = 1 << 17, kBits = 64;
  const std::size_t places = end - begin + 1;
  if (places > kMostPlaces / regex_.program_.size()) return false;
  s_.visited_.assign((places * regex_.program_.size() + kBits - 1) / kBits, 0);
  s_.best_.assign(slots_, nullptr);
  s_.steps_.assign(1, {regex_.start_, -1, begin, nullptr});
  while (!s_.steps_.empty()) {
    const Regex::Scratch::Step step = s_.steps_.back();
    s_.steps_.pop_back();
    if (step.slot >= 0) {
      s_.best_[static_cast<std::size_t>(step.slot)] = step.before;
      continue;
    }
    std::size_t at = step.at;
    for (int number = step.state; number >= 0;) {
      const std::size_t bit = static_cast<std::size_t>(number) * places + (at - begin);
      std::uint64_t& word = s_.visited_[bit / kBits];
      if (word >> (bit % kBits) & 1) break;
      word |= std::uint64_t{1} << (bit % kBits);
      const Regex::Instruction& i = regex_.program_[static_cast<std::size_t>(number)];
      number = i.next;
      switch (i.kind) {
        case Kind::kMatch:
          if (at == end) return true;
          number = -1;
          break;
        case Kind::kSplit:
          s_.steps_.push_back({i.other, -1, at, nullptr});
          break;
        case Kind::kSave:
          if (const auto slot = static_cast<std::size_t>(i.slot); slot < slots_) {
            s_.steps_.push_back({0, i.slot, at, s_.best_[slot]});
            s_.best_[slot] = text_.data() + at;
          }
          break;
        case Kind::kAssert:
          if (!holds(i.assertion, before_place(text_, at), after_place(text_, at))) number = -1;
          break;
        default: {
          if (at == end) {
            number = -1;
            break;
          }
          const DecodedCharacter c = character_at(text_, at);
          const bool taken = i.kind == Kind::kChar ? i.character == c.value : i.set->contains(c.value);
          if (!taken || !c.valid) number = -1;
          at += c.size;
        }
      }
    }
  }
  return false;
}

}  // namespace tracefn
