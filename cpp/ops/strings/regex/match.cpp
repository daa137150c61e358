// Runs programs of regular expressions.
#include <algorithm>

#include "base/poll.h"
#include "ops/strings/regex/automaton.h"
#include "ops/strings/regex/groups.h"
#include "ops/strings/regex/regex.h"
#include "ops/strings/regex/text.h"

namespace tracefn {
class RegexRun {
 public:
  using Kind = Regex::Instruction::Kind;

  // `slots`: how many ends of groups are to be found. A match may have to be the whole text.
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
          if (holds(state.assertion, before_place(text_, at), after_place(text_, at)))
            s_.pending_.push_back({state.next, -1, nullptr});
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

Regex::Scratch::Scratch() = default;
Regex::Scratch::~Scratch() = default;

Regex::Borrowed::Borrowed(const Regex& regex) : regex_(regex) {
  const std::lock_guard lock(regex.mutex_);
  if (regex.spare_.empty()) {
    scratch_ = std::make_unique<Scratch>();
    regex.spare_.reserve(++regex.scratches_);  // so that giving it back does not fail
  } else {
    scratch_ = std::move(regex.spare_.back());
    regex.spare_.pop_back();
  }
}
Regex::Borrowed::~Borrowed() {
  const std::lock_guard lock(regex_.mutex_);
  regex_.spare_.push_back(std::move(scratch_));
}

bool Regex::full_match(std::string_view text, Scratch& scratch) const {
  if (has_partition_) {
    if (!scratch.whole_) scratch.whole_ = std::make_unique<RegexAutomaton>(*this, true);
    if (const auto matched = scratch.whole_->full_match(text)) return *matched;
  }
  return RegexRun(*this, text, 0, true, scratch).run(0);
}

bool Regex::search(std::string_view text, std::size_t from, int last, Groups& groups, Scratch& scratch) const {
  const auto count = static_cast<std::size_t>(std::min(last, groups_)) + 1;
  groups = {};
  if (has_partition_) {
    if (!scratch.first_) scratch.first_ = std::make_unique<RegexAutomaton>(*this, false);
    if (const auto found = scratch.first_->search(text, from)) {
      if (!found->any) return false;
      groups[0] = text.substr(found->begin, found->end - found->begin);
      if (count == 1) return true;
      if (RegexGroups(*this, text, 2 * count, scratch).find(found->begin, found->end))
        return fill(count, groups, scratch);
      from = found->begin;
    }
  }
  return RegexRun(*this, text, 2 * count, false, scratch).run(from) && fill(count, groups, scratch);
}

// Of the ends that were found.
bool Regex::fill(std::size_t count, Groups& groups, const Scratch& scratch) {
  for (std::size_t i = 0; i < count; ++i) {
    const char* begin = scratch.best_[2 * i];
    const char* end = scratch.best_[2 * i + 1];
    if (begin && end) groups[i] = {begin, static_cast<std::size_t>(end - begin)};
  }
  return true;
}

}  // namespace tracefn
