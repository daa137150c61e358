// Runs programs of regular expressions.
#include <algorithm>

#include "base/poll.h"
#include "ops/strings/regex/regex.h"
#include "ops/strings/utf8.h"

namespace tracefn {
namespace {

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The character at `at`; of other bytes that look like one, which RE2 takes for one, kLooksLikeCharacter. A size of one
// and `valid` false if nothing matches the byte.
DecodedCharacter character_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const DecodedCharacter c = decode_utf8(rest);
  if (c.valid) return c;
  const auto first = static_cast<unsigned char>(rest[0]);
  const std::size_t size = first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (size == 0 || rest.size() < size) return {kReplacementCharacter, 1, false};
  char32_t value = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(rest[i]) & 0xc0) != 0x80) return {kReplacementCharacter, 1, false};
    value = value << 6 | (static_cast<unsigned char>(rest[i]) & 0x3f);
  }
  return {is_surrogate(value) ? value : kLooksLikeCharacter, size, true};
}

}  // namespace

class RegexRun {
 public:
  using Kind = Regex::Instruction::Kind;

  // `slots`: how many ends of groups are to be found.
  RegexRun(const Regex& regex, std::string_view text, std::size_t slots, bool whole, Regex::Scratch& scratch)
      : regex_(regex), text_(text), slots_(slots), whole_(whole), s_(scratch) {
    s_.now_.reset(regex.program_.size());
    s_.next_.reset(regex.program_.size());
    s_.current_.assign(slots_, nullptr);
    s_.best_.assign(slots_, nullptr);
  }

  bool run(std::size_t from) {
    bool matched = false;
    PolledSteps polled(1024);
    for (std::size_t at = from;;) {
      if (!matched && (!whole_ || at == from)) {
        std::fill(s_.current_.begin(), s_.current_.end(), nullptr);
        follow(s_.now_, regex_.start_, at);
      }
      if (s_.now_.dense.empty() && (matched || whole_)) return matched;
      const bool end = at == text_.size();
      const DecodedCharacter c = end ? DecodedCharacter{0, 1, false} : character_at(text_, at);
      s_.next_.reset(0);
      for (std::size_t i = 0; i < s_.now_.dense.size(); ++i) {
        const Regex::Instruction& state = regex_.program_[static_cast<std::size_t>(s_.now_.dense[i])];
        if (state.kind == Kind::kMatch) {
          if (whole_ && !end) continue;
          matched = true;
          std::copy_n(s_.now_.slots.begin() + static_cast<std::ptrdiff_t>(i * slots_), slots_, s_.best_.begin());
          break;  // the others come after it
        }
        const bool takes = state.kind == Kind::kChar    ? state.character == c.value
                           : state.kind == Kind::kClass ? state.set->contains(c.value)
                                                        : false;
        if (!takes || !c.valid) continue;
        std::copy_n(s_.now_.slots.begin() + static_cast<std::ptrdiff_t>(i * slots_), slots_, s_.current_.begin());
        follow(s_.next_, state.next, at + c.size);
      }
      if (end) return matched;
      at += c.size;
      std::swap(s_.now_, s_.next_);
      polled.step(static_cast<std::int64_t>(s_.now_.dense.size()) + 1);
    }
  }

 private:
  bool holds(RegexNode::Assertion assertion, std::size_t at) const {
    using Assertion = RegexNode::Assertion;
    switch (assertion) {
      case Assertion::kTextBegin:
        return at == 0;
      case Assertion::kTextEnd:
        return at == text_.size();
      case Assertion::kLineBegin:
        return at == 0 || text_[at - 1] == '\n';
      case Assertion::kLineEnd:
        return at == text_.size() || text_[at] == '\n';
      default:
        break;
    }
    const bool before = at > 0 && is_word(text_[at - 1]), after = at < text_.size() && is_word(text_[at]);
    return (before != after) == (assertion == Assertion::kWordBoundary);
  }

  // Adds the states that are reached without a character, by priority; current_ holds the ends of groups on this way.
  void follow(Regex::Scratch::States& to, int first, std::size_t at) {
    s_.pending_.push_back({first, -1, nullptr});
    while (!s_.pending_.empty()) {
      const Regex::Scratch::Pending step = s_.pending_.back();
      s_.pending_.pop_back();
      if (step.slot >= 0) {
        s_.current_[static_cast<std::size_t>(step.slot)] = step.before;
        continue;
      }
      if (to.contains(step.state)) continue;
      to.sparse[static_cast<std::size_t>(step.state)] = static_cast<int>(to.dense.size());
      to.dense.push_back(step.state);
      to.slots.insert(to.slots.end(), s_.current_.begin(), s_.current_.end());
      const Regex::Instruction& state = regex_.program_[static_cast<std::size_t>(step.state)];
      switch (state.kind) {
        case Kind::kSplit:
          s_.pending_.push_back({state.other, -1, nullptr});
          s_.pending_.push_back({state.next, -1, nullptr});
          break;
        case Kind::kSave:
          if (static_cast<std::size_t>(state.slot) < slots_) {
            const char*& slot = s_.current_[static_cast<std::size_t>(state.slot)];
            s_.pending_.push_back({0, state.slot, slot});
            slot = text_.data() + at;
          }
          s_.pending_.push_back({state.next, -1, nullptr});
          break;
        case Kind::kAssert:
          if (holds(state.assertion, at)) s_.pending_.push_back({state.next, -1, nullptr});
          break;
        default:
          break;
      }
    }
  }

  const Regex& regex_;
  const std::string_view text_;
  const std::size_t slots_;
  const bool whole_;
  Regex::Scratch& s_;
};

bool Regex::full_match(std::string_view text, Scratch& scratch) const {
  return RegexRun(*this, text, 0, true, scratch).run(0);
}

bool Regex::search(std::string_view text, std::size_t from, int last, Groups& groups, Scratch& scratch) const {
  const auto count = static_cast<std::size_t>(std::min(last, groups_)) + 1;
  if (!RegexRun(*this, text, 2 * count, false, scratch).run(from)) return false;
  groups = {};
  for (std::size_t i = 0; i < count; ++i) {
    const char* begin = scratch.best_[2 * i];
    const char* end = scratch.best_[2 * i + 1];
    if (begin && end) groups[i] = {begin, static_cast<std::size_t>(end - begin)};
  }
  return true;
}

}  // namespace tracefn
