// The parser of regular expressions. Follows RE2's documented syntax (github.com/google/re2/wiki/Syntax) and its error
// messages.
#include "ops/strings/regex/syntax.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/concat.h"
#include "ops/strings/regex/escapes.h"
#include "ops/strings/utf8.h"

namespace tracefn {
namespace {

using Kind = RegexNode::Kind;
using Assertion = RegexNode::Assertion;
using NodePtr = std::unique_ptr<RegexNode>;

constexpr int kMostRepetitions = 1000;
constexpr int kDeepest = 1000;  // trees are walked by recursion

struct Flags {
  bool fold_case = false, multi_line = false, dot_newline = false, lazy = false;
};

// A group that is not closed yet: its finished alternatives, and the parts of the one being read.
struct OpenGroup {
  int number = 0;  // 0: captures nothing
  Flags outside;   // to return to
  std::vector<NodePtr> alternatives, parts;
};

NodePtr node(Kind kind) {
  auto made = std::make_unique<RegexNode>();
  made->kind = kind;
  return made;
}

void add_part(RegexNode& to, NodePtr part) {
  to.copies = std::max(to.copies, part->copies);
  to.depth = std::max(to.depth, part->depth + 1);
  to.parts.push_back(std::move(part));
}

NodePtr combined(Kind kind, std::vector<NodePtr> parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  NodePtr all = node(parts.empty() ? Kind::kEmpty : kind);
  for (NodePtr& part : parts) add_part(*all, std::move(part));
  return all;
}

class Parser {
 public:
  explicit Parser(std::string_view pattern) : pattern_(pattern), rest_(pattern) { open_.emplace_back(); }

  RegexSyntax parse() {
    while (!rest_.empty()) {
      const std::string_view repetition = std::exchange(repetition_, {});
      switch (rest_[0]) {
        case '(':
          rest_.starts_with("(?") ? flags_or_group() : open_group(1, ++groups_);
          break;
        case ')':
          close_group();
          break;
        case '|':
          rest_.remove_prefix(1);
          top().alternatives.push_back(combined(Kind::kConcat, std::exchange(top().parts, {})));
          break;
        case '^':
          add_assertion(1, flags_.multi_line ? Assertion::kLineBegin : Assertion::kTextBegin);
          break;
        case '$':
          add_assertion(1, flags_.multi_line ? Assertion::kLineEnd : Assertion::kTextEnd);
          break;
        case '.':
          rest_.remove_prefix(1);
          add_dot();
          break;
        case '[':
          add_set(bracketed());
          break;
        case '*':
          repeat_mark(repetition, 0, -1);
          break;
        case '+':
          repeat_mark(repetition, 1, -1);
          break;
        case '?':
          repeat_mark(repetition, 0, 1);
          break;
        case '{':
          counted(repetition);
          break;
        case '\\':
          backslash();
          break;
        default:
          add_character(take_character(rest_));
      }
    }
    if (open_.size() > 1) throw RegexError{concat("missing ): ", pattern_)};
    return {finished(), groups_};
  }

 private:
  OpenGroup& top() { return open_.back(); }
  void add(NodePtr part) {
    if (part->depth >= kDeepest) throw RegexError{"expression nests too deeply"};
    top().parts.push_back(std::move(part));
  }

  NodePtr finished() {
    OpenGroup& group = top();
    group.alternatives.push_back(combined(Kind::kConcat, std::move(group.parts)));
    return combined(Kind::kAlternate, std::move(group.alternatives));
  }

  void open_group(std::size_t length, int number) {
    rest_.remove_prefix(length);
    open_.emplace_back();
    top().number = number;
    top().outside = flags_;
  }

  void close_group() {
    if (open_.size() == 1) throw RegexError{concat("unexpected ): ", pattern_)};
    rest_.remove_prefix(1);
    NodePtr inside = finished();
    const int number = top().number;
    flags_ = top().outside;
    open_.pop_back();
    NodePtr group = node(Kind::kGroup);
    group->group = number;
    add_part(*group, std::move(inside));
    add(std::move(group));
  }

  // "(?P<name>", "(?i)", "(?i-s:".
  void flags_or_group() {
    auto bad = [this](std::string_view from, std::string_view upto) {
      throw RegexError{concat("invalid perl operator: ", from.substr(0, from.size() - upto.size()))};
    };
    if (rest_.starts_with("(?P<")) return named_group();
    std::string_view t = rest_.substr(2);
    Flags flags = flags_;
    bool negated = false, seen = false;
    while (true) {
      if (t.empty()) throw RegexError{concat("missing ): ", pattern_)};
      const char32_t c = take_character(t);
      switch (c) {
        case 'i':
          flags.fold_case = !negated;
          break;
        case 'm':
          flags.multi_line = !negated;
          break;
        case 's':
          flags.dot_newline = !negated;
          break;
        case 'U':
          flags.lazy = !negated;
          break;
        case '-':
          if (negated) bad(rest_, t);
          negated = true;
          seen = false;
          continue;
        case ':':
        case ')':
          if (negated && !seen) bad(rest_, t);
          if (c == ':') {
            open_group(rest_.size() - t.size(), 0);
          } else {
            rest_ = t;
          }
          flags_ = flags;
          return;
        default:
          bad(rest_, t);
      }
      seen = true;
    }
  }

  void named_group() {
    const std::size_t end = rest_.find('>');
    if (end == std::string_view::npos) throw RegexError{concat("invalid named capture group: ", rest_)};
    const std::string_view name = rest_.substr(4, end - 4);
    CharClass letters = *CharClass::perl('w');
    letters.finish();
    if (name.empty() ||
        !std::all_of(name.begin(), name.end(), [&](char c) { return letters.contains(static_cast<unsigned char>(c)); }))
      throw RegexError{concat("invalid named capture group: ", rest_.substr(0, end + 1))};
    open_group(end + 1, ++groups_);
  }

  void add_assertion(std::size_t length, Assertion assertion) {
    rest_.remove_prefix(length);
    NodePtr made = node(Kind::kAssert);
    made->assertion = assertion;
    add(std::move(made));
  }

  void add_set(CharClass set) {
    set.finish();
    NodePtr made = node(Kind::kClass);
    made->set = std::make_shared<const CharClass>(std::move(set));
    add(std::move(made));
  }

  void add_dot() {
    CharClass set;
    if (!flags_.dot_newline) set.add('\n', '\n');
    set.negate();
    add_set(std::move(set));
  }

  void add_character(char32_t c) {
    if (flags_.fold_case) {
      CharClass set;
      set.add(c, c);
      set.fold_case();
      return add_set(std::move(set));
    }
    NodePtr made = node(Kind::kChar);
    made->character = c;
    add(std::move(made));
  }

  void repeat_mark(std::string_view before, int least, int most) {
    const std::string_view from = rest_;
    rest_.remove_prefix(1);
    repeat(before, from, least, most);
  }

  // "{2}", "{2,}", "{2,5}"; anything else is text.
  void counted(std::string_view before) {
    const std::string_view from = rest_;
    std::string_view t = rest_.substr(1);
    std::optional<int> least = take_count(t), most = least;
    if (least && t.starts_with(',')) {
      t.remove_prefix(1);
      most = t.starts_with('}') ? std::optional<int>(-1) : take_count(t);
    }
    if (!most || !t.starts_with('}')) return add_character(take_character(rest_));
    rest_ = t.substr(1);
    repeat(before, from, *least, *most);
  }

  // The operator begins at `from`, and the rest follows it. `before` is the repetition just before it, if there is one.
  void repeat(std::string_view before, std::string_view from, int least, int most) {
    bool greedy = !flags_.lazy;
    if (rest_.starts_with('?')) {
      greedy = !greedy;
      rest_.remove_prefix(1);
    }
    auto written = [&](std::string_view begin) { return begin.substr(0, begin.size() - rest_.size()); };
    if (!before.empty()) throw RegexError{concat("bad repetition operator: ", written(before))};
    auto too_many = [&] { throw RegexError{concat("invalid repetition size: ", written(from))}; };
    if ((most != -1 && most < least) || least > kMostRepetitions || most > kMostRepetitions) too_many();
    if (top().parts.empty()) throw RegexError{concat("no argument for repetition operator: ", written(from))};
    NodePtr made = node(Kind::kRepeat);
    made->least = least;
    made->most = most;
    made->greedy = greedy;
    add_part(*made, std::move(top().parts.back()));
    top().parts.pop_back();
    made->copies *= std::max(1, most < 0 ? least : most);
    if (made->copies > kMostRepetitions) too_many();
    add(std::move(made));
    repetition_ = from;
  }

  void backslash() {
    const char next = rest_.size() > 1 ? rest_[1] : '\0';
    switch (next) {
      case 'b':
        return add_assertion(2, Assertion::kWordBoundary);
      case 'B':
        return add_assertion(2, Assertion::kNoWordBoundary);
      case 'A':
        return add_assertion(2, Assertion::kTextBegin);
      case 'z':
        return add_assertion(2, Assertion::kTextEnd);
      case 'C':
        throw RegexError{"\\C, which matches a byte of a character, is not implemented"};
      case 'Q':
        return quoted();
      default:
        break;
    }
    CharClass set;
    if (add_escaped_class(set, rest_, flags_.fold_case)) return add_set(std::move(set));
    add_character(take_escape(rest_));
  }

  // "\Q...\E": text.
  void quoted() {
    rest_.remove_prefix(2);
    while (!rest_.empty()) {
      if (rest_.starts_with("\\E")) return rest_.remove_prefix(2);
      add_character(take_character(rest_));
    }
  }

  CharClass bracketed() {
    const std::string_view whole = rest_;
    rest_.remove_prefix(1);
    const bool negated = rest_.starts_with('^');
    if (negated) rest_.remove_prefix(1);
    CharClass set;
    for (bool first = true; !rest_.empty() && (rest_[0] != ']' || first); first = false)
      add_bracketed_item(set, rest_, whole, flags_.fold_case);
    if (rest_.empty()) throw RegexError{concat("missing ]: ", whole)};
    rest_.remove_prefix(1);
    if (negated) set.negate();
    return set;
  }

  const std::string_view pattern_;
  std::string_view rest_;
  std::string_view repetition_;  // where the last item begins, if it is a repetition operator
  Flags flags_;
  std::vector<OpenGroup> open_;
  int groups_ = 0;
};

}  // namespace

RegexSyntax parse_regex(std::string_view pattern) { return Parser(pattern).parse(); }

}  // namespace tracefn
