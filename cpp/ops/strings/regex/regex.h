// Regex: a compiled regular expression with RE2's syntax and results, matched in time proportional to the text. A
// RegexAutomaton finds the match; where that is too large, the expression is simulated as an automaton that is in many
// states at once (K. Thompson, 1968; R. Pike's captures). Any thread may match.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ops/strings/regex/partition.h"
#include "ops/strings/regex/syntax.h"

namespace tracefn {

class RegexAutomaton;

class Regex {
 public:
  // Throws RegexError.
  explicit Regex(std::string_view pattern);

  // The number of groups that capture.
  int groups() const { return groups_; }
  // The whole match is group 0. A group that took no part has no data.
  static constexpr std::size_t kMostGroups = 10;
  using Groups = std::array<std::string_view, kMostGroups>;

  // States that were made for one text and serve the next. Not for two threads at once.
  class Scratch;
  // A scratch that no one else has meanwhile; the expression must outlive it.
  class Borrowed;

  bool full_match(std::string_view text, Scratch& scratch) const;
  // The leftmost match in text.substr(from), of the alternatives the first that matches. Fills the groups up to `last`.
  bool search(std::string_view text, std::size_t from, int last, Groups& groups, Scratch& scratch) const;

 private:
  friend class RegexAutomaton;
  friend class RegexCompiler;
  friend class RegexGroups;
  friend class RegexRun;

  struct Instruction {
    enum class Kind : std::uint8_t { kChar, kClass, kSplit, kSave, kAssert, kMatch };
    Kind kind;
    RegexNode::Assertion assertion = RegexNode::Assertion::kTextBegin;
    char32_t character = 0;          // kChar
    int next = 0, other = 0;         // kSplit prefers `next`
    int slot = 0;                    // kSave
    const CharClass* set = nullptr;  // kClass
  };
  static bool fill(std::size_t count, Groups& groups, const Scratch& scratch);

  std::vector<Instruction> program_;
  std::vector<std::shared_ptr<const CharClass>> sets_;
  int start_ = 0;
  int groups_ = 0;
  // For automata, which are not made if the partition is too fine.
  CharPartition partition_;
  bool has_partition_ = false;
  bool asserts_ = false;   // has assertions
  bool anchored_ = false;  // matches at the beginning of the text only
  std::string prefix_;     // with which every match begins

  mutable std::mutex mutex_;
  // Guarded by the mutex.
  mutable std::vector<std::unique_ptr<Scratch>> spare_;
  mutable std::size_t scratches_ = 0;  // that exist
};

class Regex::Scratch {
 public:
  Scratch();
  ~Scratch();

 private:
  friend class Regex;
  friend class RegexGroups;
  friend class RegexRun;
  // States in order of priority, each once.
  struct States {
    std::vector<int> dense, sparse;
    std::vector<const char*> slots;  // of dense[i] at i * number of slots

    bool contains(int state) const {
      const auto at = static_cast<std::size_t>(sparse[static_cast<std::size_t>(state)]);
      return at < dense.size() && dense[at] == state;
    }
    void reset(std::size_t states) {
      dense.clear();
      slots.clear();
      if (sparse.size() < states) sparse.resize(states);
    }
  };
  struct Pending {
    int state;
    int slot;  // -1: follow the state; else restore the slot
    const char* before;
  };
  States now_, next_;
  std::vector<Pending> pending_;
  std::vector<const char*> current_, best_;

  std::unique_ptr<RegexAutomaton> whole_, first_;  // null until needed

  struct Step {
    int state;
    int slot;  // as in Pending
    std::size_t at;
    const char* before;
  };
  std::vector<Step> steps_;
  std::vector<std::uint64_t> visited_;
};

class Regex::Borrowed {
 public:
  explicit Borrowed(const Regex& regex);
  ~Borrowed();
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  Scratch& operator*() const { return *scratch_; }

 private:
  const Regex& regex_;
  std::unique_ptr<Scratch> scratch_;
};

// The last pattern that this thread compiled is kept. Throws Error(kInvalidArgument) with TensorFlow's words.
std::shared_ptr<const Regex> compiled_regex(const std::string& pattern);

}  // namespace tracefn
