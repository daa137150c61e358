// RegexAutomaton: a regular expression as an automaton that is in one state at a time, which makes its states when a
// text first needs them (R. Cox, "Regular Expression Matching in the Wild", 2010). A state stands for the instructions
// that a RegexRun would be at. For one thread at a time; the expression must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "ops/strings/regex/regex.h"
#include "ops/strings/regex/text.h"

namespace tracefn {

class RegexAutomaton {
 public:
  // `whole`: for full_match(); else for search().
  RegexAutomaton(const Regex& regex, bool whole);

  // Where it would need too many states, or too much time, both give nothing: the caller runs the program instead.
  std::optional<bool> full_match(std::string_view text);
  struct Found {
    bool any = false;
    std::size_t begin = 0, end = 0;
  };
  // As Regex::search.
  std::optional<Found> search(std::string_view text, std::size_t from);

 private:
  // States are numbered by where their transitions begin in the table. A transition: the next state times two; one more
  // if the text that was read before its character is a match.
  using Transition = std::int32_t;
  static constexpr Transition kUnknown = -1;
  static constexpr Transition kNone = 0;  // to the dead state, no match
  static constexpr std::int32_t kDead = 0;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  // Of all states together, with their transitions.
  static constexpr std::size_t kMostBytes = 1 << 21;

  // Classes of characters, then what is no character, then the end of the text.
  int invalid() const { return classes_; }
  int end() const { return classes_ + 1; }
  // Beyond ASCII. Gives the character's size.
  int class_at(std::string_view text, std::size_t at, std::size_t& size) const;

  std::int32_t start_after(Beside before);
  // The end of the match that begins at `from` in the state, or kNowhere. `read`: where it stopped.
  std::size_t run(std::string_view text, std::size_t from, std::int32_t state, std::size_t& read);
  // Skips characters at which no match begins.
  std::size_t skip(std::string_view text, std::size_t at);

  Transition& transition(std::int32_t state, int character) {
    return table_[static_cast<std::size_t>(state + character)];
  }
  Transition make_transition(std::int32_t state, int character);
  // Adds what is reached from an instruction without a character; assertions that `after` does not decide stay.
  void follow(int first, std::vector<int>& to, Beside before, const Beside* after);
  bool takes(int instruction, int character) const;
  std::int32_t state_of(std::vector<int>& instructions, Beside before);
  void forget();

  const Regex& regex_;
  const bool whole_;
  const int classes_;
  const std::size_t row_;  // transitions per state

  std::vector<Transition> table_;
  std::vector<const std::vector<int>*> states_;  // in the table's order; keys of numbers_
  std::map<std::vector<int>, std::int32_t> numbers_;
  std::int32_t starts_[4];  // by what is before; -1 if not made yet
  std::vector<Beside> beside_;
  std::size_t bytes_ = 0;
  std::size_t read_since_ = 0;  // characters since the states were made anew
  bool given_up_ = false;
  std::uint64_t generation_ = 0;  // how often the states were made anew

  std::vector<int> threads_, made_, pending_;
  std::vector<std::uint32_t> seen_;  // the round in which an instruction was seen
  std::uint32_t round_ = 0;
};

}  // namespace tracefn
