// Trees of regular expressions to programs.
#include <set>

#include "base/error.h"
#include "ops/strings/regex/regex.h"
#include "ops/strings/utf8.h"

namespace tracefn {

// Emits a part so that it continues at a given instruction: programs grow from their end.
class RegexCompiler {
 public:
  explicit RegexCompiler(Regex& regex) : regex_(regex) {}

  int emit(const RegexNode& node, int next) {
    using Kind = RegexNode::Kind;
    switch (node.kind) {
      case Kind::kEmpty:
        return next;
      case Kind::kChar: {
        Instruction i = made(Instruction::Kind::kChar, next);
        i.character = node.character;
        return add(i);
      }
      case Kind::kClass: {
        if (regex_.sets_.empty() || regex_.sets_.back() != node.set) regex_.sets_.push_back(node.set);
        Instruction i = made(Instruction::Kind::kClass, next);
        i.set = node.set.get();
        return add(i);
      }
      case Kind::kAssert: {
        Instruction i = made(Instruction::Kind::kAssert, next);
        i.assertion = node.assertion;
        return add(i);
      }
      case Kind::kGroup: {
        const bool captures = node.group > 0 && static_cast<std::size_t>(node.group) < Regex::kMostGroups;
        if (!captures) return emit(*node.parts[0], next);
        return save(2 * node.group, emit(*node.parts[0], save(2 * node.group + 1, next)));
      }
      case Kind::kConcat:
        for (std::size_t i = node.parts.size(); i-- > 0;) next = emit(*node.parts[i], next);
        return next;
      case Kind::kAlternate: {
        int first = emit(*node.parts.back(), next);
        for (std::size_t i = node.parts.size() - 1; i-- > 0;) first = split(emit(*node.parts[i], next), first, true);
        return first;
      }
      case Kind::kRepeat:
        return repeat(node, next);
    }
    return next;
  }
  int save(int slot, int next) {
    Instruction i = made(Instruction::Kind::kSave, next);
    i.slot = slot;
    return add(i);
  }
  int match() { return add(made(Instruction::Kind::kMatch, 0)); }

  // Finds the text with which every match begins.
  void look_at_beginning() {
    using Kind = Instruction::Kind;
    for (int at = regex_.start_;;) {
      const Instruction& i = regex_.program_[static_cast<std::size_t>(at)];
      if (i.kind == Kind::kChar && is_code_point(i.character)) {
        append_utf8(regex_.prefix_, i.character);
      } else if (i.kind != Kind::kSave) {
        regex_.anchored_ =
            regex_.prefix_.empty() && i.kind == Kind::kAssert && i.assertion == RegexNode::Assertion::kTextBegin;
        return;
      }
      at = i.next;
    }
  }

  void divide_characters() {
    using Kind = Instruction::Kind;
    CharPartition& partition = regex_.partition_;
    std::set<char32_t> characters;
    std::set<const CharClass*> sets;
    for (const Instruction& i : regex_.program_) {
      if (i.kind == Kind::kChar && characters.insert(i.character).second) partition.add({{i.character, i.character}});
      if (i.kind == Kind::kClass && sets.insert(i.set).second) partition.add(i.set->ranges());
      regex_.asserts_ |= i.kind == Kind::kAssert;
    }
    if (regex_.asserts_) {
      partition.add({{'\n', '\n'}});
      CharClass word = *CharClass::perl('w');
      word.finish();
      partition.add(word.ranges());
    }
    regex_.has_partition_ = partition.finish();
  }

 private:
  using Instruction = Regex::Instruction;
  // RE2's budget of memory holds about so many.
  static constexpr std::size_t kMostInstructions = 349525;

  static Instruction made(Instruction::Kind kind, int next) {
    Instruction i{kind};
    i.next = next;
    return i;
  }
  int add(const Instruction& i) {
    if (regex_.program_.size() >= kMostInstructions) throw RegexError{"pattern too large - compile failed"};
    regex_.program_.push_back(i);
    return static_cast<int>(regex_.program_.size()) - 1;
  }
  int split(int taken, int passed, bool greedy) {
    Instruction i = made(Instruction::Kind::kSplit, greedy ? taken : passed);
    i.other = greedy ? passed : taken;
    return add(i);
  }

  // x{2,4} is xx(x(x)?)?, x{2,} is xx+.
  int repeat(const RegexNode& node, int next) {
    const RegexNode& part = *node.parts[0];
    int copies = node.least;
    if (node.most < 0) {
      // The loop's branch comes after the part: what matches nothing there goes on.
      const int branch = split(0, next, node.greedy);
      const int first = emit(part, branch);
      (node.greedy ? regex_.program_[static_cast<std::size_t>(branch)].next
                   : regex_.program_[static_cast<std::size_t>(branch)].other) = first;
      next = copies > 0 ? first : split(first, next, node.greedy);
      copies -= copies > 0;
    } else {
      const int after = next;
      for (int i = node.least; i < node.most; ++i) next = split(emit(part, next), after, node.greedy);
    }
    for (; copies > 0; --copies) next = emit(part, next);
    return next;
  }

  Regex& regex_;
};

Regex::Regex(std::string_view pattern) {
  const RegexSyntax syntax = parse_regex(pattern);
  groups_ = syntax.groups;
  RegexCompiler compiler(*this);
  start_ = compiler.save(0, compiler.emit(*syntax.root, compiler.save(1, compiler.match())));
  compiler.look_at_beginning();
  compiler.divide_characters();
}

std::shared_ptr<const Regex> compiled_regex(const std::string& pattern) {
  thread_local std::string last;
  thread_local std::shared_ptr<const Regex> regex;
  if (regex && last == pattern) return regex;
  try {
    regex = std::make_shared<const Regex>(pattern);
    last = pattern;
  } catch (const RegexError& error) {
    regex = nullptr;
    invalid_argument("Invalid pattern: ", pattern, ", error: ", error.text);
  }
  return regex;
}

}  // namespace tracefn
